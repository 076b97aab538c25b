package universal

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// claim claims due submissions, at most the given number. Tenants with the fewest documents in
// flight on this server come first and, among those, the tenants from which it has claimed nothing
// for the longest time. Of one tenant, the submissions that have been due for the longest time come
// first. It skips tenants that already use their share, tenants with a document in flight
// while half of the worker processes are in use, and tenants with slow documents while those
// together use half of the worker processes. So a document waits for other documents of its tenant,
// but not for the backlogs of other tenants. If it claims fewer than are due, the others may wait
// for a document in flight. The caller must call end for each when it has been processed.
func (p *Processor) claim(ctx context.Context, most, due int) ([]claimed, error) {
	// Only one claim runs at a time in this server, so that no tenant exceeds its
	// share.
	p.mu.Lock()
	defer p.mu.Unlock()
	works, err := p.claimInTurn(ctx, most)
	if err != nil {
		return nil, err
	}
	p.claimed += len(works)
	p.waiting = p.waiting || len(works) == most
	skips := len(p.slowTenants()) > 0 || p.further() <= 0
	for _, n := range p.inFlight {
		skips = skips || n >= p.Share
	}
	if !p.waiting && (skips || len(works) < due) {
		if p.waiting, err = isDue(ctx, p.DB, p.Now()); err != nil {
			p.waiting = true
			slog.WarnContext(ctx, "looking for submissions that wait failed", "err", err)
		}
	}
	return works, nil
}

// claimInTurn claims due submissions as claim does, and sets waiting if some may be left. While slow
// tenants may have further documents in flight, it makes a claim for each of them together with the
// tenants that are not slow. An error after some were claimed is only logged.
func (p *Processor) claimInTurn(ctx context.Context, most int) (works []claimed, err error) {
	p.waiting = false
	slow := p.slowTenants()
	for turn := 0; turn < max(len(slow), 1) && len(works) < most; turn++ {
		var busy []uuid.UUID // each tenant once for each of its documents in flight
		for tenantID, n := range p.inFlight {
			busy = append(busy, slices.Repeat([]uuid.UUID{tenantID}, n)...)
		}
		more, err := claimDue(ctx, p.DB, p.Now(), busy, p.withheld(slow, turn), p.served, p.Share, p.further()-len(works), most-len(works))
		switch {
		case err != nil && len(works) == 0:
			return nil, err
		case err != nil:
			slog.WarnContext(ctx, "claiming submissions failed", "err", err)
			p.waiting = true
			return works, nil
		}
		for _, work := range more {
			p.count(work.TenantID)
		}
		works = append(works, more...)
		p.waiting = p.waiting || moreWait(more)
		if len(slow) > 0 && p.freeForSlow(slow) <= 0 {
			break
		}
	}
	return works, nil
}

// further returns how many more worker processes can be in use before tenants get no second one. The
// other half is for the first documents of tenants, so that a few tenants with expensive documents do not
// keep all others waiting. The caller holds the lock.
func (p *Processor) further() int {
	size := p.Workers.Size()
	return size - size/2 - p.claimed
}

