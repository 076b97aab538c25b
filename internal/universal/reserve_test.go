package universal

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/worker"
)

// TestWorkOfABusyTenantIsClaimedNext checks that the end of a document makes the server claim
// again if a claim has passed over a submission of its tenant, which used its share, and not
// if it has passed over none.
func TestWorkOfABusyTenantIsClaimedNext(t *testing.T) {
	t.Parallel()
	db, busy := newTenant(t)
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	p := &Processor{DB: db, Now: func() time.Time { return at }, Share: 1}
	for _, c := range []struct {
		waits bool
		want  int
	}{{true, 1}, {false, 0}} {
		p.count(busy)
		if c.waits {
			insertSubmission(t, db, busy, Started)
		}
		want := insertSubmission(t, db, other, Started)
		works, err := p.claim(t.Context(), 5, 1)
		if err != nil || len(works) != 1 || works[0].TxID != want {
			t.Fatalf("claimed %+v, %v, want the submission of the other tenant", works, err)
		}
		p.leave(busy)
		if due := p.schedule.Take(at); due != c.want {
			t.Errorf("a submission waits: %t: %d due times after a document has ended, want %d", c.waits, due, c.want)
		}
		p.end(other)
		if _, err := db.Exec(t.Context(), "delete from submissions"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReservationsLeaveWorkToOthers checks that a worker process is reserved for a trigger
// only while the server processes submissions, if one is free, if the tenant does not use its
// share, and if no other submission waits.
func TestReservationsLeaveWorkToOthers(t *testing.T) {
	t.Parallel()
	workers := worker.NewPool(3, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{Workers: workers, Now: func() time.Time { return at }, Share: 2}
	first, second, third := uuid.New(), uuid.New(), uuid.New()
	check := func(tenantID uuid.UUID, want bool, why string) {
		t.Helper()
		if got := p.reserve(tenantID); got != want {
			t.Errorf("%s: reserved: %t", why, got)
		}
	}
	check(first, false, "the step does not run")
	p.setReserving(t.Context(), true)
	check(first, true, "all are free")
	check(first, true, "below the share")
	check(first, false, "the tenant uses its share")
	check(second, true, "one is free")
	check(third, false, "none is free")
	p.unreserve(first)
	p.waiting = true
	check(third, false, "others wait")
	p.unreserve(second)
	if due := p.schedule.Take(at); due != 1 {
		t.Errorf("%d claims for those that wait, want 1", due)
	}
	p.unreserve(first)
	p.running.Wait()
	if p.claimed != 0 || len(p.inFlight) != 0 {
		t.Errorf("%d worker processes are still reserved, for %v", p.claimed, p.inFlight)
	}
}
