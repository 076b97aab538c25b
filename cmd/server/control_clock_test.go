package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
)

// TestClock moves twelve hours in one call: everything on the way happens at
// its own moment, and what was good for less is not good any more.
func TestClock(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	x.ask("PUT /outcomes", `{"match":{"filename":"*"},"status":"Completed"}`).want(t, http.StatusOK)
	txID := x.send("letter.txt", "hello")
	unused, url := x.announce("never.txt")
	slow := x.send("letter.slow.txt", "hello")
	other := w.tenant(`{}`)
	waiting := other.send("letter.txt", "hello")

	effects := x.advance("12h")
	want := []effect{
		{Kind: "expired", At: w.shown(5 * time.Minute), TxID: unused, What: "upload_url"},
		{Kind: "state", At: w.shown(time.Hour), TxID: txID, Status: "Scheduled"},
		{Kind: "state", At: w.shown(3 * time.Hour), TxID: txID, Status: "Started"},
		{Kind: "state", At: w.shown(6 * time.Hour), TxID: txID, Status: "Completed"},
		{Kind: "state", At: w.shown(10 * time.Hour), TxID: slow, Status: "Scheduled"},
		// Tokens tell their expiry in whole seconds.
		{Kind: "expired", At: w.shown(12*time.Hour - time.Duration(w.Now().Nanosecond())), What: "access_token", ClientID: x.client.ClientID},
	}
	if !slices.Equal(effects, want) {
		t.Errorf("effects %+v\nwant %+v", effects, want)
	}
	x.ask("GET /clock", "").want(t, http.StatusOK, `{"now":"`+w.shown(12*time.Hour)+`","offset":"12h0m0s"}`)

	// The old token and the upload address have expired.
	expired := x.status(txID).want(t, http.StatusUnauthorized)
	if !strings.Contains(expired.Header.Get("Www-Authenticate"), `error="invalid_token"`) {
		t.Errorf("header %v", expired.Header)
	}
	w.upload(url, "never.txt", []byte("late")).want(t, http.StatusForbidden, `{"message":"Request has expired"}`)
	x.caller = w.login(x.client)
	done := x.status(txID).want(t, http.StatusOK)
	if done.text(t, "status") != "Completed" || done.text(t, "tx_end_time") != w.shown(6*time.Hour) || done.get(t, "response_time_secs") != 6*3600.0 {
		t.Errorf("status %s", done.Body)
	}
	one := x.ask("GET /transactions/"+txID, "").want(t, http.StatusOK)
	for i, at := range []time.Duration{0, time.Hour, 3 * time.Hour, 6 * time.Hour} {
		moment := one.get(t, "timeline").([]any)[i].(map[string]any)
		if moment["at"] != w.shown(at) {
			t.Errorf("state %d at %v, want %s", i, moment, w.shown(at))
		}
	}

	// Another tenant's time stood still.
	if got := other.status(waiting).text(t, "status"); got != "Submission_in_progress" {
		t.Errorf("another tenant's submission is %s", got)
	}
	other.ask("GET /clock", "").want(t, http.StatusOK, `{"now":"`+w.shown(0)+`","offset":"0s"}`)

	// Days, small steps, and nothing to do.
	x.advance("2d")
	if effects := x.advance("1us"); len(effects) != 0 {
		t.Errorf("effects %v", effects)
	}
	x.ask("GET /clock", "").want(t, http.StatusOK, `{"now":"`+w.shown(60*time.Hour+time.Microsecond)+`","offset":"60h0m0.000001s"}`)
}

// TestClockInTurns moves one clock from many sides at once: nothing is lost.
func TestClockInTurns(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"1m"}}`)
	txID := x.send("a.fail.txt", "hello")
	moved := make(chan answer)
	for range 5 {
		go func() { moved <- x.ask("POST /clock", `{"advance":"1m"}`) }()
	}
	for range 5 {
		(<-moved).want(t, http.StatusOK)
	}
	if offset := x.ask("GET /clock", "").text(t, "offset"); offset != "5m0s" {
		t.Errorf("offset %s", offset)
	}
	if end := x.status(txID).text(t, "tx_end_time"); end != w.shown(3*time.Minute) {
		t.Errorf("end %s", end)
	}
}

// TestClockOfAnotherServer: two servers share a database, one of them does the
// work, the other moves the clock and changes settings.
func TestClockOfAnotherServer(t *testing.T) {
	var shared *parts
	w := newControlWorld(t, func(p *parts) { shared = p })
	x := w.tenant(`{}`)
	txID := x.send("a.fail.txt", "hello")

	second := *shared
	second.gate = auth.NewGate(w.db, w.keys, w.Now)
	second.wake = func() {}
	server := httptest.NewServer(controlRoutes(second))
	t.Cleanup(server.Close)
	here := w.controlURL
	w.controlURL = server.URL + controlBase
	effects := x.advance("1h")
	x.ask("PATCH /settings", `{"status_vocabulary":"polling"}`).want(t, http.StatusOK)
	w.controlURL = here

	if len(effects) != 3 || effects[2].At != w.shown(3500*time.Millisecond) {
		t.Errorf("effects %+v", effects)
	}
	w.pass(time.Second)
	done := x.status(txID).want(t, http.StatusOK)
	if done.text(t, "tx_end_time") != w.shown(2500*time.Millisecond) {
		t.Errorf("status %s", done.Body)
	}
}

// TestPolls: status polls alone move a submission, each by exactly one.
func TestPolls(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{"pacing":{"mode":"polls","per_state":2}}`)
	x.ask("PUT /outcomes", `{"match":{"filename":"letter.*"},"status":"Completed"}`).want(t, http.StatusOK)
	txID := x.send("letter.txt", "hello")
	if effects := x.advance("1h"); len(effects) != 0 {
		t.Errorf("moved by time: %v", effects)
	}
	for i, want := range []string{
		"Submission_in_progress", "Scheduled", "Scheduled", "Started", "Started", "Completed", "Completed",
	} {
		if got := x.status(txID).want(t, http.StatusOK).text(t, "status"); got != want {
			t.Fatalf("poll %d: %s, want %s", i+1, got, want)
		}
	}
	x.do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").want(t, http.StatusOK)

	// Of many polls at once, each counts once.
	x.ask("PATCH /settings", `{"pacing":{"mode":"polls","per_state":3}}`).want(t, http.StatusOK)
	txID = x.send("letter.txt", "hello")
	polled := make(chan answer)
	for range 8 {
		go func() { polled <- x.status(txID) }()
	}
	seen := map[string]int{}
	for range 8 {
		seen[(<-polled).want(t, http.StatusOK).text(t, "status")]++
	}
	if seen["Submission_in_progress"] != 2 || seen["Scheduled"] != 3 || seen["Started"] != 3 {
		t.Errorf("seen %v", seen)
	}
	if got := x.status(txID).text(t, "status"); got != "Completed" {
		t.Errorf("ninth poll %s", got)
	}

	// Extra time is the tenant's, even then.
	x.ask("PUT /outcomes", `{"match":{"filename":"later.txt"},"status":"Failed","after":"10m"}`).want(t, http.StatusOK)
	txID = x.send("later.txt", "hello")
	for range 9 {
		x.status(txID)
	}
	if got := x.status(txID).text(t, "status"); got != "Started" {
		t.Errorf("before its time %s", got)
	}
	if effects := x.advance("1h"); len(effects) != 1 || effects[0].Status != "Failed" || effects[0].At != w.shown(70*time.Minute) {
		t.Errorf("effects %v", effects)
	}
}