// reserve reserves a worker process for a submission of the tenant that its trigger makes
// due at once, and reports whether it has reserved one. It reserves none if none is free, if
// the tenant uses its share, if slow tenants use theirs, or if other submissions wait: then the
// submission waits for a claim. After a reservation, the caller must call Add if the transaction of the trigger has
// claimed the submission, and unreserve otherwise. A nil Processor reserves nothing.
func (p *Processor) reserve(tenantID uuid.UUID) bool {
	if p == nil || !p.mu.TryLock() { // a claim holds the lock during its statement
		return false
	}
	defer p.mu.Unlock()
	if !p.reserving || p.waiting || p.claimed >= p.Workers.Size() || p.inFlight[tenantID] >= p.Share || p.inFlight[tenantID] > 0 && p.further() <= 0 || !p.mayReserve(tenantID) {
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

// isDue reports whether a submission waits to be claimed, except those of some tenants.
func isDue(ctx context.Context, db storage.DB, now time.Time, except ...uuid.UUID) (due bool, err error) {
	if err := db.QueryRow(ctx, dueStatement,
		pgx.StrictNamedArgs{"now": now, "except": except}).Scan(&due); err != nil {
		return false, fmt.Errorf("find due submissions: %w", err)
	}
	return due, nil
}

const dueStatement = waitingTenants + `
	select exists (
		select from waiting
		cross join lateral (
			select
			from submissions
			where tenant_id between waiting.tenant_id and waiting.tenant_id -- as in claimStatement
			and ` + claimable + `
			and due_at <= @now
			and (lease_until is null or lease_until <= @now)
			order by tenant_id, due_at
			limit 1
		) due
		where (waiting.tenant_id = any(@except::uuid[])) is not true
	)`

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
	p.served = slices.DeleteFunc(p.served, func(id uuid.UUID) bool { return id == tenantID })
	p.served = append(p.served[max(len(p.served)-maxServed+1, 0):], tenantID)
}

// maxServed is the number of tenants whose last claims are remembered.
const maxServed = 500

// leave undoes count.
func (p *Processor) leave(tenantID uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
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
// document in flight, and withheld each tenant once for each worker process of its share that it
// must not get. served lists tenants in the order of their last claims; tenants that it does not list
// come first. With the claimed submissions, no tenant has more than share documents in flight. Among
// the first submissions, up to further, a tenant can have several or one besides a document in flight;
// the others are each the only one of their tenant. The new attempt numbers invalidate the earlier
// attempts of other servers.
//
// Each tenant with submissions to be processed is found by one index lookup, so the cost
// does not depend on the number of its submissions.
func claimDue(ctx context.Context, db storage.DB, now time.Time, busy, withheld, served []uuid.UUID, share, further, most int) ([]claimed, error) {
	return storage.All[claimed](ctx, db, claimStatement, claimArguments(now, busy, withheld, served, share, further, most))
}

func claimArguments(now time.Time, busy, withheld, served []uuid.UUID, share, further, most int) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"now": now, "lease": now.Add(leaseDuration), "busy": busy, "withheld": withheld, "served": served, "share": share, "further": further, "most": most, "candidates": maxCandidates}
}

// maxCandidates is how many submissions of each tenant a claim considers. Other servers
// may be claiming the first ones at the same time.
const maxCandidates = 20

// claimStatement names the state literally, so that a generic plan can use the index
// submissions_claimable. It locks more submissions of a tenant than its share allows if it
// finds no others, since another server may have locked the first ones, and then claims as
// many of them as the share allows.
const claimStatement = waitingTenants + `
	, locked as materialized (
		select s.tx_id, s.tenant_id, due.due_at, due.waiting, due.position, tenant.in_flight, tenant.withheld, tenant.served
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
			select cardinality(array_positions(coalesce(@busy::uuid[], '{}'), waiting.tenant_id)) as in_flight,
				cardinality(array_positions(coalesce(@withheld::uuid[], '{}'), waiting.tenant_id)) as withheld,
				coalesce(array_position(@served::uuid[], waiting.tenant_id), 0) as served
		) tenant
		where tenant.in_flight + tenant.withheld < @share
		and s.status = '` + Started + `' -- again, on the row as it is once it is locked
		and s.due_at <= @now
		and not s.parked
		and (s.lease_until is null or s.lease_until <= @now)
		order by tenant.in_flight + tenant.withheld + due.position, tenant.served, due.due_at
		limit @most
		for update of s skip locked
	)
	update submissions s
	set attempt = attempt + 1, open_attempts = open_attempts + 1, lease_until = @lease
	from (
		select tx_id, tenant_id, waiting, withheld, in_flight + row_number() over (partition by tenant_id order by due_at) as position,
			row_number() over (order by in_flight + withheld + position, served, due_at) as place
		from locked
	) l
	cross join lateral find_tenant(l.tenant_id) tenant
	where s.tx_id = l.tx_id
	and l.position + l.withheld <= @share
	and (l.position = 1 or l.place <= @further)
	returning s.tx_id, s.tenant_id, s.filename, s.object_key, s.size, s.sha256, s.due_at, s.attempt, s.open_attempts, s.crashes, s.postponed, s.traceparent, s.store_away_since,
		tenant.clock_offset, tenant.frozen_at, l.waiting`

// waitingTenants begins a statement with the tenants that have submissions to be processed,
// now or later. Each is found by one index lookup.
const waitingTenants = `
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
	)`

const claimable = `status = '` + Started + `' and due_at is not null and not parked`
