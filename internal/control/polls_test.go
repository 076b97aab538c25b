package control_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestPacingByPolls checks that with the pacing mode polls only status calls
// advance a submission, that each state is seen in exactly per_state polls, and that
// concurrent polls count once each.
func TestPacingByPolls(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, settings: pacing: polls, each moves one state")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"polls","per_state":2}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"letter.*"},"status":"Completed"}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("letter.txt", []byte("hello"))
	if effects := tenant.Advance("1h"); len(effects) != 0 {
		t.Errorf("effects %v of the clock, want none", effects)
	}
	for i, want := range []string{
		"Submission_in_progress", "Submission_in_progress", "Scheduled", "Scheduled", "Started", "Started", "Completed", "Completed",
	} {
		if got := tenant.Status(txID).Want(t, http.StatusOK).Text(t, "status"); got != want {
			t.Fatalf("poll %d: %s, want %s", i+1, got, want)
		}
	}
	tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)

	tenant.Control("PATCH /settings", `{"pacing":{"mode":"polls","per_state":3}}`).Want(t, http.StatusOK)
	txID = tenant.SubmitFile("letter.txt", []byte("hello"))
	var polling sync.WaitGroup
	polls := make([]servertest.Response, 9)
	for i := range polls {
		polling.Go(func() { polls[i] = tenant.Status(txID) })
	}
	polling.Wait()
	seen := map[string]int{}
	for _, poll := range polls {
		seen[poll.Want(t, http.StatusOK).Text(t, "status")]++
	}
	if seen["Submission_in_progress"] != 3 || seen["Scheduled"] != 3 || seen["Started"] != 3 {
		t.Errorf("statuses of concurrent polls %v", seen)
	}
	if got := tenant.Status(txID).Text(t, "status"); got != "Completed" {
		t.Errorf("tenth poll: %s, want Completed", got)
	}

	// The extra time of an outcome passes on the tenant's clock all the same.
	tenant.Control("PUT /outcomes", `{"match":{"filename":"later.txt"},"status":"Failed","after":"10m"}`).Want(t, http.StatusOK)
	txID = tenant.SubmitFile("later.txt", []byte("hello"))
	for range 10 {
		tenant.Status(txID)
	}
	if got := tenant.Status(txID).Text(t, "status"); got != "Started" {
		t.Errorf("before the extra time has passed: %s, want Started", got)
	}
	if effects := tenant.Advance("1h"); len(effects) != 1 || effects[0].Status != "Failed" || effects[0].At != s.Shown(70*time.Minute) {
		t.Errorf("effects %v", effects)
	}
}
