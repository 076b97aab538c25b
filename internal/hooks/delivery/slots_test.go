package delivery_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// hangingReceiver counts the calls that it holds until release is closed.
type hangingReceiver struct {
	*servertest.Receiver
	held, maxHeld atomic.Int64
	release       chan struct{}
}

// newHangingReceiver returns a receiver that holds every call, except those to
// /prompt.
func newHangingReceiver(t *testing.T) *hangingReceiver {
	r := &hangingReceiver{release: make(chan struct{})}
	r.Receiver = servertest.NewReceiver(t, func(_ http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/prompt" {
			return
		}
		n := r.held.Add(1)
		for most := r.maxHeld.Load(); n > most && !r.maxHeld.CompareAndSwap(most, n); most = r.maxHeld.Load() {
		}
		defer r.held.Add(-1)
		<-r.release
	})
	return r
}

// TestSlotsOfHangingReceiver checks that a receiver which hangs has 8 deliveries in
// flight, and does not delay another receiver.
func TestSlotsOfHangingReceiver(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: a receiver that hangs takes 8 slots, and others have theirs")
	s := servertest.New(t, responseTimeout(time.Minute))
	acme := s.Acme()
	s.RunDispatcher()
	hanging, prompt := newHangingReceiver(t), servertest.NewReceiver(t)
	acme.Subscribe(hanging.URL, `"events":["bad"]`)
	acme.Subscribe(prompt.URL, `"events":["good"]`)
	s.Publish("acme", repeated("bad:one", 100)...)
	servertest.Until(t, "the slots are used", func() bool { return hanging.held.Load() == 8 })
	for i := range 200 {
		s.Publish("acme", "good:one")
		prompt.Await(t, i+1)
	}
	close(hanging.release)
	awaitDelivered(s, 300)
	if n := hanging.maxHeld.Load(); n != 8 {
		t.Errorf("%d deliveries to a receiver were in flight, want 8", n)
	}
}

// TestSlotsOfSharedReceiver checks that three subscriptions which use all slots of a
// receiver do not delay a fourth one to the same receiver.
func TestSlotsOfSharedReceiver(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: a receiver that hangs takes 8 slots, and others have theirs")
	s := servertest.New(t, responseTimeout(time.Minute))
	acme := s.Acme()
	s.RunDispatcher()
	receiver := newHangingReceiver(t)
	var events []string
	for i := range 3 {
		event := fmt.Sprintf("bad:%d", i)
		acme.Subscribe(fmt.Sprintf("%s/%d", receiver.URL, i), `"events":["`+event+`"]`)
		events = append(events, repeated(event, 50)...)
	}
	acme.Subscribe(receiver.URL+"/prompt", `"events":["good"]`)
	s.Publish("acme", events...)
	servertest.Until(t, "the slots are used", func() bool { return receiver.held.Load() >= 8 })
	for i := range 100 {
		s.Publish("acme", "good:one")
		awaitDelivered(s, i+1)
	}
	close(receiver.release)
	awaitDelivered(s, 250)
	if n := receiver.maxHeld.Load(); n > 10 {
		t.Errorf("%d deliveries to a receiver were in flight, want 8 and one for each further subscription", n)
	}
}

// TestURLChangesWhileReceiverHangs checks that waiting deliveries are sent to the
// new URL of their subscription.
func TestURLChangesWhileReceiverHangs(t *testing.T) {
	s := servertest.New(t, responseTimeout(time.Minute))
	acme := s.Acme()
	s.RunDispatcher()
	hanging, prompt := newHangingReceiver(t), servertest.NewReceiver(t)
	hookID := acme.Subscribe(hanging.URL)
	s.Publish("acme", repeated("a:b", 50)...)
	hanging.Await(t, 8)
	acme.Do("PATCH /hooks/"+hookID, `{"url":"`+prompt.URL+`"}`).Want(t, 200)
	s.Pass(time.Second)
	prompt.Await(t, 42)
	if n := len(hanging.Received()); n != 8 {
		t.Errorf("%d deliveries went to the old receiver, want 8", n)
	}
	close(hanging.release)
	awaitDelivered(s, 50)
}
