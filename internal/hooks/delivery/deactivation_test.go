package delivery_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestDeactivation checks that a deactivated subscription receives nothing: neither
// retries nor new events, not even those of that time once it is active again.
func TestDeactivation(t *testing.T) {
	servertest.Proves(t, "Events: 2 stops with active false")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	var succeeds atomic.Bool
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !succeeds.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	witness := servertest.NewReceiver(t)
	hookID := acme.Subscribe(receiver.URL)
	acme.Subscribe(witness.URL)
	s.Publish("acme", "a:first") // fails, and is to be retried
	receiver.Await(t, 1)
	acme.Do("PATCH /hooks/"+hookID, `{"active":false}`).Want(t, 200)
	s.Publish("acme", "a:inactive")
	witness.Await(t, 2)
	acme.Do("PATCH /hooks/"+hookID, `{"active":true}`).Want(t, 200)
	succeeds.Store(true)
	pass(s, time.Hour)
	s.Publish("acme", "a:after")
	receiver.Await(t, 2)
	servertest.Until(t, "the retry is dropped", func() bool { return s.CountDeliveries("dropped") == 1 })
	awaitDelivered(s, 4)
	if all := receiver.Received(); len(all) != 2 || all[1].Header.Get("X-Emperor-Event") != "a:after" {
		t.Errorf("%d deliveries, the last of %s, want 2, the last of a:after", len(all), all[len(all)-1].Header.Get("X-Emperor-Event"))
	}
	acme.Do("PATCH /hooks/"+hookID, `{"active":false}`).Want(t, 200)
	newest := acme.HookRequests(hookID)[0]["id"].(string)
	acme.Do("POST /hooks/"+hookID+"/requests/"+newest+"/redeliver", "").Want(t, 422, `{"active":["subscription is not active"]}`)
}

// TestDeactivationDropsWaitingDeliveries deactivates a subscription while
// deliveries wait: a second later none starts.
func TestDeactivationDropsWaitingDeliveries(t *testing.T) {
	servertest.Proves(t,
		"Events: 2 stops with active false",
		"Chosen, events and delivery: a deactivation stops deliveries within 1 s")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	release := make(chan struct{})
	receiver := servertest.NewReceiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	hookID := acme.Subscribe(receiver.URL)
	s.Publish("acme", repeated("a:many", 300)...)
	receiver.Await(t, 8)
	acme.Do("PUT /hooks/"+hookID, `{"active":false}`).Want(t, 200)
	s.Pass(time.Second)
	close(release)
	servertest.Until(t, "none is pending", func() bool { return s.CountDeliveries("pending") == 0 })
	if sent, dropped := len(receiver.Received()), s.CountDeliveries("dropped"); sent != 8 || dropped != 292 {
		t.Errorf("%d deliveries sent, %d dropped, want 8 and 292", sent, dropped)
	}
}

// TestChangeOfSubscription changes the URL of a subscription between events. Each event
// is sent to the URL that is set at that time.
func TestChangeOfSubscription(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: a changed subscription applies to the next attempt")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	receivers := []*servertest.Receiver{servertest.NewReceiver(t), servertest.NewReceiver(t)}
	hookID := acme.Subscribe(receivers[0].URL)
	for i := range 6 {
		to := receivers[i%2]
		acme.Do("PATCH /hooks/"+hookID, fmt.Sprintf(`{"url":%q}`, to.URL)).Want(t, 200)
		s.Publish("acme", fmt.Sprintf("a:event-%d", i))
		to.Await(t, i/2+1)
	}
	for i, receiver := range receivers {
		for n, got := range receiver.Received() {
			if name, want := got.Header.Get("X-Emperor-Event"), fmt.Sprintf("a:event-%d", 2*n+i); name != want {
				t.Errorf("receiver %d: %s, want %s", i, name, want)
			}
		}
	}
}
