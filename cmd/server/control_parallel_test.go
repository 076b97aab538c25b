package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTenantsSideBySide runs 200 tests of other people at once on one server,
// each with a tenant of its own: none sees anything of another.
func TestTenantsSideBySide(t *testing.T) {
	w := newControlWorld(t)
	var running sync.WaitGroup
	txIDs := make([]string, 200)
	tenants := make([]*tenant, len(txIDs))
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
		x.status(foreign).want(t, http.StatusNotFound)
		x.ask("GET /transactions/"+foreign, "").want(t, http.StatusNotFound)
		w.do(call{line: "GET /universal/v2/universal-submit/status/" + txIDs[i], token: x.token, key: tenants[(i+1)%len(tenants)].key}).
			want(t, http.StatusForbidden)
	}
}

// sideBySide is one test: pace, clock and outcome are chosen by its number.
func sideBySide(w *controlWorld, i int) (*tenant, string) {
	t := w.t
	x := w.tenant([]string{
		`{"pacing":{"mode":"immediate"}}`,
		`{"pacing":{"mode":"polls","per_state":1},"status_vocabulary":"polling"}`,
		`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`,
	}[i%3])
	hours := time.Duration(i%11) * time.Hour
	if hours > 0 {
		x.advance(hours.String())
	}
	company := fmt.Sprintf("Company %d Ltd", i)
	status := []string{"Completed", "Failed"}[i/3%2]
	facts := `,"facts":{"company_name":"` + company + `"}`
	if status == "Failed" {
		facts = ""
	}
	x.ask("PUT /outcomes", `{"match":{"filename":"letter.txt"},"status":"`+status+`"`+facts+`}`).want(t, http.StatusOK)
	txID := x.send("letter.txt", company)
	if i%5 == 0 { // a fault of this one alone: any other's call would fail below
		x.ask("POST /faults", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}","status":503,"times":1}`).want(t, http.StatusCreated)
		x.plain("GET /universal/v2/universal-submit/status/"+txID, "").want(t, http.StatusServiceUnavailable)
	}
	took := time.Duration(0)
	if i%3 == 2 {
		took = 3 * time.Minute
		if effects := x.advance("1h"); len(effects) != 3 {
			t.Errorf("%d: effects %v", i, effects)
		}
	}
	done := x.await(txID)
	if end := done.text(t, "tx_end_time"); end != w.shown(hours+took) {
		t.Errorf("%d: end %s, want %s", i, end, w.shown(hours+took))
	}
	if got := strings.Replace(done.text(t, "status"), "Succeeded", "Completed", 1); got != status {
		t.Errorf("%d: status %s, want %s", i, got, status)
	}
	list := x.ask("GET /transactions", "").want(t, http.StatusOK).get(t, "transactions").([]any)
	if len(list) != 1 || list[0].(map[string]any)["tx_id"] != txID {
		t.Errorf("%d: transactions %v", i, list)
	}
	if status == "Completed" {
		inquiry := x.do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").want(t, http.StatusOK)
		if got := inquiry.text(t, "data", "facts", "company_name"); got != company {
			t.Errorf("%d: company %s", i, got)
		}
	}
	for _, one := range x.ask("GET /requests?limit=1000", "").want(t, http.StatusOK).get(t, "requests").([]any) {
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
