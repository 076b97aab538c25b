package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestAdvanceClockRetriesDeliveries checks that an advance of a clock makes every
// retry of a delivery that becomes due, and returns the attempts as effects. The
// feed shows them too, and a reset deletes the subscriptions.
func TestAdvanceClockRetriesDeliveries(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, clock: it moves tokens, upload URLs, stages and retries")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if received.Add(1) < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(receiver.Close)
	hookID := tenant.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["universal_submit:completed"]}`).
		Want(t, http.StatusCreated).Text(t, "id")
	tenant.AwaitEnd(tenant.SubmitFile("letter.txt", []byte("Named Insured: Foxglove Bakery LLC\n")))
	attempts := 0
	for _, effect := range append(tenant.Advance("1s"), tenant.Advance("10m")...) {
		if effect.Kind == "delivery" {
			attempts++
		}
	}
	// The first attempt may have been made before the clock was advanced.
	if n := received.Load(); n != 3 || attempts < 2 || attempts > 3 {
		t.Errorf("%d deliveries received, %d in the effects, want 3 and 2 or 3", n, attempts)
	}
	requests := tenant.Do("GET /hooks/"+hookID+"/requests", "").Want(t, http.StatusOK).Body
	if !strings.Contains(requests, `"response_status":200`) {
		t.Errorf("requests %s", requests)
	}
	entry := tenant.Control("GET /await?event=delivery", "").Want(t, http.StatusOK)
	if entry.Text(t, "data", "hook_id") != hookID || entry.Get(t, "data", "status") != 502.0 {
		t.Errorf("first feed entry %s", entry.Body)
	}
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	tenant.Do("GET /hooks", "").Want(t, http.StatusOK, "[]")
}
