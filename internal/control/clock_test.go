package control_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestClock moves twelve hours in one call: everything on the way happens at
// its own moment, and what was good for less is not good any more.
func TestClock(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	x.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Completed"}`).Want(t, http.StatusOK)
	txID := x.SubmitFile("servertest.Letter.txt", "hello")
	unused, url := x.Announce("never.txt")
	slow := x.SubmitFile("servertest.Letter.slow.txt", "hello")
	other := w.NewTenant(`{}`)
	waiting := other.SubmitFile("servertest.Letter.txt", "hello")

	effects := x.Advance("12h")
	want := []servertest.Effect{
		{Kind: "expired", At: w.Shown(5 * time.Minute), TxID: unused, What: "upload_url"},
		{Kind: "state", At: w.Shown(time.Hour), TxID: txID, Status: "Scheduled"},
		{Kind: "state", At: w.Shown(3 * time.Hour), TxID: txID, Status: "Started"},
		{Kind: "state", At: w.Shown(6 * time.Hour), TxID: txID, Status: "Completed"},
		{Kind: "state", At: w.Shown(10 * time.Hour), TxID: slow, Status: "Scheduled"},
		// Tokens tell their expiry in whole seconds.
		{Kind: "expired", At: w.Shown(12*time.Hour - time.Duration(w.Now().Nanosecond())), What: "access_token", ClientID: x.client.ClientID},
	}
	if !slices.Equal(effects, want) {
		t.Errorf("effects %+v\nwant %+v", effects, want)
	}
	x.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+w.Shown(12*time.Hour)+`","offset":"12h0m0s"}`)

	// The old token and the upload address have expired.
	expired := x.Status(txID).Want(t, http.StatusUnauthorized)
	if !strings.Contains(expired.Header.Get("Www-Authenticate"), `error="invalid_token"`) {
		t.Errorf("header %v", expired.Header)
	}
	w.Upload(url, "never.txt", []byte("late")).Want(t, http.StatusForbidden, `{"message":"Request has expired"}`)
	x.caller = w.Login(x.client)
	done := x.Status(txID).Want(t, http.StatusOK)
	if done.Text(t, "status") != "Completed" || done.Text(t, "tx_end_time") != w.Shown(6*time.Hour) || done.Get(t, "response_time_secs") != 6*3600.0 {
		t.Errorf("status %s", done.Body)
	}
	one := x.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	for i, at := range []time.Duration{0, time.Hour, 3 * time.Hour, 6 * time.Hour} {
		moment := one.Get(t, "timeline").([]any)[i].(map[string]any)
		if moment["at"] != w.Shown(at) {
			t.Errorf("state %d at %v, want %s", i, moment, w.Shown(at))
		}
	}

	// Another tenant's time stood still.
	if got := other.Status(waiting).Text(t, "status"); got != "Submission_in_progress" {
		t.Errorf("another tenant's submission is %s", got)
	}
	other.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+w.Shown(0)+`","offset":"0s"}`)

	// Days, small steps, and nothing to do.
	x.Advance("2d")
	if effects := x.Advance("1us"); len(effects) != 0 {
		t.Errorf("effects %v", effects)
	}
	x.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+w.Shown(60*time.Hour+time.Microsecond)+`","offset":"60h0m0.000001s"}`)
}

// TestClockInTurns moves one clock from many sides at once: nothing is lost.
func TestClockInTurns(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`)
	txID := x.SubmitFile("a.fail.txt", "hello")
	moved := make(chan servertest.Response)
	for range 5 {
		go func() { moved <- x.Control("POST /clock", `{"advance":"1m"}`) }()
	}
	for range 5 {
		(<-moved).Want(t, http.StatusOK)
	}
	if offset := x.Control("GET /clock", "").Text(t, "offset"); offset != "5m0s" {
		t.Errorf("offset %s", offset)
	}
	if end := x.Status(txID).Text(t, "tx_end_time"); end != w.Shown(3*time.Minute) {
		t.Errorf("end %s", end)
	}
}

// TestClockOfAnotherServer: two servers share a database, one of them does the
// work, the other moves the clock and changes settings.
func TestClockOfAnotherServer(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{}`)
	txID := x.SubmitFile("a.fail.txt", "hello")

	second := *shared
	second.gate = auth.NewGate(w.DB, w.Keys, w.Now)
	second.wake = func() {}
	server := httptest.NewServer(controlRoutes(second))
	t.Cleanup(server.Close)
	here := w.ControlURL
	w.ControlURL = server.URL + route.ControlBase
	effects := x.Advance("1h")
	x.Control("PATCH /settings", `{"status_vocabulary":"polling"}`).Want(t, http.StatusOK)
	w.ControlURL = here

	if len(effects) != 3 || effects[2].At != w.Shown(3500*time.Millisecond) {
		t.Errorf("effects %+v", effects)
	}
	w.Pass(time.Second)
	done := x.Status(txID).Want(t, http.StatusOK)
	if done.Text(t, "tx_end_time") != w.Shown(2500*time.Millisecond) {
		t.Errorf("status %s", done.Body)
	}
}

// TestPolls: status polls alone move a submission, each by exactly one.
func TestPolls(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"polls","per_state":2}}`)
	x.Control("PUT /outcomes", `{"match":{"filename":"servertest.Letter.*"},"status":"Completed"}`).Want(t, http.StatusOK)
	txID := x.SubmitFile("servertest.Letter.txt", "hello")
	if effects := x.Advance("1h"); len(effects) != 0 {
		t.Errorf("moved by time: %v", effects)
	}
	for i, want := range []string{
		"Submission_in_progress", "Scheduled", "Scheduled", "Started", "Started", "Completed", "Completed",
	} {
		if got := x.Status(txID).Want(t, http.StatusOK).Text(t, "status"); got != want {
			t.Fatalf("poll %d: %s, want %s", i+1, got, want)
		}
	}
	x.Do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)

	// Of many polls at once, each counts once.
	x.Control("PATCH /settings", `{"pacing":{"mode":"polls","per_state":3}}`).Want(t, http.StatusOK)
	txID = x.SubmitFile("servertest.Letter.txt", "hello")
	polled := make(chan servertest.Response)
	for range 8 {
		go func() { polled <- x.Status(txID) }()
	}
	seen := map[string]int{}
	for range 8 {
		seen[(<-polled).Want(t, http.StatusOK).Text(t, "status")]++
	}
	if seen["Submission_in_progress"] != 2 || seen["Scheduled"] != 3 || seen["Started"] != 3 {
		t.Errorf("seen %v", seen)
	}
	if got := x.Status(txID).Text(t, "status"); got != "Completed" {
		t.Errorf("ninth poll %s", got)
	}

	// Extra time is the tenant's, even then.
	x.Control("PUT /outcomes", `{"match":{"filename":"later.txt"},"status":"Failed","after":"10m"}`).Want(t, http.StatusOK)
	txID = x.SubmitFile("later.txt", "hello")
	for range 9 {
		x.Status(txID)
	}
	if got := x.Status(txID).Text(t, "status"); got != "Started" {
		t.Errorf("before its time %s", got)
	}
	if effects := x.Advance("1h"); len(effects) != 1 || effects[0].Status != "Failed" || effects[0].At != w.Shown(70*time.Minute) {
		t.Errorf("effects %v", effects)
	}
}
