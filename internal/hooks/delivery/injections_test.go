package delivery_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestFaultsOfOneTenantDelayNoOther delivers the events of a tenant while the selection of
// another tenant's faults is blocked, and the other tenant's events after that. A dispatcher
// that stops during the selection releases the deliveries.
func TestFaultsOfOneTenantDelayNoOther(t *testing.T) {
	s := servertest.New(t)
	slow, other := servertest.NewReceiver(t), servertest.NewReceiver(t)
	s.Acme().Subscribe(slow.URL)
	s.Globex().Subscribe(other.URL)
	acme := s.TenantID("acme")
	selecting := make(chan struct{}, 100)
	start := func(released chan struct{}) (stop func()) {
		ctx, cancel := context.WithCancel(context.Background())
		faults := func(ctx context.Context, tenantID uuid.UUID, targets []hooks.FaultTarget) ([]hooks.DeliveryFaults, error) {
			if tenantID != acme {
				return nil, nil
			}
			selecting <- struct{}{}
			select {
			case <-released:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			selected := make([]hooks.DeliveryFaults, len(targets))
			for i := range selected {
				selected[i].Truncate = targets[i].Event == "a:truncated"
			}
			return selected, nil
		}
		dispatcher := hooks.NewDispatcher(s.DB, storagetest.Environment, s.App.Seal, s.App.Sender, faults, s.Now)
		var running sync.WaitGroup
		running.Go(func() {
			if err := dispatcher.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		stop = sync.OnceFunc(func() {
			cancel()
			running.Wait()
		})
		t.Cleanup(stop)
		return stop
	}
	stop := start(nil)
	s.Publish("acme", "a:first", "a:truncated")
	<-selecting
	s.Publish("acme", "a:second") // comes after the deliveries whose faults are being selected
	for n := range 3 {
		s.Publish("globex", "a:b")
		other.Await(t, n+1)
	}
	stop()
	if n := servertest.Value[int](s, "select count(*) from deliveries where state = 'pending' and attempt = 0 and lease_until is null"); n != 3 {
		t.Errorf("%d deliveries are released, want 3", n)
	}
	if n := len(slow.Received()); n > 0 {
		t.Errorf("%d deliveries were sent before their faults were selected", n)
	}
	released := make(chan struct{})
	close(released)
	start(released)
	slow.Await(t, 3)
}

// TestFaultsOfLockedDeliveries locks a delivery while its faults are selected, as a reset does. The
// faults are stored when the lock is released, and other deliveries do not wait for it. If the
// reset deletes the delivery, no duplicate of it is stored.
func TestFaultsOfLockedDeliveries(t *testing.T) {
	for _, test := range []struct {
		name, lock string
		faults     hooks.DeliveryFaults
		sent       int
	}{
		{"duplicates", "select from deliveries for update", hooks.DeliveryFaults{Duplicates: 1}, 2},
		{"wrong signature", "select from deliveries for update", hooks.DeliveryFaults{WrongSignature: true}, 1},
		{"deleted", "delete from deliveries", hooks.DeliveryFaults{Duplicates: 1}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := servertest.New(t)
			s.Acme().Subscribe(servertest.NewReceiver(t).URL)
			locks, passed := make(chan pgx.Tx, 1), make(chan struct{})
			first := sync.OnceFunc(func() { locks <- s.Lock(test.lock) })
			second := sync.OnceFunc(func() { close(passed) })
			faults := func(_ context.Context, _ uuid.UUID, targets []hooks.FaultTarget) ([]hooks.DeliveryFaults, error) {
				first()
				selected := make([]hooks.DeliveryFaults, len(targets))
				for i, target := range targets {
					if target.Event == "a:faulty" {
						selected[i] = test.faults
					} else {
						second()
					}
				}
				return selected, nil
			}
			ctx, stop := context.WithCancel(context.Background())
			var running sync.WaitGroup
			running.Go(func() {
				dispatcher := hooks.NewDispatcher(s.DB, storagetest.Environment, s.App.Seal, s.App.Sender, faults, s.Now)
				if err := dispatcher.Run(ctx); err != nil {
					t.Error(err)
				}
			})
			t.Cleanup(func() {
				stop()
				running.Wait()
			})
			s.Publish("acme", "a:faulty")
			lock := <-locks
			s.Publish("acme", "a:other")
			<-passed // the faults of the locked delivery were selected, but not stored
			if test.sent == 0 {
				if err := lock.Commit(ctx); err != nil {
					t.Fatal(err)
				}
			} else if err := lock.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
			servertest.Until(t, "the faulty deliveries have been sent", func() bool {
				return servertest.Value[int](s, `
					select count(*)
					from attempts a
					join deliveries d on d.id = delivery_id
					where event = 'a:faulty'
					and a.faults <> '{}'`) == test.sent
			})
			stop()
			running.Wait()
			if n := servertest.Value[int](s, "select count(*) from deliveries where event = 'a:faulty'"); n != test.sent {
				t.Errorf("%d faulty deliveries are stored, want %d", n, test.sent)
			}
		})
	}
}
