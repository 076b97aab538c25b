package control_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestTenantsSideBySide runs 200 tests of other people at once on one server,
// each with a tenant of its own: none sees anything of another.
func TestTenantsSideBySide(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	var running sync.WaitGroup
	txIDs := make([]string, 200)
	tenants := make([]*servertest.Tenant, len(txIDs))
	for i := range txIDs {
		running.Go(func() { tenants[i], txIDs[i] = sideBySide(w, i) })
	}
	running.Wait()
	if t.Failed() {
		return
	}
	// No tenant sees its neighbour's, by the API or the control API.
	for i, x := range tenants {
		foreign := txIDs[(i+1)%len(txIDs)]
		x.Status(foreign).Want(t, http.StatusNotFound)
		x.Control("GET /transactions/"+foreign, "").Want(t, http.StatusNotFound)
		w.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + txIDs[i], Token: x.Token, Key: tenants[(i+1)%len(tenants)].Key}).
			Want(t, http.StatusForbidden)
	}
}

// sideBySide is one test: pace, clock and outcome are chosen by its number.
func sideBySide(w *servertest.Server, i int) (*servertest.Tenant, string) {
	t := w.T
	x := w.tenant([]string{
		`{"pacing":{"mode":"immediate"}}`,
		`{"pacing":{"mode":"polls","per_state":1},"status_vocabulary":"polling"}`,
		`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`,
	}[i%3])
	hours := time.Duration(i%11) * time.Hour
	if hours > 0 {
		x.Advance(hours.String())
	}
	company := fmt.Sprintf("Company %d Ltd", i)
	status := []string{"Completed", "Failed"}[i/3%2]
	facts := `,"facts":{"company_name":"` + company + `"}`
	if status == "Failed" {
		facts = ""
	}
	x.Control("PUT /outcomes", `{"match":{"filename":"servertest.Letter.txt"},"status":"`+status+`"`+facts+`}`).Want(t, http.StatusOK)
	txID := x.SubmitFile("servertest.Letter.txt", company)
	if i%5 == 0 { // a fault of this one alone: any other's call would fail below
		x.Control("POST /faults", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}","status":503,"times":1}`).Want(t, http.StatusCreated)
		x.DoUnchecked("GET /universal/v2/universal-submit/status/"+txID, "").Want(t, http.StatusServiceUnavailable)
	}
	took := time.Duration(0)
	if i%3 == 2 {
		took = 3 * time.Minute
		if effects := x.Advance("1h"); len(effects) != 3 {
			t.Errorf("%d: effects %v", i, effects)
		}
	}
	done := x.AwaitEnd(txID)
	if end := done.Text(t, "tx_end_time"); end != w.Shown(hours+took) {
		t.Errorf("%d: end %s, want %s", i, end, w.Shown(hours+took))
	}
	if got := strings.Replace(done.Text(t, "status"), "Succeeded", "Completed", 1); got != status {
		t.Errorf("%d: status %s, want %s", i, got, status)
	}
	list := x.Control("GET /transactions", "").Want(t, http.StatusOK).Get(t, "transactions").([]any)
	if len(list) != 1 || list[0].(map[string]any)["tx_id"] != txID {
		t.Errorf("%d: transactions %v", i, list)
	}
	if status == "Completed" {
		inquiry := x.Do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
		if got := inquiry.Text(t, "data", "facts", "company_name"); got != company {
			t.Errorf("%d: company %s", i, got)
		}
	}
	for _, one := range x.Control("GET /requests?limit=1000", "").Want(t, http.StatusOK).Get(t, "requests").([]any) {
		call := one.(map[string]any)
		if id, named := call["client_id"]; named && id != x.client.ClientID {
			t.Errorf("%d: journal has a call of %v", i, id)
		}
		if faults := call["faults"].([]any); len(faults) > 0 && i%5 != 0 {
			t.Errorf("%d: another's fault acted on %v", i, call)
		}
	}
	return x, txID
}
