package universal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

const (
	leaseDuration = 15 * time.Second // once it has passed without renewal, any server can claim the submission
	renewInterval = 5 * time.Second
	errorPause    = 5 * time.Second // before the retry of an attempt that ended in an error of ours
	// maxLostAttempts is the number of servers that may die while they process a
	// document before the document fails. Servers are killed for other reasons,
	// repeatedly in some tests, and that must not fail a good document.
	maxLostAttempts = 50
)

// claimed is a submission that this server has claimed in order to process it.
type claimed struct {
	TxID         uuid.UUID
	TenantID     uuid.UUID
	Filename     string
	ObjectKey    string
	Size         int64
	SHA256       []byte
	DueAt        time.Time
	Attempt      int
	OpenAttempts int           // attempts that have not ended, including this one
	Crashes      int           // worker processes that have crashed on the file
	Postponed    time.Duration // how much later it is due because of an outcome

	Traceparent    *string    // the span of the trigger
	StoreAwaySince *time.Time // real time since which the object store has been away

	auth.Clock     // of the tenant, when it was claimed
	Waiting    int // due submissions of the tenant that the claim found, at most maxCandidates
}

// claim claims due submissions, at most the given number. The first ones are those that
// have been due for the longest time, of the tenants with the fewest documents in flight on
// this server. It skips tenants that already use their share. So a document waits for other
// documents of its tenant, but not for the backlogs of other tenants. If it claims fewer
// than are due, the others may wait for a document in flight. The caller must call end for
// each when it has been processed.
func (p *Processor) claim(ctx context.Context, most, due int) ([]claimed, error) {
	// Only one claim runs at a time in this server, so that no tenant exceeds its
	// share.
	p.mu.Lock()
	defer p.mu.Unlock()
	var busy []uuid.UUID // tenants with a document in flight; each as often as it has one
	skips := false
	for tenantID, n := range p.inFlight {
		busy = append(busy, slices.Repeat([]uuid.UUID{tenantID}, n)...)
		skips = skips || n >= p.Share
	}
	works, err := claimDue(ctx, p.DB, p.Now(), busy, p.Share, most)
	if err != nil {
		return nil, err
	}
	for _, work := range works {
		p.count(work.TenantID)
	}
	p.claimed += len(works)
	p.waiting = len(works) == most || moreWait(works)
	if !p.waiting && (skips || len(works) < due) {
		if p.waiting, err = isDue(ctx, p.DB, p.Now()); err != nil {
			p.waiting = true
			slog.WarnContext(ctx, "looking for submissions that wait failed", "err", err)
		}
	}
	return works, nil
}

// reserve reserves a worker process for a submission of the tenant that its trigger makes
// due at once, and reports whether one is free. If not, if the tenant uses its share, or if
// other submissions wait, the submission waits for a claim. If the transaction of the trigger
// claims the submission, Add must be called, and otherwise unreserve. A nil Processor
// reserves nothing.
func (p *Processor) reserve(tenantID uuid.UUID) bool {
	if p == nil || !p.mu.TryLock() { // a claim holds the lock during its statement
		return false
	}
	defer p.mu.Unlock()
	if !p.reserving || p.waiting || p.claimed >= p.Workers.Size() || p.inFlight[tenantID] >= p.Share {
		return false
	}
	p.running.Add(1)
	p.claimed++
	p.count(tenantID)
	return true
}

// unreserve undoes reserve.
func (p *Processor) unreserve(tenantID uuid.UUID) {
	p.end(tenantID)
	p.running.Done()
}

// isDue reports whether a submission waits to be claimed.
func isDue(ctx context.Context, db storage.DB, now time.Time) (due bool, err error) {
	if err := db.QueryRow(ctx, `
		select exists (
			select from submissions
			where `+claimable+`
			and due_at <= @now
			and (lease_until is null or lease_until <= @now)
		)`,
		pgx.StrictNamedArgs{"now": now}).Scan(&due); err != nil {
		return false, fmt.Errorf("find due submissions: %w", err)
	}
	return due, nil
}

// idle returns how many more submissions can be processed. If there are none, the due ones
// wait.
func (p *Processor) idle(due int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.Workers.Size() - p.claimed
	p.waiting = p.waiting || idle <= 0 && due > 0
	return idle
}

