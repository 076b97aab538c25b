package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const letter = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"

const statusRoute = "GET /universal/v2/universal-submit/status/{tx_id}"

// TestTenants has several tests use all there is at a time, each in a tenant of
// its own.
func TestTenants(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Run("clock", testClock)
			t.Run("settings", testSettings)
			t.Run("outcomes", testOutcomes)
			t.Run("faults", testFaults)
			t.Run("webhooks", testWebhooks)
			t.Run("journal", testJournal)
			t.Run("reset", testReset)
		})
	}
}

// read is the API's answer to a call of the tenant's client.
func read(t *testing.T, s *Sandbox, path string) (status int, body string) {
	t.Helper()
	got, err := s.HTTPClient().Get(s.BaseURL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

func statusOf(t *testing.T, s *Sandbox, txID string) string {
	t.Helper()
	code, body := read(t, s, "/universal/v2/universal-submit/status/"+txID)
	var told struct{ Status string }
	if code != http.StatusOK || json.Unmarshal([]byte(body), &told) != nil {
		t.Fatalf("%d %s", code, body)
	}
	return told.Status
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", what, diff)
	}
}

func testClock(t *testing.T) {
	s := Start(t)
	txID := s.Submit("letter.txt", []byte(letter))
	before := s.Now()
	var told []string
	for _, effect := range s.Advance(time.Minute) {
		if effect.TxID != txID || effect.At.IsZero() {
			t.Errorf("effect: %+v", effect)
		}
		told = append(told, effect.Kind+" "+effect.Status)
	}
	equal(t, "effects", told, []string{"state Scheduled", "state Started", "state Completed"})
	if passed := s.Now().Sub(before); passed < time.Minute {
		t.Errorf("%v passed", passed)
	}
	if event := s.Await("universal_submit:completed", txID, 30*time.Second); event.TxID != txID || event.Kind != "state" {
		t.Errorf("event: %+v", event)
	}
	kept := s.Transaction(txID)
	if kept.Status != Completed || kept.Failure != "" || kept.Size != int64(len(letter)) || len(kept.SHA256) != 64 ||
		kept.UserID != s.UserID || kept.CReportID == "" || !strings.Contains(string(kept.Extraction), "Foxglove") {
		t.Errorf("transaction: %+v", kept)
	}
	if kept.TxEndTime.Sub(kept.TxStartTime) < 3*time.Second || kept.UploadedAt.Before(kept.CreatedAt) {
		t.Errorf("times: %+v", kept)
	}
	equal(t, "last of the timeline", kept.Timeline[len(kept.Timeline)-1], Moment{Completed, kept.TxEndTime})
}

func testSettings(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Polls(2), RateLimit: new(0.5)}), WithPermissions("::data/v2:get"))
	want := Settings{
		Pacing: &Pacing{Mode: "polls", PerState: 2}, StatusVocabulary: "processing",
		TrailingWhitespace: new(false), RateLimit: new(0.5), Webhooks: "send",
	}
	equal(t, "as made", s.Settings(), want)
	want.Pacing, want.RateLimit, want.TrailingWhitespace = Timed(time.Second, 0, time.Hour), new(0.0), new(true)
	equal(t, "as changed", s.ChangeSettings(Settings{
		Pacing: Timed(time.Second, 0, time.Hour), RateLimit: new(0.0), TrailingWhitespace: new(true),
	}), want)
	equal(t, "as kept", s.Settings(), want)
	if code, _ := read(t, s, "/universal/v2/universal-submit/status/none"); code != http.StatusForbidden {
		t.Errorf("without the permission: %d", code)
	}
}

