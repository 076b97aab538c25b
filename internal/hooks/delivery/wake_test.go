package delivery_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestDispatchersWakeEachOther runs two dispatchers that do not poll. The one that
// is woken by the publisher finds nothing due, since its clock is an hour behind:
// so the delivery is made because it wakes the other one.
func TestDispatchersWakeEachOther(t *testing.T) {
	s := servertest.New(t)
	receiver := servertest.NewReceiver(t)
	s.Acme().Subscribe(receiver.URL)
	type server struct {
		clock      *servertest.Clock
		dispatcher *hooks.Dispatcher
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	start := func() server {
		clock := servertest.NewClock(s.Now())
		dispatcher := hooks.NewDispatcher(s.DB, storagetest.Environment, s.App.Seal, s.App.Sender, nil, clock.Now)
		dispatcher.DisablePolling()
		running.Go(func() {
			if err := dispatcher.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		return server{clock, dispatcher}
	}
	one, two := start(), start()
	delivered := 0
	for range 3 { // the first delivery could be found when the other one begins to listen
		for _, behind := range []server{one, two} {
			behind.clock.Advance(-time.Hour)
			s.Publish("acme", "a:b")
			behind.dispatcher.Wake()
			delivered++
			receiver.Await(t, delivered)
			awaitDelivered(s, delivered)
			behind.clock.Advance(time.Hour)
		}
	}
}
