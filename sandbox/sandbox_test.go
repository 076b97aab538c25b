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

// TestParallelTenants runs the tests below several times in parallel, each with
// a tenant of its own.
func TestParallelTenants(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Run("clock", testClock)
			t.Run("snapshot", testSnapshot)
			t.Run("settings", testSettings)
			t.Run("outcomes", testOutcomes)
			t.Run("faults", testFaults)
			t.Run("webhooks", testWebhooks)
			t.Run("journal", testJournal)
			t.Run("reset", testReset)
		})
	}
}

// getAPI calls the API by GET as the tenant's client.
func getAPI(t *testing.T, s *Sandbox, path string) (status int, body string) {
	t.Helper()
	response, err := s.HTTPClient().Get(s.BaseURL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// statusOf calls the API for the status of the submission, which must exist.
func statusOf(t *testing.T, s *Sandbox, txID string) string {
	t.Helper()
	code, body := getAPI(t, s, "/universal/v2/universal-submit/status/"+txID)
	var content struct{ Status string }
	if code != http.StatusOK || json.Unmarshal([]byte(body), &content) != nil {
		t.Fatalf("status of %s: got %d %s, want 200", txID, code, body)
	}
	return content.Status
}

func checkEqual(t *testing.T, name string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", name, diff)
	}
}

func testClock(t *testing.T) {
	// Nothing is due before the clock is moved, however slow the machine is.
	s := Start(t, WithSettings(Settings{Pacing: Timed(20*time.Second, 10*time.Second, 10*time.Second)}))
	txID := s.Submit("letter.txt", []byte(letter))
	before := s.Now()
	var effects []string
	for _, effect := range s.Advance(time.Minute) {
		if effect.TxID != txID || effect.At.IsZero() {
			t.Errorf("effect: got %+v, want one of %s with a time", effect, txID)
		}
		effects = append(effects, effect.Kind+" "+effect.Status)
	}
	checkEqual(t, "effects", effects, []string{"state Scheduled", "state Started", "state Completed"})
	if passed := s.Now().Sub(before); passed < time.Minute {
		t.Errorf("the clock moved by %v, want at least 1m", passed)
	}
	if event := s.Await("universal_submit:completed", txID, 30*time.Second); event.TxID != txID || event.Kind != "state" {
		t.Errorf("event: got %+v, want a state event of %s", event, txID)
	}
	tx := s.Transaction(txID)
	if tx.Status != Completed || tx.Failure != "" || tx.Size != int64(len(letter)) || len(tx.SHA256) != 64 ||
		tx.UserID != s.UserID || tx.CReportID == "" || !strings.Contains(string(tx.Extraction), "Foxglove") {
		t.Errorf("transaction: unexpected values in %+v", tx)
	}
	if tx.TxEndTime.Sub(tx.TxStartTime) < 3*time.Second || tx.UploadedAt.Before(tx.CreatedAt) {
		t.Errorf("transaction: unexpected times in %+v", tx)
	}
	checkEqual(t, "last state change", tx.Timeline[len(tx.Timeline)-1], StateChange{Completed, tx.TxEndTime})
}

// testSnapshot makes the same submission twice, with the same ids and times.
func testSnapshot(t *testing.T) {
	s := Start(t, WithSettings(Settings{IDSeed: new(int64(7))}))
	newYear := time.Date(time.Now().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	take := func() Transaction {
		s.Freeze()
		s.SetClock(newYear)
		s.UpdateSettings(Settings{Pacing: Timed(time.Second, time.Second, time.Second)})
		txID := s.Submit("letter.txt", []byte(letter))
		checkEqual(t, "number of effects", len(s.Advance(time.Minute)), 3)
		return s.Transaction(txID)
	}
	first := take()
	checkEqual(t, "end", first.TxEndTime, newYear.Add(3*time.Second))
	checkEqual(t, "the frozen clock", s.Now(), newYear.Add(time.Minute))
	s.Reset()
	checkEqual(t, "the second snapshot", take(), first)

	s.Unfreeze()
	s.DeleteTransaction(first.TxID)
	checkEqual(t, "number of transactions", len(s.Transactions("")), 0)
	if !s.Now().After(newYear.Add(time.Minute)) {
		t.Error("the clock does not run")
	}
}

func testSettings(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Polls(2), RateLimit: new(0.5)}), WithPermissions("::data/v2:get"))
	want := Settings{
		Pacing: &Pacing{Mode: "polls", PollsPerState: 2}, StatusVocabulary: "processing",
		TrailingWhitespace: new(false), RateLimit: new(0.5), Webhooks: "send",
		MaxUploadBytes: new(int64(0)), MaxStoredBytes: new(int64(0)), MaxSubmissions: new(int64(0)),
	}
	checkEqual(t, "initial settings", s.Settings(), want)
	want.Pacing, want.RateLimit, want.TrailingWhitespace = Timed(time.Second, 0, time.Hour), new(0.0), new(true)
	want.MaxSubmissions = new(int64(7))
	checkEqual(t, "result of the update", s.UpdateSettings(Settings{
		Pacing: Timed(time.Second, 0, time.Hour), RateLimit: new(0.0), TrailingWhitespace: new(true), MaxSubmissions: new(int64(7)),
	}), want)
	checkEqual(t, "usage", s.Usage(), Usage{})
	checkEqual(t, "settings after the update", s.Settings(), want)
	if code, _ := getAPI(t, s, "/universal/v2/universal-submit/status/none"); code != http.StatusForbidden {
		t.Errorf("call without permission: got %d, want 403", code)
	}
}