// end is called when a claimed submission has been processed.
func (p *Processor) end(tenantID uuid.UUID) {
	p.mu.Lock()
	p.claimed--
	p.mu.Unlock()
	p.leave(tenantID)
}

// moreWait reports whether a claim has left due submissions of a tenant.
func moreWait(works []claimed) bool {
	left := map[uuid.UUID]int{}
	for _, work := range works {
		if _, known := left[work.TenantID]; !known {
			left[work.TenantID] = work.Waiting
		}
		left[work.TenantID]--
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(left)), func(n int) bool { return n > 0 })
}

// count counts a document of the tenant as one that this server reads. The caller holds
// the lock.
func (p *Processor) count(tenantID uuid.UUID) {
	if p.inFlight == nil {
		p.inFlight = map[uuid.UUID]int{}
	}
	p.inFlight[tenantID]++
}

// leave undoes count.
func (p *Processor) leave(tenantID uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		p.waiting = false
		p.schedule.Add(p.Now())
	}
	if p.inFlight[tenantID]--; p.inFlight[tenantID] == 0 {
		delete(p.inFlight, tenantID)
	}
	if p.left != nil {
		close(p.left)
		p.left = nil
	}
}

// claimDue claims due submissions, at most the given number. busy has the tenant of each
// document in flight; with the claimed submissions, no tenant has more than share
// documents in flight. The new attempt numbers invalidate the earlier attempts of other
// servers.
//
// Each tenant with submissions to be processed is found by one index lookup, so the cost
// does not depend on the number of its submissions.
func claimDue(ctx context.Context, db storage.DB, now time.Time, busy []uuid.UUID, share, most int) ([]claimed, error) {
	return storage.All[claimed](ctx, db, claimStatement, claimArguments(now, busy, share, most))
}

func claimArguments(now time.Time, busy []uuid.UUID, share, most int) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"now": now, "lease": now.Add(leaseDuration), "busy": busy, "share": share, "most": most, "candidates": maxCandidates}
}

// maxCandidates is how many submissions of each tenant a claim considers. Other servers
// may be claiming the first ones at the same time.
const maxCandidates = 20

// claimStatement names the state literally, so that a generic plan can use the index
// submissions_claimable. It locks more submissions of a tenant than its share allows if it
// finds no others, since another server may have locked the first ones, and then claims as
// many of them as the share allows.
const claimStatement = `
	with recursive waiting (tenant_id) as (
		(
			select tenant_id
			from submissions
			where ` + claimable + `
			order by tenant_id, due_at
			limit 1
		)
		union all
		select (
			select s.tenant_id
			from submissions s
			where ` + claimable + `
			and s.tenant_id > waiting.tenant_id
			order by s.tenant_id, s.due_at
			limit 1
		)
		from waiting
		where waiting.tenant_id is not null
	), locked as materialized (
		select s.tx_id, s.tenant_id, due.due_at, due.waiting, tenant.in_flight
		from waiting
		cross join lateral (
			select tx_id, due_at, row_number() over (order by due_at) as position, count(*) over () as waiting
			from (
				select tx_id, due_at
				from submissions
				where tenant_id between waiting.tenant_id and waiting.tenant_id -- with an equality, the planner could choose the index submissions_due
				and ` + claimable + `
				and due_at <= @now
				and (lease_until is null or lease_until <= @now)
				order by tenant_id, due_at
				limit @candidates
			) first
		) due
		join submissions s on s.tx_id = due.tx_id
		cross join lateral (
			select cardinality(array_positions(coalesce(@busy::uuid[], '{}'), waiting.tenant_id)) as in_flight
		) tenant
		where tenant.in_flight < @share
		and s.status = '` + Started + `' -- again, on the row as it is once it is locked
		and s.due_at <= @now
		and not s.parked
		and (s.lease_until is null or s.lease_until <= @now)
		order by tenant.in_flight + due.position, due.due_at
		limit @most
		for update of s skip locked
	)
	update submissions s
	set attempt = attempt + 1, open_attempts = open_attempts + 1, lease_until = @lease
	from (
		select tx_id, tenant_id, waiting, in_flight + row_number() over (partition by tenant_id order by due_at) as position
		from locked
	) l
	cross join lateral find_tenant(l.tenant_id) tenant
	where s.tx_id = l.tx_id
	and l.position <= @share
	returning s.tx_id, s.tenant_id, s.filename, s.object_key, s.size, s.sha256, s.due_at, s.attempt, s.open_attempts, s.crashes, s.postponed, s.traceparent, s.store_away_since,
		tenant.clock_offset, tenant.frozen_at, l.waiting`

