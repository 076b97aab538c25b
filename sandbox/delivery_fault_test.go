package sandbox

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDeliveryFault delivers an event under a fault that duplicates it and drops a
// response.
func TestDeliveryFault(t *testing.T) {
	t.Parallel()
	s := Start(t)
	received := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received <- r.Header.Get("X-Request-Id") }))
	defer receiver.Close()
	response, err := s.HTTPClient().Post(s.BaseURL+"/hooks", "application/json", strings.NewReader(`{"url":"`+receiver.URL+`","active":true,"events":["claims"]}`))
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("create subscription: %v, %v", err, response)
	}
	response.Body.Close()

	want := Fault{Delivery: "claims:opened", Duplicate: 1, Drop: true, Delay: time.Hour, Times: 1}
	got := s.AddFault(want)
	want.ID, want.CreatedAt = got.ID, got.CreatedAt
	checkEqual(t, "added fault", got, want)
	fired := s.FireEvent("claims:opened", nil)
	s.Advance(2 * time.Hour)
	for range 3 {
		checkEqual(t, "received event", <-received, fired.EventID)
	}
	var faults []string
	for _, delivery := range s.Deliveries() {
		for _, attempt := range delivery.Attempts {
			faults = append(faults, strings.Join(attempt.Faults, " ")+attempt.Failure)
		}
	}
	slices.Sort(faults)
	checkEqual(t, "faults of the attempts", faults, []string{"", "duplicate", "duplicate delay dropfault"})
	if found := s.Faults(); len(found) != 1 || found[0].AffectedCalls != 1 {
		t.Errorf("faults: got %+v, want one that has affected one delivery", found)
	}
}
