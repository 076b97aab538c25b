package universal

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/worker"
)

// TestSlowTenantsLeaveWorkerProcesses checks that tenants with slow documents together use at most
// half of the worker processes, and that one of them alone is not restricted.
func TestSlowTenantsLeaveWorkerProcesses(t *testing.T) {
	t.Parallel()
	db, first := newTenant(t)
	second, quick := uuid.New(), uuid.New()
	for name, id := range map[string]uuid.UUID{"second": second, "quick": quick} {
		if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, $2, $3)", id, name, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []uuid.UUID{first, first, first, second, second, second} {
		insertSubmission(t, db, id, Started)
	}
	workers := worker.NewPool(5, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	now := at
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return now }, Share: 2, base: t.Context(), reserving: true}
	p.slow.Mark(first, now, slowFor)
	p.slow.Mark(second, now.Add(time.Second), slowFor)
	claim := func(want map[uuid.UUID]int) {
		t.Helper()
		works, err := p.claim(t.Context(), 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := map[uuid.UUID]int{}
		for _, work := range works {
			got[work.TenantID]++
		}
		for id, n := range want {
			if got[id] != n {
				t.Errorf("%d submissions of %s claimed, want %d", got[id], id, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	}
	claim(map[uuid.UUID]int{first: 2})
	if p.waiting = false; p.reserve(second) {
		t.Error("a worker process was reserved for a second slow tenant")
	}
	if !p.reserve(quick) {
		t.Error("no worker process was reserved for a quick tenant")
	}
	p.unreserve(quick)
	insertSubmission(t, db, quick, Started)
	claim(map[uuid.UUID]int{quick: 1})
	p.end(first)
	claim(map[uuid.UUID]int{second: 1})
	p.end(first)
	p.end(second)
	claim(map[uuid.UUID]int{first: 1, second: 1})
	now = now.Add(slowFor + time.Second)
	if slow := p.slowTenants(); len(slow) > 0 {
		t.Errorf("%v never stop being slow", slow)
	}
}

// TestTenantsLeaveWorkerProcesses checks that tenants get a second worker process only while less than half of them are in
// use, so that a few tenants do not occupy all of them.
func TestTenantsLeaveWorkerProcesses(t *testing.T) {
	t.Parallel()
	db, first := newTenant(t)
	tenants := []uuid.UUID{first, uuid.New(), uuid.New(), uuid.New()}
	for _, id := range tenants[1:] {
		if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, $2, $3)", id, id.String(), at); err != nil {
			t.Fatal(err)
		}
	}
	workers := worker.NewPool(6, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return at }, Share: 2, base: t.Context(), reserving: true}
	claim := func(want ...int) { // the number of submissions of each tenant that are claimed
		t.Helper()
		works, err := p.claim(t.Context(), 6, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, len(tenants))
		for _, work := range works {
			got[slices.Index(tenants, work.TenantID)]++
		}
		if !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	}
	for range 3 {
		insertSubmission(t, db, tenants[0], Started)
	}
	claim(2, 0, 0, 0)
	for range 3 {
		insertSubmission(t, db, tenants[1], Started)
		insertSubmission(t, db, tenants[2], Started)
	}
	claim(0, 1, 1, 0)
	if !p.waiting {
		t.Error("no submission waits")
	}
	if p.waiting = false; p.reserve(tenants[1]) {
		t.Error("a second worker process was reserved")
	}
	if !p.reserve(tenants[3]) {
		t.Error("no first worker process was reserved")
	}
	p.end(tenants[0])
	p.end(tenants[3])
	p.end(tenants[2])
	claim(0, 0, 1, 0) // half of the processes are in use again
}

// TestSlowDocumentsAreStopped checks that slow documents are stopped if their worker processes are needed, all
// processes are in use, and slow documents use more than half of them, and that only the surplus is stopped.
func TestSlowDocumentsAreStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Processor{Now: time.Now, Workers: worker.NewPool(4, 0, worker.Limits{}), waiting: true}
		defer p.Workers.Close()
		var needed atomic.Bool
		var contexts []context.Context
		var stops []func()
		for range 4 {
			tenantID := uuid.New()
			p.count(tenantID)
			p.claimed++
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			stops = append(stops, p.watchSpeed(tenantID, needed.Load, cancel))
			contexts = append(contexts, ctx)
		}
		stopped := func() (n int) {
			for _, ctx := range contexts {
				if errors.Is(context.Cause(ctx), errPreempted) {
					n++
				}
			}
			return n
		}
		time.Sleep(slowDocument + preemptInterval/2)
		synctest.Wait()
		if n := stopped(); n > 0 {
			t.Errorf("%d documents were stopped while none of their worker processes was needed", n)
		}
		needed.Store(true)
		time.Sleep(10 * preemptInterval)
		synctest.Wait()
		counted := func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.preempted
		}
		if n := stopped(); n != 2 || counted() != 2 {
			t.Errorf("%d of four slow documents were stopped, %d are counted, want 2", n, counted())
		}
		for _, stop := range stops {
			stop()
		}
		if n := counted(); n != 0 {
			t.Errorf("%d documents count as stopped after all have ended", n)
		}
	})
}

