package control_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

const newYear = "2027-01-01T00:00:00.000000+00:00"

// TestSetClock checks that {"set":…} moves the clock forward to a time, that work that
// becomes due on the way is done, and that the clock is never moved back.
func TestSetClock(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, clock: set, and never back")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Completed"}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("letter.txt", []byte("hello"))

	effects := tenant.MoveClock(`{"set":"2027-01-01T01:00:00+01:00"}`)
	var states []string
	for _, effect := range effects {
		if effect.Kind == "state" {
			states = append(states, effect.Status+" "+effect.At)
		}
	}
	want := []string{"Scheduled " + s.Shown(time.Hour), "Started " + s.Shown(3*time.Hour), "Completed " + s.Shown(6*time.Hour)}
	if !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	clock := tenant.Control("GET /clock", "").Want(t, http.StatusOK)
	if clock.Text(t, "now") != newYear || clock.Get(t, "frozen") != false {
		t.Errorf("clock %s", clock.Body)
	}
	tenant.Client = s.Login(tenant.Credentials)
	if end := tenant.Status(txID).Text(t, "tx_end_time"); end != want[2][len("Completed "):] {
		t.Errorf("tx_end_time %s, want %s", end, want[2])
	}

	// The clock runs on, and is never set back.
	s.Pass(time.Minute)
	tenant.Control("POST /clock", `{"set":"2027-01-01T00:00:00Z"}`).Want(t, http.StatusConflict,
		`{"message":"set: the clock shows 2027-01-01T00:01:00.000000+00:00 and is never moved back; a reset of the tenant restores real time"}`)
	tenant.MoveClock(`{"set":"2027-01-01T00:01:00Z"}`)
	if now := tenant.Control("GET /clock", "").Text(t, "now"); now != "2027-01-01T00:01:00.000000+00:00" {
		t.Errorf("now %s", now)
	}
	for body, message := range map[string]string{
		`{}`:                   "advance: want at least one of advance, set and frozen",
		`{"set":"2028-01-01"}`: "set: want a time such as 2027-01-01T00:00:00Z",
		`{"set":null}`:         "set: want a time such as 2027-01-01T00:00:00Z",
		`{"frozen":"yes"}`:     "frozen: want true or false",
		`{"frozen":null}`:      "frozen: want true or false",
		`{"set":"2028-01-01T00:00:00Z","advance":"1h"}`: "set: want either advance or set, not both",
		`{"set":"2099-01-01T00:00:00Z"}`:                "set: the clock can be at most 87840h0m0s ahead of real time",
		`{"set":"9999-12-31T23:59:59Z"}`:                "set: the clock can be at most 87840h0m0s ahead of real time",
		`{"advance":"87840h"}`:                          "advance: the clock can be at most 87840h0m0s ahead of real time",
		`{"advance":"100000h"}`:                         "advance: want at most 87840h0m0s",
	} {
		tenant.Control("POST /clock", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
}

// TestFrozenClock checks that real time does not pass for a tenant with
// {"frozen":true}, and that its work is done when the clock is advanced, each at its
// own time.
func TestFrozenClock(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, clock: frozen")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Completed"}`).Want(t, http.StatusOK)
	other := s.NewTenant(`{}`)
	before := tenant.SubmitFile("before.txt", []byte("hello"))
	s.Pass(30 * time.Minute)
	if effects := tenant.MoveClock(`{"set":"2027-01-01T00:00:00Z","frozen":true}`); len(effects) == 0 || effects[0].At != s.Shown(30*time.Minute) {
		t.Errorf("effects %v", effects)
	}
	tenant.Client = s.Login(tenant.Credentials)
	txID := tenant.SubmitFile("frozen.txt", []byte("hello"))
	unused, uploadURL := tenant.Announce("later.txt")

	// After days of real time no state has changed, and neither the upload URL nor the
	// token has expired.
	s.Pass(72 * time.Hour)
	s.Upload(uploadURL, "later.txt", []byte("late")).Want(t, http.StatusOK)
	if status := tenant.Status(txID).Want(t, http.StatusOK); status.Text(t, "status") != "Submission_in_progress" || status.Text(t, "tx_start_time") != newYear {
		t.Errorf("status %s", status.Body)
	}
	tenant.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+newYear+`","offset":"`+untilNewYear(s)+`","frozen":true}`)
	if tenant.Status(before).Text(t, "status") != "Completed" || tenant.Control("GET /transactions/"+unused, "").Text(t, "uploaded_at") != newYear {
		t.Error("the submission of before, or the upload, is not as expected")
	}
	if call := tenant.Control("GET /requests?limit=1", "").Get(t, "requests").([]any)[0].(map[string]any); call["at"] != newYear {
		t.Errorf("a call of the tenant with the frozen clock has the time %s", call["at"])
	}

	// In two advances, each state is reached at its own time, however much real time
	// passes.
	var states []string
	for _, by := range []string{"90m", "5h"} {
		for _, effect := range tenant.Advance(by) {
			if effect.Kind == "state" {
				states = append(states, effect.Status+" "+effect.At)
			}
		}
		s.Pass(24 * time.Hour)
	}
	want := []string{
		"Scheduled 2027-01-01T01:00:00.000000+00:00", "Started 2027-01-01T03:00:00.000000+00:00", "Completed 2027-01-01T06:00:00.000000+00:00",
	}
	if !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}

	// A clock that is let run continues from the time that it shows, and so do due
	// times.
	tenant.Control("PATCH /settings", `{"pacing":{"mode":"timed","scheduled":"1h","started":"1h","finished":"1h"}}`).Want(t, http.StatusOK)
	txID = tenant.SubmitFile("run.txt", []byte("hello"))
	s.Pass(5 * time.Hour)
	tenant.MoveClock(`{"frozen":false}`)
	if now := tenant.Control("GET /clock", "").Text(t, "now"); now != "2027-01-01T06:30:00.000000+00:00" {
		t.Errorf("the clock continues from %s", now)
	}
	s.Pass(3 * time.Hour)
	tenant.AwaitEnd(txID)
	if end := tenant.Status(txID).Text(t, "tx_end_time"); end[:19] != "2027-01-01T09:30:00" {
		t.Errorf("tx_end_time %s", end)
	}
	if now := other.Control("GET /clock", "").Text(t, "now"); now != s.Shown(0) {
		t.Errorf("the clock of another tenant shows %s", now)
	}

	tenant.MoveClock(`{"frozen":true}`)
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	tenant.Control("GET /clock", "").Want(t, http.StatusOK, `{"now":"`+s.Shown(0)+`","offset":"0s","frozen":false}`)
}