func testOutcomes(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	broken := Outcome{Match: Match{Filename: "broken.*"}, Status: Failed, Delay: time.Hour}
	values := Outcome{
		Match:     Match{CompanyName: "Foxglove Bakery LLC"},
		Facts:     map[string]any{"company_name": "Foxglove Bakery LLC", "annual_revenue": "6,216,506.00"},
		Locations: []map[string]any{{"location_city": "Springfield"}},
	}
	s.SetOutcome(broken)
	s.SetOutcome(values)
	outcomes := s.Outcomes()
	for i := range outcomes {
		if outcomes[i].CreatedAt.IsZero() {
			t.Error("CreatedAt is zero")
		}
	}
	s.SetOutcome(outcomes[1]) // SetOutcome accepts what Outcomes returns
	outcomes[0].CreatedAt, outcomes[1].CreatedAt = time.Time{}, time.Time{}
	checkEqual(t, "outcomes", outcomes, []Outcome{values, broken})

	txID := s.Submit("broken.txt", []byte(letter))
	if got := statusOf(t, s, txID); got == Failed {
		t.Error("the submission failed before the outcome's delay")
	}
	s.Advance(2 * time.Hour)
	checkEqual(t, "status", statusOf(t, s, txID), Failed)
	if failed := s.Transactions(Failed); len(failed) != 1 || failed[0].TxID != txID || failed[0].Failure == "" {
		t.Errorf("failed submissions: got %+v, want %s with a reason", failed, txID)
	}

	txID = s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	if code, body := getAPI(t, s, "/data/v2/"+s.CompanyPackageID+"/"+txID+"?idType=transaction"); code != http.StatusOK || !strings.Contains(body, "6,216,506.00") {
		t.Errorf("company data: got %d %s, want the outcome's facts", code, body)
	}
	if code, body := getAPI(t, s, "/data/v2/"+s.LocationPackageID+"/"+txID+"?idType=sov"); code != http.StatusOK || !strings.Contains(body, `"location_city":"Springfield"`) {
		t.Errorf("location data: got %d %s, want the outcome's locations", code, body)
	}
	checkEqual(t, "number of transactions", len(s.Transactions("")), 2)
	if found := s.Transaction(txID); found.Company != "Foxglove Bakery LLC" {
		t.Errorf("company: got %q", found.Company)
	}
	if body := s.Inquiry(2, s.LocationPackageID, txID); !strings.Contains(string(body), `"location_city":"Springfield"`) {
		t.Errorf("inquiry: got %s", body)
	}
	exported := s.TransactionOutcome(txID)
	s.SetOutcome(exported)
	checkEqual(t, "exported revenue", exported.Facts["annual_revenue"], any("6,216,506.00"))
	document := s.Document(txID, 0)
	checkEqual(t, "parts", document.Parts, []DocumentPart{{Name: "letter.txt", Format: "txt"}})
	if len(document.Blocks) == 0 || document.Blocks[0].Place != "letter.txt, line 1" {
		t.Errorf("document: got %+v", document)
	}
	s.RemoveOutcome(exported.Match)
	checkEqual(t, "number of outcomes after RemoveOutcome", len(s.Outcomes()), 2)
	s.ClearOutcomes()
	checkEqual(t, "number of outcomes after ClearOutcomes", len(s.Outcomes()), 0)
}