// TestWorkersAreNeededForOtherTenants checks that the worker process of a slow document is needed only if a submission of a
// tenant without slow documents waits.
func TestWorkersAreNeededForOtherTenants(t *testing.T) {
	t.Parallel()
	db, slow := newTenant(t)
	other := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'other', $2)", other, at); err != nil {
		t.Fatal(err)
	}
	workers := worker.NewPool(2, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return at }, claimed: 2, waiting: true}
	p.count(slow)
	p.count(slow)
	p.slow.Mark(slow, at, slowFor)
	check := func(want bool, why string) {
		t.Helper()
		if got := p.needsWorker(); got != want {
			t.Errorf("%s: needsWorker returned %t", why, got)
		}
	}
	check(false, "nothing waits")
	insertSubmission(t, db, slow, Started)
	check(false, "only a submission of the slow tenant waits")
	insertSubmission(t, db, other, Started)
	check(true, "a submission of another tenant waits")
	p.preempted = 1
	check(false, "a document was stopped already")
}

// TestTenantsTakeTurns checks that tenants take turns if there is only one worker process: a document waits for one
// document of each other tenant, but not for their backlogs.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	db, first := newTenant(t)
	tenants := []uuid.UUID{first, uuid.New(), uuid.New()}
	for _, id := range tenants[1:] {
		if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, $2, $3)", id, id.String(), at); err != nil {
			t.Fatal(err)
		}
	}
	workers := worker.NewPool(1, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return at }, Share: 1, base: t.Context(), reserving: true}
	claim := func(want int) { // the index of the tenant of the submission that is claimed
		t.Helper()
		works, err := p.claim(t.Context(), 1, 1)
		if err != nil || len(works) != 1 {
			t.Fatalf("claimed %+v, %v, want one submission", works, err)
		}
		if got := slices.Index(tenants, works[0].TenantID); got != want {
			t.Errorf("a submission of tenant %d was claimed, want one of tenant %d", got, want)
		}
		p.end(works[0].TenantID)
	}
	for range 6 {
		insertSubmission(t, db, tenants[0], Started)
	}
	if _, err := db.Exec(t.Context(), "update submissions set due_at = due_at - interval '1 minute'"); err != nil {
		t.Fatal(err)
	}
	claim(0)
	for range 3 {
		insertSubmission(t, db, tenants[1], Started)
	}
	claim(1)
	if p.reserve(tenants[0]) || p.reserve(tenants[2]) {
		t.Error("a worker process was reserved while other submissions wait")
	}
	insertSubmission(t, db, tenants[2], Started)
	claim(2)
	claim(0)
	claim(1)
	claim(0)
}

// TestSlowTenantsTakeTurns checks that slow tenants take turns if they share one worker process,
// so that the backlog of one does not occupy it.
func TestSlowTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	db, first := newTenant(t)
	second := uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'second', $2)", second, at); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		insertSubmission(t, db, first, Started)
		insertSubmission(t, db, second, Started)
	}
	workers := worker.NewPool(2, 0, worker.Limits{})
	t.Cleanup(workers.Close)
	p := &Processor{DB: db, Workers: workers, Now: func() time.Time { return at }, Share: 1}
	p.slow.Mark(first, at, slowFor)
	p.slow.Mark(second, at, slowFor)
	claimed := map[uuid.UUID]int{}
	for range 4 {
		works, err := p.claim(t.Context(), 2, 1)
		if err != nil || len(works) != 1 {
			t.Fatalf("claimed %+v, %v, want one submission", works, err)
		}
		claimed[works[0].TenantID]++
		p.end(works[0].TenantID)
	}
	if claimed[first] != 2 || claimed[second] != 2 {
		t.Errorf("claimed %v, want two of each", claimed)
	}
}

// TestSlowDocumentsAreNoticed checks that a document makes its tenant slow while it is read, and
// that a quick one does not.
func TestSlowDocumentsAreNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Processor{Now: time.Now, Workers: worker.NewPool(2, 0, worker.Limits{})}
		defer p.Workers.Close()
		quick, slow := uuid.New(), uuid.New()
		stop := p.watchSpeed(quick, nil, nil)
		stopSlow := p.watchSpeed(slow, func() bool { return false }, nil)
		time.Sleep(slowDocument - time.Millisecond)
		stop()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if p.slow.Has(quick, time.Now()) || !p.slow.Has(slow, time.Now()) {
			t.Errorf("slow tenants: %v, want %s", p.slow.Tenants(time.Now()), slow)
		}
		stopSlow()
		time.Sleep(slowFor)
		if p.slow.Has(slow, time.Now()) {
			t.Error("the tenant never stops being slow")
		}
	})
}
