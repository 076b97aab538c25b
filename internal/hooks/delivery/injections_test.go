package delivery_test

import (
	"context"
	"slices"
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

// TestResetDeletesDuplicates deletes a delivery, as a reset does, while its duplicates are
// being stored: they are not stored.
func TestResetDeletesDuplicates(t *testing.T) {
	s := servertest.New(t)
	s.Acme().Subscribe(servertest.NewReceiver(t).URL)
	deletions := make(chan pgx.Tx, 1)
	faults := func(_ context.Context, _ uuid.UUID, targets []hooks.FaultTarget) ([]hooks.DeliveryFaults, error) {
		deletions <- s.Lock("delete from deliveries")
		return slices.Repeat([]hooks.DeliveryFaults{{Duplicates: 1}}, len(targets)), nil
	}
	dispatcher := hooks.NewDispatcher(s.DB, storagetest.Environment, s.App.Seal, s.App.Sender, faults, s.Now)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := dispatcher.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	s.Publish("acme", "a:b")
	deletion := <-deletions
	servertest.Until(t, "the statement that stores the duplicates waits for the deletion", func() bool {
		return servertest.Value[int](s, `
			select count(*)
			from pg_stat_activity
			where datname = current_database()
			and wait_event_type = 'Lock'
			and query like '%insert into deliveries%'`) == 1
	})
	if err := deletion.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	servertest.Until(t, "no statement waits", func() bool {
		return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 0
	})
	stop()
	running.Wait()
	if n := servertest.Value[int](s, "select count(*) from deliveries"); n > 0 {
		t.Errorf("%d duplicates were stored", n)
	}
}