// TestFrozenClockOfDeliveries checks that deliveries of a tenant with a frozen clock are
// sent, but that their retries wait for its clock.
func TestFrozenClockOfDeliveries(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, clock: frozen")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if received.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(receiver.Close)
	tenant.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["universal_submit:completed"]}`).Want(t, http.StatusCreated)
	tenant.MoveClock(`{"frozen":true}`)
	s.Pass(time.Hour)
	tenant.AwaitEnd(tenant.SubmitFile("letter.txt", []byte("Named Insured: Foxglove Bakery LLC\n")))
	tenant.Control("GET /await?event=delivery", "").Want(t, http.StatusOK)
	s.Pass(24 * time.Hour)
	if effects := tenant.MoveClock(`{"frozen":true}`); len(effects) > 0 || received.Load() != 1 {
		t.Errorf("after real time has passed: effects %v and %d deliveries", effects, received.Load())
	}
	effects := tenant.Advance("1m")
	if len(effects) != 1 || effects[0].Kind != "delivery" || received.Load() != 2 {
		t.Errorf("effects %v, %d deliveries, want the retry", effects, received.Load())
	}
	if body := tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Body; !strings.Contains(body, `"state":"delivered"`) {
		t.Errorf("deliveries %s", body)
	}

	// A fault's delay waits for the clock too.
	tenant.Fault(`{"delivery":"*","delay":"1h","times":1}`)
	tenant.Control("POST /events", `{"event":"universal_submit:completed"}`).Want(t, http.StatusOK)
	servertest.Until(t, "the delivery is delayed", func() bool {
		return servertest.Value[int](s, "select count(*) from deliveries where due_at > $1", s.Now().Add(50*365*24*time.Hour)) == 1
	})
	s.Pass(24 * time.Hour)
	if effects := tenant.MoveClock(`{"frozen":true}`); len(effects) > 0 || received.Load() != 2 {
		t.Errorf("after real time has passed: effects %v and %d deliveries", effects, received.Load())
	}
	if effects := tenant.Advance("1h"); len(effects) != 1 || received.Load() != 3 {
		t.Errorf("effects %v, %d deliveries, want the delayed one", effects, received.Load())
	}
}

// untilNewYear returns the offset of a clock that shows the new year.
func untilNewYear(s *servertest.Server) string {
	return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Sub(s.Now()).String()
}

// TestClockIsFrozenAtItsTime checks that a clock which one call freezes and sets stops at
// exactly the given time, although real time passes during the call.
func TestClockIsFrozenAtItsTime(t *testing.T) {
	s := servertest.New(t, servertest.Background, servertest.RealClock)
	tenant := s.NewTenant(`{}`)
	at := time.Now().UTC().Add(1000 * time.Hour).Truncate(time.Hour)
	moved := tenant.Control("POST /clock", `{"set":"`+at.Format(time.RFC3339)+`","frozen":true}`).Want(t, http.StatusOK)
	clock := tenant.Control("GET /clock", "").Want(t, http.StatusOK)
	want := at.Format("2006-01-02T15:04:05.000000-07:00")
	if moved.Text(t, "now") != want || clock.Text(t, "now") != want {
		t.Errorf("the clock shows %s, then %s, want %s", moved.Text(t, "now"), clock.Text(t, "now"), want)
	}
}

// TestClockOfAnotherServer freezes a clock at one server. Just afterwards, another
// server, which still has the running clock in its cache, triggers a submission. The
// frozen clock must be used.
func TestClockOfAnotherServer(t *testing.T) {
	s := servertest.New(t)
	for _, pacing := range []string{`{"mode":"timed","scheduled":"1s","started":"1s","finished":"1s"}`, `{"mode":"polls","per_state":1}`} {
		tenant := s.NewTenant(`{"pacing":` + pacing + `}`)
		other := servertest.Client{Server: s.Replica(), Token: tenant.Token, Key: tenant.Key}
		txID, url := other.Announce("a.txt")
		other.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		frozen := s.Shown(0)
		tenant.MoveClock(`{"frozen":true}`)
		s.Pass(200 * time.Millisecond)
		if start := other.Trigger(txID).Want(t, http.StatusOK).Text(t, "tx_start_time"); start != frozen {
			t.Errorf("%s: tx_start_time %s, want %s", pacing, start, frozen)
		}
		s.Pass(10 * time.Second)
		s.Work()
		if got := s.Timeline(txID); got != "Submission_in_progress" {
			t.Errorf("%s: timeline %s, want only Submission_in_progress: the clock is frozen", pacing, got)
		}
	}
}