const claimable = `status = '` + Started + `' and due_at is not null and not parked`

// underLease calls do and renews the lease until it returns. If the lease is lost,
// the context of do ends.
func underLease(ctx context.Context, db storage.DB, work claimed, now func() time.Time, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { renewLease(ctx, db, work, now, cancel) })
	defer func() { // also if do panics
		cancel(nil)
		renewing.Wait() // before the caller's transaction, which locks the row
	}()
	return do(ctx)
}

// renewLease renews the lease until ctx ends. If the lease is lost, it calls cancel.
func renewLease(ctx context.Context, db storage.DB, work claimed, now func() time.Time, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		renewed, err := updateAttempt(ctx, db, work, `lease_until = @lease`, pgx.StrictNamedArgs{"lease": now().Add(leaseDuration)})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.WarnContext(ctx, "lease renewal failed", "tx_id", work.TxID, "err", err)
		} else if !renewed {
			cancel(errors.New("lease lost"))
			return
		}
	}
}

// releaseAfterError ends an attempt that failed through no fault of the document:
// it does not count as open, and the submission is retried after errorPause.
func releaseAfterError(ctx context.Context, db storage.DB, work claimed, now time.Time) error {
	_, err := updateAttempt(ctx, db, work,
		`open_attempts = open_attempts - 1, lease_until = @pause`,
		pgx.StrictNamedArgs{"pause": now.Add(errorPause)})
	return err
}

// releaseAfterCrash ends an attempt whose worker process has crashed. The attempt no
// longer counts as open, and the submission is retried at once.
func releaseAfterCrash(ctx context.Context, db storage.DB, work claimed) error {
	_, err := updateAttempt(ctx, db, work,
		`open_attempts = open_attempts - 1, lease_until = null`, pgx.StrictNamedArgs{})
	return err
}

// postpone ends the attempt and makes the submission due that much later by the
// tenant's clock. It returns the real time.
func postpone(ctx context.Context, db storage.DB, work claimed, by time.Duration) (due time.Time, err error) {
	tenants, err := auth.Tenants(ctx, db, []uuid.UUID{work.TenantID})
	if err != nil {
		return due, err
	}
	due = tenants[work.TenantID].DueAfter(work.DueAt, by)
	_, err = updateAttempt(ctx, db, work,
		`due_at = @due, postponed = postponed + @by::interval, lease_until = null, open_attempts = open_attempts - 1, store_away_since = null`,
		pgx.StrictNamedArgs{"due": due, "by": by})
	return due, err
}

// heldByAttempt is the condition that an attempt still holds a submission. The key of
// its file distinguishes it from another submission with the same tx_id, which a tenant
// with an id seed can have after a reset.
const heldByAttempt = `
	tx_id = @tx_id
	and attempt = @attempt
	and object_key = @object_key
	and (status = @started) is true` // see ofTenant

func (c claimed) args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"tx_id": c.TxID, "attempt": c.Attempt, "object_key": c.ObjectKey, "started": Started}
}

// updateAttempt updates the submission if it is still held by this attempt, and
// reports whether it was.
func updateAttempt(ctx context.Context, db storage.DB, work claimed, set string, args pgx.StrictNamedArgs) (bool, error) {
	maps.Copy(args, work.args())
	updated, err := db.Exec(ctx, `
		update submissions
		set `+set+`
		where `+heldByAttempt, args)
	if err != nil {
		return false, fmt.Errorf("update submission %s: %w", work.TxID, err)
	}
	return updated.RowsAffected() == 1, nil
}

// ReleaseLeases ends all leases, so that the submissions of servers that have died
// are processed at once and not only when their leases expire. Call it only if no
// other server uses the database.
func ReleaseLeases(ctx context.Context, db storage.DB) error {
	if _, err := db.Exec(ctx, `
		update submissions
		set lease_until = null
		where `+claimable+`
		and lease_until is not null`); err != nil {
		return fmt.Errorf("release leases of submissions: %w", err)
	}
	return nil
}
