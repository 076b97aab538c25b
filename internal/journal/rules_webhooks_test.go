package journal_test

import (
	"net/http"
	"slices"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestPublishedEventsAreNoFinding checks that the emulator publishes exactly the
// documented events, and that a subscription to any of them is no finding.
func TestPublishedEventsAreNoFinding(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: the events that the service publishes itself")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"webhooks":"collect","pacing":{"mode":"immediate"}}`)
	tenant.Subscribe("http://127.0.0.1:9")
	for _, filename := range []string{"letter.txt", "letter.fail.txt"} {
		tenant.AwaitEnd(tenant.Submit(filename, []byte("Insured: Foxglove Bakery LLC\n")))
	}
	tenant.Do(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`).Want(t, http.StatusOK)
	var events []string
	for _, d := range tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Get(t, "deliveries").([]any) {
		events = append(events, d.(map[string]any)["event"].(string))
	}
	slices.Sort(events)
	want := []string{
		"company_submit:completed", "universal_submit:completed", "universal_submit:failed",
		"universal_submit:scheduled", "universal_submit:started", "universal_submit:submission_in_progress",
	}
	if events = slices.Compact(events); !slices.Equal(events, want) {
		t.Errorf("events %v, want %v", events, want)
	}

	subscriber := s.NewTenant(`{}`)
	for _, event := range append(want, "hook:test", "application_form:any", "quote_request:any", "question_set:any", "carrier:any") {
		subscriber.Do("POST /hooks", `{"url":"http://127.0.0.1:9","events":["`+event+`"]}`).Want(t, http.StatusCreated)
	}
	if found := findings(subscriber); len(found) != 0 {
		t.Errorf("findings %v, want none", found)
	}
	// A subscription to an event that was fired by hand is no finding from then on.
	id := subscriber.Subscribe("http://127.0.0.1:9", `"events":["claims"]`)
	if found := findings(subscriber); len(found) != 1 || !slices.Equal(found["webhook-unknown-event"], []string{id}) {
		t.Errorf("findings %v, want webhook-unknown-event of %s", found, id)
	}
	subscriber.Control("POST /events", `{"event":"claims:opened"}`).Want(t, http.StatusOK)
	if _, ok := findings(subscriber)["webhook-unknown-event"]; ok {
		t.Error("a subscription to an event that was fired is a finding")
	}
}
