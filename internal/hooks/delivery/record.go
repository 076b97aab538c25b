package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// States of a delivery.
const (
	pending   = "pending"
	delivered = "delivered"
	dead      = "dead"      // no retries are left, or none can succeed
	dropped   = "dropped"   // its subscription was deactivated
	collected = "collected" // not sent: its tenant collects deliveries
)

// result is the new state of a claimed delivery.
type result struct {
	claimed
	state     string
	dueAt     time.Time // of the next attempt
	sent      bool      // an attempt was made
	begun     time.Time // real time
	attemptID uuid.UUID // X-Delivery-Id
	url       string    // to which it was sent
	postponed bool      // its delivery was locked when it was to be recorded
	Outcome
}

// attemptResult returns the result of an attempt: delivered, dead, or pending until
// the next attempt.
func attemptResult(delivery claimed, begun time.Time, outcome Outcome) result {
	r := result{claimed: delivery, state: delivered, dueAt: begun, sent: true, begun: begun, Outcome: outcome}
	switch {
	case outcome.Succeeded():
	case outcome.Final, delivery.Attempt >= maxAttempts:
		r.state = dead
	default:
		wait := max(backoff(delivery.Attempt-1, rand.IntN(10)), outcome.RetryAfter)
		r.state, r.dueAt = pending, begun.Add(outcome.Duration).Add(wait)
	}
	return r
}

// releasedResult returns the result of a delivery that was not started and can be
// claimed again.
func releasedResult(delivery claimed, dueAt time.Time) result {
	return result{claimed: delivery, state: pending, dueAt: dueAt}
}

// droppedResult returns the result of a delivery whose subscription is inactive.
func droppedResult(delivery claimed, now time.Time) result {
	return result{claimed: delivery, state: dropped, dueAt: now}
}

// collectedResult returns the result of a delivery whose tenant collects
// deliveries.
func collectedResult(delivery claimed, now time.Time) result {
	return result{claimed: delivery, state: collected, dueAt: now}
}

// runRecorder records the results in batches, until there are no more: results that
// arrive while a batch is written are recorded with the next one. Results whose tenants
// or deliveries are locked are retried, and do not delay the others.
func (d *Dispatcher) runRecorder(ctx context.Context) {
	results := d.results
	var postponed []result
	var retry <-chan time.Time
	for results != nil || len(postponed) > 0 {
		var batch []result
		select {
		case first, ok := <-results:
			if !ok {
				results = nil
				continue
			}
			batch = d.gather(first)
		case <-retry:
			retry = nil
			n := min(len(postponed), maxBatch)
			batch, postponed = postponed[:n:n], slices.Clone(postponed[n:]) // first in, first out
		case <-ctx.Done():
			return
		}
		locked := d.recordWithRetry(ctx, batch)
		d.finish(ctx, batch, locked)
		if postponed = append(postponed, locked...); len(postponed) > 0 && retry == nil {
			retry = time.After(errorPause)
		}
	}
}

