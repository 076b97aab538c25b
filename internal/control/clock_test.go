package control_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestAdvanceClock advances a clock by twelve hours in one call: everything that
// becomes due happens at its own time, and what was valid for less has expired.
func TestAdvanceClock(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, settings: pacing: timed, with the wait of each step",
		"Chosen, control API, transactions: listed and read, with timeline and failure",
		"Chosen, control API, clock: advance: every due moment passes in turn, and its effects are returned in order",
		"Chosen, control API, clock: it moves tokens, upload URLs, stages and retries")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Completed"}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("letter.txt", []byte("hello"))
	unused, uploadURL := tenant.Announce("never.txt")
	slow := tenant.SubmitFile("letter.slow.txt", []byte("hello"))
	other := s.NewTenant(`{}`)
	waiting := other.SubmitFile("letter.txt", []byte("hello"))

	effects := tenant.Advance("12h")
	want := []servertest.Effect{
		{Kind: "expired", At: s.Shown(5 * time.Minute), TxID: unused, What: "upload_url"},
		{Kind: "state", At: s.Shown(time.Hour), TxID: txID, Status: "Scheduled"},
		{Kind: "state", At: s.Shown(3 * time.Hour), TxID: txID, Status: "Started"},
		{Kind: "state", At: s.Shown(6 * time.Hour), TxID: txID, Status: "Completed"},
		{Kind: "state", At: s.Shown(10 * time.Hour), TxID: slow, Status: "Scheduled"},
		// The expiry of a token is in whole seconds.
		{Kind: "expired", At: s.Shown(12*time.Hour - time.Duration(s.Now().Nanosecond())), What: "access_token", ClientID: tenant.Credentials.ClientID},
	}
	if !slices.Equal(effects, want) {
		t.Errorf("effects %+v\nwant %+v", effects, want)
	}
	tenant.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+s.Shown(12*time.Hour)+`","offset":"12h0m0s","frozen":false}`)

	// The old token and the upload URL have expired.
	expired := tenant.Status(txID).Want(t, http.StatusUnauthorized)
	if !strings.Contains(expired.Header.Get("Www-Authenticate"), `error="invalid_token"`) {
		t.Errorf("header %v", expired.Header)
	}
	s.Upload(uploadURL, "never.txt", []byte("late")).Want(t, http.StatusForbidden, `{"message":"Request has expired"}`)
	tenant.Client = s.Login(tenant.Credentials)
	done := tenant.Status(txID).Want(t, http.StatusOK)
	if done.Text(t, "status") != "Completed" || done.Text(t, "tx_end_time") != s.Shown(6*time.Hour) || done.Get(t, "response_time_secs") != 6*3600.0 {
		t.Errorf("status %s", done.Body)
	}
	transaction := tenant.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	for i, at := range []time.Duration{0, time.Hour, 3 * time.Hour, 6 * time.Hour} {
		reached := transaction.Get(t, "timeline").([]any)[i].(map[string]any)
		if reached["at"] != s.Shown(at) {
			t.Errorf("state %d: %v, want it at %s", i, reached, s.Shown(at))
		}
	}

	// The clock of another tenant has not moved.
	if got := other.Status(waiting).Text(t, "status"); got != "Submission_in_progress" {
		t.Errorf("another tenant's submission is %s", got)
	}
	other.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+s.Shown(0)+`","offset":"0s","frozen":false}`)

	// Days, the shortest step, and a step in which nothing is due.
	tenant.Advance("2d")
	if effects := tenant.Advance("1us"); len(effects) != 0 {
		t.Errorf("effects %v, want none", effects)
	}
	tenant.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+s.Shown(60*time.Hour+time.Microsecond)+`","offset":"60h0m0.000001s","frozen":false}`)
}

// TestConcurrentAdvances checks that concurrent advances of one clock add up.
func TestConcurrentAdvances(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`)
	txID := tenant.SubmitFile("a.fail.txt", []byte("hello"))
	var advancing sync.WaitGroup
	responses := make([]servertest.Response, 5)
	for i := range responses {
		advancing.Go(func() { responses[i] = tenant.Control("POST /clock", `{"advance":"1m"}`) })
	}
	advancing.Wait()
	for _, response := range responses {
		response.Want(t, http.StatusOK)
	}
	if offset := tenant.Control("GET /clock", "").Text(t, "offset"); offset != "5m0s" {
		t.Errorf("offset %s, want 5m0s", offset)
	}
	if end := tenant.Status(txID).Text(t, "tx_end_time"); end != s.Shown(3*time.Minute) {
		t.Errorf("the submission ended at %s, want %s", end, s.Shown(3*time.Minute))
	}
}

// TestAdvanceClockThroughAnotherServer has one server do the background work,
// while the clock is advanced and the settings are changed through another one.
func TestAdvanceClockThroughAnotherServer(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	txID := tenant.SubmitFile("a.fail.txt", []byte("hello"))
	replica := s.Replica().Tenant(tenant.Name)
	effects := replica.Advance("1h")
	replica.Control("PATCH /settings", `{"status_vocabulary":"polling"}`).Want(t, http.StatusOK)

	if len(effects) != 3 || effects[2].At != s.Shown(3500*time.Millisecond) {
		t.Errorf("effects %+v", effects)
	}
	s.Pass(time.Second) // within which a change of settings acts on other servers
	done := tenant.Status(txID).Want(t, http.StatusOK)
	if done.Text(t, "tx_end_time") != s.Shown(2500*time.Millisecond) {
		t.Errorf("status %s", done.Body)
	}
}
