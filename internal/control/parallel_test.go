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

// TestTenantsAreIsolated runs 200 concurrent clients on one server, each with a
// tenant of its own: none sees anything of another.
func TestTenantsAreIsolated(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: everything of a tenant is its own")
	s := servertest.New(t, servertest.Background)
	var running sync.WaitGroup
	txIDs := make([]string, 200)
	tenants := make([]*servertest.Tenant, len(txIDs))
	for i := range txIDs {
		running.Go(func() { tenants[i], txIDs[i] = useTenant(s, i) })
	}
	running.Wait()
	if t.Failed() {
		return
	}
	// A tenant's transaction cannot be read by another tenant, through either API.
	for i, tenant := range tenants {
		foreign := txIDs[(i+1)%len(txIDs)]
		tenant.Status(foreign).Want(t, http.StatusNotFound)
		tenant.Control("GET /transactions/"+foreign, "").Want(t, http.StatusNotFound)
		s.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + txIDs[i], Token: tenant.Token, Key: tenants[(i+1)%len(tenants)].Key}).
			Want(t, http.StatusForbidden)
	}
}

// useTenant makes all calls of one client and checks their responses. Its number
// decides the pacing, the clock, the outcome and the faults.
func useTenant(s *servertest.Server, i int) (*servertest.Tenant, string) {
	t := s.T
	tenant := s.NewTenant([]string{
		`{"pacing":{"mode":"immediate"}}`,
		`{"pacing":{"mode":"polls","per_state":1},"status_vocabulary":"polling"}`,
		`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`,
	}[i%3])
	hours := time.Duration(i%11) * time.Hour
	if hours > 0 {
		tenant.Advance(hours.String())
	}
	company := fmt.Sprintf("Company %d Ltd", i)
	status := []string{"Completed", "Failed"}[i/3%2]
	facts := `,"facts":{"company_name":"` + company + `"}`
	if status == "Failed" {
		facts = ""
	}
	tenant.Control("PUT /outcomes", `{"match":{"filename":"letter.txt"},"status":"`+status+`"`+facts+`}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("letter.txt", []byte(company))
	if i%5 == 0 { // if it acted on another tenant, a call below would fail
		tenant.Control("POST /faults", `{"route":"GET /universal/v2/universal-submit/status/{tx_id}","status":503,"times":1}`).Want(t, http.StatusCreated)
		tenant.DoUnchecked("GET /universal/v2/universal-submit/status/"+txID, "").Want(t, http.StatusServiceUnavailable)
	}
	took := time.Duration(0)
	if i%3 == 2 {
		took = 3 * time.Minute
		if effects := tenant.Advance("1h"); len(effects) != 3 {
			t.Errorf("%d: effects %v", i, effects)
		}
	}
	done := tenant.AwaitEnd(txID)
	if end := done.Text(t, "tx_end_time"); end != s.Shown(hours+took) {
		t.Errorf("%d: end %s, want %s", i, end, s.Shown(hours+took))
	}
	if got := strings.Replace(done.Text(t, "status"), "Succeeded", "Completed", 1); got != status {
		t.Errorf("%d: status %s, want %s", i, got, status)
	}
	list := tenant.Control("GET /transactions", "").Want(t, http.StatusOK).Get(t, "transactions").([]any)
	if len(list) != 1 || list[0].(map[string]any)["tx_id"] != txID {
		t.Errorf("%d: transactions %v", i, list)
	}
	if status == "Completed" {
		inquiry := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
		if got := inquiry.Text(t, "data", "facts", "company_name"); got != company {
			t.Errorf("%d: company %s", i, got)
		}
	}
	for _, entry := range tenant.Control("GET /requests?limit=1000", "").Want(t, http.StatusOK).Get(t, "requests").([]any) {
		call := entry.(map[string]any)
		if id, known := call["client_id"]; known && id != tenant.Credentials.ClientID {
			t.Errorf("%d: the journal has a call of %v", i, id)
		}
		if faults := call["faults"].([]any); len(faults) > 0 && i%5 != 0 {
			t.Errorf("%d: another tenant's fault acted on %v", i, call)
		}
	}
	return tenant, txID
}