func testFaults(t *testing.T) {
	s := Start(t)
	txID := s.Submit("letter.txt", []byte(letter))
	path := "/universal/v2/universal-submit/status/" + txID

	added := s.AddFault(Fault{Route: statusRoute, Status: 503, Body: "down", Times: 2, ExpiresIn: time.Hour})
	if added.ID == "" || added.CreatedAt.IsZero() || added.ExpiresAt.Sub(added.CreatedAt) != time.Hour {
		t.Errorf("fault: unexpected values in %+v", added)
	}
	for range 2 {
		if code, body := getAPI(t, s, path); code != 503 || body != "down" {
			t.Errorf("faulty call: got %d %s, want 503 down", code, body)
		}
	}
	statusOf(t, s, txID)
	if faults := s.Faults(); len(faults) != 1 || faults[0].AffectedCalls != 2 || faults[0].MatchedCalls < 2 || faults[0].ID != added.ID {
		t.Errorf("faults: got %+v, want %s with 2 affected calls", faults, added.ID)
	}
	s.RemoveFault(added.ID)

	delaying := s.AddFault(Fault{Route: "*", Delay: 300 * time.Millisecond, Every: 1, Probability: 1, Seed: "7"})
	if delaying.Delay != 300*time.Millisecond || delaying.Seed != "7" || delaying.Probability != 1 || delaying.Every != 1 {
		t.Errorf("fault: unexpected values in %+v", delaying)
	}
	start := time.Now()
	statusOf(t, s, txID)
	if elapsed := time.Since(start); elapsed < delaying.Delay {
		t.Errorf("delayed call took %v, want at least %v", elapsed, delaying.Delay)
	}
	s.ClearFaults()

	s.AddFault(Fault{Route: statusRoute, Drop: true})
	if response, err := s.HTTPClient().Get(s.BaseURL + path); err == nil {
		response.Body.Close()
		t.Errorf("dropped call: got %s, want an error", response.Status)
	}
	s.ClearFaults()
	s.AddFault(Fault{Route: statusRoute, Status: 418, Body: map[string]int{"n": 1}})
	if code, body := getAPI(t, s, path); code != 418 || strings.TrimSpace(body) != `{"n":1}` {
		t.Errorf("call with a JSON body: got %d %s, want 418 {\"n\":1}", code, body)
	}
}

func testWebhooks(t *testing.T) {
	s := Start(t)
	const secret = "s3cret"
	received := make(chan string, 10)
	var status atomic.Int64
	status.Store(http.StatusNoContent)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if r.Header.Get("X-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("invalid signature %q of %s", r.Header.Get("X-Signature"), body)
		}
		received <- r.Header.Get("X-Request-Id")
		w.WriteHeader(int(status.Load()))
	}))
	defer receiver.Close()
	response, err := s.HTTPClient().Post(s.BaseURL+"/hooks", "application/json", strings.NewReader(
		`{"url":"`+receiver.URL+`","active":true,"events":["*"],"secret":"`+secret+`"}`))
	if err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("create subscription: %v, %v", err, response)
	}
	response.Body.Close()

	fired := s.FireEvent("claims:opened", map[string]any{"n": 1})
	eventID := <-received
	checkEqual(t, "fired event", fired, FiredEvent{EventID: eventID, Subscriptions: 1})
	first := s.Await("delivery", "", time.Minute)
	deliveries := s.Deliveries()
	if len(deliveries) != 1 || deliveries[0].Event != "claims:opened" || deliveries[0].EventID != eventID || deliveries[0].URL != receiver.URL ||
		deliveries[0].State != "delivered" || !strings.Contains(deliveries[0].Body, `"data":{"n":1}`) {
		t.Fatalf("deliveries: got %+v, want claims:opened delivered once", deliveries)
	}
	if attempts := deliveries[0].Attempts; len(attempts) != 1 || attempts[0].Status != 204 || attempts[0].Number != 1 || attempts[0].At.IsZero() || attempts[0].RequestID != deliveries[0].RequestID {
		t.Errorf("attempts: got %+v, want one with status 204", attempts)
	}
	redelivery := s.Redeliver(deliveries[0].RequestID)
	checkEqual(t, "event ID of the redelivery", <-received, eventID)
	second := s.AwaitAfter(first.Cursor, "delivery", "", time.Minute)
	if !strings.Contains(string(second.Data), redelivery) {
		t.Errorf("second delivery: got %s, want it to contain %s", second.Data, redelivery)
	}

	status.Store(http.StatusTeapot)
	s.FireEvent("claims:closed", nil)
	s.AwaitAfter(second.Cursor, "delivery", "", time.Minute)
	<-received
	status.Store(http.StatusNoContent)
	var retries []int
	for _, effect := range s.Advance(24 * time.Hour) {
		if effect.Kind == "delivery" {
			retries = append(retries, effect.Attempt.Status)
		}
	}
	checkEqual(t, "retries while the clock moved", retries, []int{204})
	if found := s.Findings(); len(found) != 1 || found[0].Rule != "webhook-not-accepted" || found[0].Count != 1 || len(found[0].Evidence) != 1 || found[0].Advice == "" {
		t.Errorf("findings: got %+v, want webhook-not-accepted once", found)
	}
}