func testOutcomes(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	broken := Outcome{Match: Match{Filename: "broken.*"}, Status: Failed, After: time.Hour}
	made := Outcome{
		Match:     Match{CompanyName: "Foxglove Bakery LLC"},
		Facts:     map[string]any{"annual_revenue": "6,216,506.00"},
		Locations: []map[string]any{{"location_city": "Springfield"}},
	}
	s.SetOutcome(broken)
	s.SetOutcome(made)
	kept := s.Outcomes()
	for i := range kept {
		if kept[i].CreatedAt.IsZero() {
			t.Error("no time of making")
		}
	}
	again := kept[1]
	s.SetOutcome(again) // what was read can be put
	kept[0].CreatedAt, kept[1].CreatedAt = time.Time{}, time.Time{}
	equal(t, "outcomes", kept, []Outcome{made, broken})

	txID := s.Submit("broken.txt", []byte(letter))
	if got := statusOf(t, s, txID); got == Failed {
		t.Error("it failed before its time")
	}
	s.Advance(2 * time.Hour)
	equal(t, "status", statusOf(t, s, txID), Failed)
	if failed := s.Transactions(Failed); len(failed) != 1 || failed[0].TxID != txID || failed[0].Failure == "" {
		t.Errorf("failed: %+v", failed)
	}

	txID = s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	if code, body := read(t, s, "/data/v2/"+s.CompanyPackage+"/"+txID+"?idType=transaction"); code != http.StatusOK || !strings.Contains(body, "6,216,506.00") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := read(t, s, "/data/v2/"+s.LocationPackage+"/"+txID+"?idType=sov"); code != http.StatusOK || !strings.Contains(body, `"location_city":"Springfield"`) {
		t.Errorf("%d %s", code, body)
	}
	equal(t, "transactions", len(s.Transactions("")), 2)
	s.DropOutcomes()
	equal(t, "outcomes", len(s.Outcomes()), 0)
}

func testFaults(t *testing.T) {
	s := Start(t)
	txID := s.Submit("letter.txt", []byte(letter))
	path := "/universal/v2/universal-submit/status/" + txID

	made := s.Fault(Fault{Route: statusRoute, Status: 503, Body: "down", Times: 2, Expires: time.Hour})
	if made.ID == "" || made.CreatedAt.IsZero() || made.ExpiresAt.Sub(made.CreatedAt) != time.Hour {
		t.Errorf("fault: %+v", made)
	}
	for range 2 {
		if code, body := read(t, s, path); code != 503 || body != "down" {
			t.Errorf("%d %s", code, body)
		}
	}
	statusOf(t, s, txID)
	if kept := s.Faults(); len(kept) != 1 || kept[0].Acted != 2 || kept[0].Calls < 2 || kept[0].ID != made.ID {
		t.Errorf("faults: %+v", kept)
	}
	s.EndFault(made.ID)

	again := s.Fault(Fault{Route: "*", Delay: 300 * time.Millisecond, Every: 1, Probability: 1, Seed: "7"})
	if again.Delay != 300*time.Millisecond || again.Seed != "7" || again.Probability != 1 || again.Every != 1 {
		t.Errorf("fault: %+v", again)
	}
	begun := time.Now()
	statusOf(t, s, txID)
	if took := time.Since(begun); took < again.Delay {
		t.Errorf("it took %v", took)
	}
	s.EndFaults()

	s.Fault(Fault{Route: statusRoute, Drop: true})
	if got, err := s.HTTPClient().Get(s.BaseURL + path); err == nil {
		got.Body.Close()
		t.Errorf("answered: %s", got.Status)
	}
	s.EndFaults()
	s.Fault(Fault{Route: statusRoute, Status: 418, Body: map[string]int{"n": 1}})
	if code, body := read(t, s, path); code != 418 || strings.TrimSpace(body) != `{"n":1}` {
		t.Errorf("%d %s", code, body)
	}
}

