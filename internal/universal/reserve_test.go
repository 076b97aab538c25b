package universal

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/worker"
)

// TestWorkOfABusyTenantIsClaimedNext checks that the server claims again when a document of a
// tenant is finished, if the last claim skipped a submission of this tenant because it used its
// share, and only then.
func TestWorkOfABusyTenantIsClaimedNext(t *testing.T) {
	t.Parallel()
	db, busy := newTenant(t)
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	workers := worker.NewPool(5, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return at }, Share: 1}
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
		p.schedule.Take(at)
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

// TestLookCostIsIndependentOfLaterWork checks that a look for due submissions reads few pages
// while many are due later, as those of a frozen clock are.
func TestLookCostIsIndependentOfLaterWork(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	insertSubmission(t, db, tenantID, Started)
	if _, err := db.Exec(t.Context(), `
		insert into submissions (tx_id, tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from, status, started_at, due_at, object_key, size, sha256, uploaded_at)
		select gen_random_uuid(), tenant_id, user_id, filename, search, created_at, upload_expires_at, aged_from, status, started_at,
			due_at + n * interval '1 second', object_key, size, sha256, uploaded_at
		from submissions, generate_series(1, 30000) n`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "vacuum analyze submissions"); err != nil {
		t.Fatal(err)
	}
	before := at.Add(-time.Second)
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := db.QueryRow(t.Context(), "explain (analyze, buffers, format json)"+dueStatement, pgx.StrictNamedArgs{"now": before, "except": nil}).Scan(&plans); err != nil {
		t.Fatal(err)
	}
	if pages := plans[0].Plan.Hit + plans[0].Plan.Read; pages > 30 {
		t.Errorf("a look reads %d pages, want at most 30", pages)
	}
	for now, want := range map[time.Time]bool{before: false, at: true} {
		if due, err := isDue(t.Context(), db, now); err != nil || due != want {
			t.Errorf("due at %s: %t, %v, want %t", now, due, err, want)
		}
	}
}

// TestLeaseOfTriggerBeginsWithItsClaim checks that a trigger that claims a submission starts the
// lease after its wait for the tenant, not before.
func TestLeaseOfTriggerBeginsWithItsClaim(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	workers := worker.NewPool(1, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	claimedAt := at.Add(10 * time.Second)
	p := &Processor{Workers: workers, Now: func() time.Time { return claimedAt }, Share: 1}
	p.setReserving(t.Context(), true)
	txID := insertSubmission(t, db, tenantID, Pending)
	caller := auth.Caller{TenantID: tenantID, Settings: auth.Settings{Pacing: auth.Pacing{Mode: "immediate"}}}
	_, work, err := startProcessing(t.Context(), db, at, caller, submission{TxID: txID, TenantID: tenantID, Filename: "a.txt", Status: Pending}, p)
	if err != nil || len(work.Process) != 1 || work.Process[0].claim == nil {
		t.Fatalf("got work %+v (%v), want a claimed submission", work, err)
	}
	p.unreserve(tenantID)
	if lease := storagetest.QueryValue[time.Time](t, db, "select lease_until from submissions"); !lease.Equal(claimedAt.Add(leaseDuration)) {
		t.Errorf("the lease ends at %v, want it to begin at %v", lease, claimedAt)
	}
}