// gather returns a batch of the results that have arrived.
func (d *Dispatcher) gather(first result) []result {
	batch := []result{first}
	for len(batch) < maxBatch {
		select {
		case next, ok := <-d.results:
			if !ok {
				return batch
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// recordWithRetry records the batch, however long the database is unavailable. If
// the batch cannot be recorded for another reason, it records the results one by
// one. It returns the results that record has skipped.
func (d *Dispatcher) recordWithRetry(ctx context.Context, batch []result) (locked []result) {
	for tried := 0; ; tried++ {
		locked, err := d.recordBatch(ctx, batch)
		if err == nil || ctx.Err() != nil {
			return locked
		}
		slog.WarnContext(ctx, "recording deliveries failed", "count", len(batch), "err", err)
		if !storage.Unavailable(err) && tried > 2 {
			if len(batch) == 1 {
				return nil // it is claimed again when its lease expires
			}
			for i := range batch {
				locked = append(locked, d.recordWithRetry(ctx, batch[i:i+1])...)
			}
			return locked
		}
		sleep(ctx, errorPause)
	}
}

// recordBatch records the results while no leases are renewed.
func (d *Dispatcher) recordBatch(ctx context.Context, results []result) (locked []result, err error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	return record(ctx, d.db, results, d.now())
}

// record records the results, except of deliveries that were claimed by another
// server or deleted in the meantime. It waits for no lock: it skips deliveries that
// another transaction has locked, and those of tenants that are being deleted or reset,
// and returns their results. It is one statement, since a round trip costs as
// much as the statement. A successful attempt is stored in the delivery's row, each
// failed attempt in a row of its own, and all attempts of a tenant together in one
// row of its feed. Only the last attempt of a delivery keeps its whole response. now is
// real time.
func record(ctx context.Context, db *pgxpool.Pool, results []result, now time.Time) (locked []result, err error) {
	sortInLockOrder(results, func(r result) (uuid.UUID, uuid.UUID) { return r.HookID, r.ID })
	n := len(results)
	hooks, ids, attempts, tenants := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n), make([]uuid.UUID, n)
	activations := make([]int, n)
	states, dues, sent, begun := make([]string, n), make([]time.Time, n), make([]bool, n), make([]time.Time, n)
	attemptIDs, urls, addresses := make([]uuid.UUID, n), make([]string, n), make([]string, n)
	statuses, failures, durations, responses := make([]int, n), make([]string, n), make([]int64, n), make([][]byte, n)
	faults := make([]*string, n) // joined; nil = none
	for i := range results {
		r := &results[i]
		hooks[i], ids[i], attempts[i], tenants[i], activations[i] = r.HookID, r.ID, r.Attempt, r.TenantID, r.Activation
		states[i], dues[i], sent[i], begun[i] = r.state, r.dueAt, r.sent, r.begun
		attemptIDs[i], urls[i], addresses[i] = r.attemptID, r.url, r.Address
		statuses[i], failures[i], durations[i], responses[i] = r.Status, r.Failure, r.Duration.Milliseconds(), r.Response
		if len(r.Faults) > 0 {
			joined := strings.Join(r.Faults, ",")
			faults[i] = &joined
		}
	}
	skipped, err := storage.IDs(ctx, db, `
		with tenant as (
			select id
			from lock_free_tenants(@owners) -- before the deliveries: the order of the deletion of a tenant
			where (select announce_tenants(@owners))
		), result as (
			select
				unnest(@hooks::uuid[]) as hook_id, unnest(@ids::uuid[]) as id, unnest(@attempts::int[]) as attempt,
				unnest(@activations::int[]) as activation, unnest(@tenants::uuid[]) as tenant_id, unnest(@states::text[]) as state, unnest(@dues::timestamptz[]) as due_at,
				unnest(@sent::bool[]) as sent, unnest(@begun::timestamptz[]) as begun, unnest(@attempt_ids::uuid[]) as attempt_id,
				unnest(@urls::text[]) as url, unnest(@addresses::text[]) as address, unnest(@statuses::int[]) as status,
				unnest(@failures::text[]) as failure, unnest(@durations::int[]) as duration, unnest(@responses::bytea[]) as response,
				unnest(@faults::text[]) as faults
		), free as materialized (
			select r.*, d.ctid as row_at
			from tenant
			join result r on r.tenant_id = tenant.id
			join deliveries d on d.hook_id = r.hook_id and d.id = r.id
			where d.attempt = r.attempt
			and d.activation = r.activation
			and d.lease_until is not null -- a condition on the state would scan the index deliveries_due for each row
			and d.hook_id <> all(array(select id from deleted_hooks))
			for update of d skip locked
		), clock as materialized ( -- read after the deliveries have been locked: a move of the clock waits for them
			select tenant.*
			from (select array_agg(distinct tenant_id) as ids from free) owner, lock_free_tenants(owner.ids) tenant
		), recorded as (
			update deliveries d
			set state = r.state, lease_until = null,
				due_at = case -- a retry waits by the tenant's clock
					when r.sent and r.state = 'pending' and c.frozen_at is not null
					then r.due_at - (@now::timestamptz - c.frozen_at) + @frozen_wait::interval
					else r.due_at
				end,
				attempt = case when r.sent or r.state <> 'pending' then d.attempt else d.attempt - 1 end,
				faults = case when not r.sent or r.state = 'delivered' then d.faults end, -- otherwise null: the faults of the retry are not selected yet
				delivered_at = case when r.state = 'delivered' then least(r.begun, c.frozen_at) + c.clock_offset end,
				address = case when r.state = 'delivered' then r.address end,
				response = case when r.state = 'delivered' then coalesce(r.response, '') end,
				response_status = case when r.sent then nullif(r.status, 0) else d.response_status end,
				response_duration_ms = case when not r.sent then d.response_duration_ms when r.status <> 0 then r.duration end,
				updated_at = case when r.sent then least(@now::timestamptz, c.frozen_at) + c.clock_offset else d.updated_at end
			from free r
			join clock c on c.id = r.tenant_id
			where d.ctid = r.row_at
			returning r.*, d.event, least(r.begun, c.frozen_at) + c.clock_offset as at, string_to_array(r.faults, ',') as attempt_faults
		), failed as (
			insert into failed_attempts (hook_id, delivery_id, number, at, address, status, failure, duration_ms, response, faults)
			select hook_id, id, attempt, at, address, nullif(status, 0), nullif(failure, ''), duration, coalesce(response, ''), attempt_faults
			from recorded
			where sent
			and state <> 'delivered'
		), shortened as (
			update failed_attempts a
			set response = substring(a.response for @max_earlier)
			from recorded r
			where r.sent
			and r.attempt > 1
			and a.hook_id = r.hook_id
			and a.delivery_id = r.id
			and a.number < r.attempt
			and octet_length(a.response) > @max_earlier
		), batches as (
			insert into attempt_batches (tenant_id, attempt_count, attempts)
			select
				tenant_id, count(*),
				array_agg((at, attempt_id, id, hook_id, event, url, attempt, status, failure, duration, attempt_faults)::recorded_attempt)
			from (
				select *
				from recorded
				where sent
				order by tenant_id, begun
			) sent
			group by tenant_id
		)
		select d.id
		from result r
		join deliveries d on d.hook_id = r.hook_id and d.id = r.id
		where r.id not in (select id from free)
		and d.attempt = r.attempt
		and d.activation = r.activation
		and d.lease_until is not null
		and d.hook_id <> all(array(select id from deleted_hooks))`,
		pgx.StrictNamedArgs{
			"owners": storage.InLockOrder(tenants), "hooks": hooks, "ids": ids, "attempts": attempts, "activations": activations, "tenants": tenants,
			"states": states, "dues": dues, "sent": sent, "begun": begun, "attempt_ids": attemptIDs, "urls": urls,
			"addresses": addresses, "statuses": statuses, "failures": failures, "durations": durations, "responses": responses, "faults": faults, "now": now,
			"frozen_wait": auth.FrozenWait, "max_earlier": maxEarlierResponse,
		})
	if err != nil {
		return nil, fmt.Errorf("record deliveries: %w", err)
	}
	for _, r := range results {
		if slices.Contains(skipped, r.ID) {
			locked = append(locked, r)
		}
	}
	return locked, nil
}