func testWebhooks(t *testing.T) {
	s := Start(t)
	const secret = "s3cret"
	taken := make(chan string, 10)
	var answer atomic.Int64
	answer.Store(http.StatusNoContent)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if r.Header.Get("X-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signature %q of %s", r.Header.Get("X-Signature"), body)
		}
		taken <- r.Header.Get("X-Request-Id")
		w.WriteHeader(int(answer.Load()))
	}))
	defer receiver.Close()
	subscribed, err := s.HTTPClient().Post(s.BaseURL+"/hooks", "application/json", strings.NewReader(
		`{"url":"`+receiver.URL+`","active":true,"events":["*"],"secret":"`+secret+`"}`))
	if err != nil || subscribed.StatusCode/100 != 2 {
		t.Fatal(err, subscribed)
	}
	subscribed.Body.Close()

	s.FireEvent("claims:opened", map[string]any{"n": 1})
	eventID := <-taken
	first := s.Await("delivery", "", time.Minute)
	sent := s.Deliveries()
	if len(sent) != 1 || sent[0].Event != "claims:opened" || sent[0].EventID != eventID || sent[0].URL != receiver.URL ||
		sent[0].State != "delivered" || !strings.Contains(sent[0].Body, `"data":{"n":1}`) {
		t.Fatalf("deliveries: %+v", sent)
	}
	if tried := sent[0].Attempts; len(tried) != 1 || tried[0].Status != 204 || tried[0].Attempt != 1 || tried[0].At.IsZero() || tried[0].RequestID != sent[0].RequestID {
		t.Errorf("attempts: %+v", tried)
	}
	again := s.Redeliver(sent[0].RequestID)
	equal(t, "the event's id", <-taken, eventID)
	second := s.AwaitAfter(first.Cursor, "delivery", "", time.Minute)
	if !strings.Contains(string(second.Data), again) {
		t.Errorf("redelivery %s: %s", again, second.Data)
	}

	answer.Store(http.StatusTeapot)
	s.FireEvent("claims:closed", nil)
	s.AwaitAfter(second.Cursor, "delivery", "", time.Minute)
	<-taken
	answer.Store(http.StatusNoContent)
	var tried []int
	for _, effect := range s.Advance(24 * time.Hour) {
		if effect.Kind == "delivery" {
			tried = append(tried, effect.Delivery.Status)
		}
	}
	equal(t, "attempts as time passes", tried, []int{204})
	if found := s.Findings(); len(found) != 1 || found[0].Rule != "webhook-not-accepted" || found[0].Count != 1 || len(found[0].Evidence) != 1 || found[0].Advice == "" {
		t.Errorf("findings: %+v", found)
	}
}

func testJournal(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	begun := s.Now()
	txID := s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	statusOf(t, s, txID)
	s.Advance(13 * time.Hour)
	statusOf(t, s, txID) // with a new token
	statusOf(t, s, txID) // too soon; the one before was not, the clock was moved

	var routes []string
	for _, call := range s.Requests(Filter{Since: begun, Status: "2xx"}) {
		routes = append(routes, call.Route)
	}
	equal(t, "routes", routes, []string{
		statusRoute, statusRoute, "POST /auth/token", statusRoute,
		"POST /universal/v2/universal-submit/file/{tx_id}", "PUT /file-transfer/upload-file",
		"POST /universal/v2/universal-submit/file-upload-url", "POST /auth/token",
	})
	uploads := s.Requests(Filter{Method: "PUT", TxID: txID})
	if len(uploads) != 1 || uploads[0].Request.File == nil || uploads[0].Request.File.Name != "letter.txt" || uploads[0].Request.Size != int64(len(letter)) {
		t.Fatalf("uploads: %+v", uploads)
	}
	polls := s.Requests(Filter{Route: statusRoute, Limit: 1, Until: s.Now()})
	if len(polls) != 1 || polls[0].Status != 200 || polls[0].ClientID != s.ClientID || !strings.Contains(polls[0].Response.Body, txID) {
		t.Fatalf("polls: %+v", polls)
	}
	equal(t, "one call", s.Request(polls[0].ID), polls[0])
	equal(t, "none", len(s.Requests(Filter{Status: "503"})), 0)
	found := s.Findings()
	if len(found) != 1 || found[0].Rule != "polling-too-fast" || found[0].Count != 1 || found[0].Message == "" || found[0].Advice == "" {
		t.Fatalf("findings: %+v", found)
	}
	equal(t, "evidence", s.Request(found[0].Evidence[0]).Route, statusRoute)
}

func testReset(t *testing.T) {
	s := Start(t)
	made := s.Token()
	s.Submit("letter.txt", []byte(letter))
	s.Fault(Fault{Route: "*"})
	s.Advance(30 * 24 * time.Hour)
	s.Reset()
	equal(t, "transactions", len(s.Transactions("")), 0)
	equal(t, "faults", len(s.Faults()), 0)
	if ahead := time.Until(s.Now()); ahead > time.Hour {
		t.Errorf("the clock is %v ahead", ahead)
	}
	r, _ := http.NewRequest(http.MethodGet, s.BaseURL+"/universal/v2/universal-submit/status/none", nil)
	r.Header.Set("Authorization", "Bearer "+made)
	r.Header.Set("x-api-key", s.APIKey)
	got, err := s.HTTPClient().Do(r)
	if err != nil || got.StatusCode != http.StatusNotFound {
		t.Fatal(err, got)
	}
	got.Body.Close()
}