func testJournal(t *testing.T) {
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	start := s.Now()
	txID := s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	statusOf(t, s, txID)
	s.Advance(13 * time.Hour)
	statusOf(t, s, txID) // with a new token; not too soon, because the clock was moved
	statusOf(t, s, txID) // too soon after the previous call

	var routes []string
	for _, call := range s.Requests(RequestFilter{Since: start, Status: "2xx"}) {
		routes = append(routes, call.Route)
	}
	checkEqual(t, "routes", routes, []string{
		statusRoute, statusRoute, "POST /auth/token", statusRoute,
		"POST /universal/v2/universal-submit/file/{tx_id}", "PUT /file-transfer/upload-file",
		"POST /universal/v2/universal-submit/file-upload-url", "POST /auth/token",
	})
	uploads := s.Requests(RequestFilter{Method: "PUT", TxID: txID})
	if len(uploads) != 1 || uploads[0].Request.File == nil || uploads[0].Request.File.Name != "letter.txt" || uploads[0].Request.Size != int64(len(letter)) {
		t.Fatalf("uploads: got %+v, want one of letter.txt", uploads)
	}
	polls := s.Requests(RequestFilter{Route: statusRoute, Limit: 1, Until: s.Now()})
	if len(polls) != 1 || polls[0].Status != 200 || polls[0].ClientID != s.ClientID || !strings.Contains(polls[0].Response.Body, txID) {
		t.Fatalf("status calls: got %+v, want one of %s", polls, txID)
	}
	checkEqual(t, "call by ID", s.Request(polls[0].ID), polls[0])
	checkEqual(t, "number of calls with status 503", len(s.Requests(RequestFilter{Status: "503"})), 0)
	found := s.Findings()
	if len(found) != 1 || found[0].Rule != "polling-too-fast" || found[0].Count != 1 || found[0].Message == "" || found[0].Advice == "" {
		t.Fatalf("findings: got %+v, want polling-too-fast once", found)
	}
	checkEqual(t, "route of the evidence", s.Request(found[0].Evidence[0]).Route, statusRoute)
}

func testReset(t *testing.T) {
	s := Start(t)
	token := s.Token()
	s.Submit("letter.txt", []byte(letter))
	s.AddFault(Fault{Route: "*"})
	s.Advance(30 * 24 * time.Hour)
	s.Reset()
	checkEqual(t, "number of transactions", len(s.Transactions("")), 0)
	checkEqual(t, "number of faults", len(s.Faults()), 0)
	if ahead := time.Until(s.Now()); ahead > time.Hour {
		t.Errorf("the clock is %v ahead of real time, want it reset", ahead)
	}
	request, _ := http.NewRequest(http.MethodGet, s.BaseURL+"/universal/v2/universal-submit/status/none", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("x-api-key", s.APIKey)
	response, err := s.HTTPClient().Do(request)
	if err != nil || response.StatusCode != http.StatusNotFound {
		t.Fatalf("call with a token issued before Reset: got %v, %v, want 404", err, response)
	}
	response.Body.Close()
}
