package hooks

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
)

// States of a delivery.
const (
	pending   = "pending"
	delivered = "delivered"
	dead      = "dead"      // no retries are left
	dropped   = "dropped"   // its subscription was turned off
	collected = "collected" // kept to be read: its tenant wants nothing sent
)

// result is what a claimed delivery is to become.
type result struct {
	claimed
	state     string
	dueAt     time.Time // of the next attempt
	sent      bool      // an attempt was made
	begun     time.Time // real time
	attemptID uuid.UUID // X-Delivery-Id
	url       string    // sent to
	Outcome
}

// attempted is the result of an attempt.
func attempted(work claimed, begun time.Time, came Outcome) result {
	r := result{claimed: work, state: delivered, dueAt: begun, sent: true, begun: begun, Outcome: came}
	switch {
	case came.Succeeded():
	case work.Attempt >= maxAttempts:
		r.state = dead
	default:
		wait := max(backoff(work.Attempt-1, rand.IntN(10)), came.Wait)
		r.state, r.dueAt = pending, begun.Add(came.Duration).Add(wait)
	}
	return r
}

// givenBack is the result of work that was not begun, to be claimed again.
func givenBack(work claimed, dueAt time.Time) result {
	return result{claimed: work, state: pending, dueAt: dueAt}
}

// turnedOff is the result of work whose subscription is off.
func turnedOff(work claimed, now time.Time) result {
	return result{claimed: work, state: dropped, dueAt: now}
}

// kept is the result of work whose tenant wants nothing sent.
func kept(work claimed, now time.Time) result {
	return result{claimed: work, state: collected, dueAt: now}
}

// record writes the results, save those of deliveries that were taken over or
// deleted meanwhile, and tells the tenants' feeds of the attempts.
func record(ctx context.Context, db *pgxpool.Pool, results []result, now time.Time) error {
	inOrder(results, func(r result) (uuid.UUID, uuid.UUID) { return r.HookID, r.ID })
	if err := db.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		return write(ctx, conn.Conn(), results, now)
	}); err != nil {
		return fmt.Errorf("record deliveries: %w", err)
	}
	return nil
}

// inOrder sorts rows to be changed by subscription and delivery: whoever
// changes several of them takes them in this order, so that nobody waits for
// each other in a ring.
func inOrder[T any](rows []T, key func(T) (hook, delivery uuid.UUID)) {
	slices.SortStableFunc(rows, func(a, b T) int {
		hookA, idA := key(a)
		hookB, idB := key(b)
		return cmp.Or(bytes.Compare(hookA[:], hookB[:]), bytes.Compare(idA[:], idB[:]))
	})
}

// write writes the results. The attempt that delivered goes into the delivery's
// own row, those that failed get a row each, and each tenant's feed one for all
// of them: in one statement, since what goes back and forth costs as much again.
func write(ctx context.Context, conn *pgx.Conn, results []result, now time.Time) error {
	n := len(results)
	hooks, ids, attempts, tenants := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n), make([]uuid.UUID, n)
	states, dues, sent, begun := make([]string, n), make([]time.Time, n), make([]bool, n), make([]time.Time, n)
	attemptIDs, urls, addresses := make([]uuid.UUID, n), make([]string, n), make([]string, n)
	statuses, failures, durations, answers := make([]int, n), make([]string, n), make([]int64, n), make([][]byte, n)
	for i := range results {
		r := &results[i]
		hooks[i], ids[i], attempts[i], tenants[i] = r.HookID, r.ID, r.Attempt, r.TenantID
		states[i], dues[i], sent[i], begun[i] = r.state, r.dueAt, r.sent, r.begun
		attemptIDs[i], urls[i], addresses[i] = r.attemptID, r.url, r.Address
		statuses[i], failures[i], durations[i], answers[i] = r.Status, r.Failure, r.Duration.Milliseconds(), r.Answer
	}
	return storage.ExecBulk(ctx, conn, `
		with held as (
			select id, clock_offset
			from tenants
			where id = any(@owners)
			for key share -- so that none is deleted before the commit; first, as whoever deletes one begins with it
		), result as (
			select
				unnest(@hooks::uuid[]) as hook_id, unnest(@ids::uuid[]) as id, unnest(@attempts::int[]) as attempt,
				unnest(@tenants::uuid[]) as tenant_id, unnest(@states::text[]) as state, unnest(@dues::timestamptz[]) as due_at,
				unnest(@sent::bool[]) as sent, unnest(@begun::timestamptz[]) as begun, unnest(@attempt_ids::uuid[]) as attempt_id,
				unnest(@urls::text[]) as url, unnest(@addresses::text[]) as address, unnest(@statuses::int[]) as status,
				unnest(@failures::text[]) as failure, unnest(@durations::int[]) as duration, unnest(@answers::bytea[]) as answer
		), moved as (
			update deliveries d
			set state = r.state, due_at = r.due_at, lease_until = null,
				attempt = case when r.sent or r.state <> 'pending' then d.attempt else d.attempt - 1 end,
				begun_at = case when r.state = 'delivered' then r.begun + held.clock_offset end,
				address = case when r.state = 'delivered' then r.address end,
				answer = case when r.state = 'delivered' then coalesce(r.answer, '') end,
				response_status = case when r.sent then nullif(r.status, 0) else d.response_status end,
				response_duration_ms = case when not r.sent then d.response_duration_ms when r.status <> 0 then r.duration end,
				updated_at = case when r.sent then @now::timestamptz + held.clock_offset else d.updated_at end
			from held, result r
			where r.tenant_id = held.id
			and d.hook_id = r.hook_id
			and d.id = r.id
			and d.attempt = r.attempt
			and d.lease_until is not null -- by the state, the index of due deliveries would be taken, and read again for each
			returning r.*, d.event, r.begun + held.clock_offset as at
		), kept as (
			insert into failed_attempts (hook_id, delivery_id, number, at, address, status, failure, duration_ms, answer)
			select hook_id, id, attempt, at, address, nullif(status, 0), nullif(failure, ''), duration, coalesce(answer, '')
			from moved
			where sent
			and state <> 'delivered'
		)
		insert into attempted (tenant_id, entries, attempts)
		select
			tenant_id, count(*),
			array_agg((at, attempt_id, id, hook_id, event, url, attempt, status, failure, duration)::told)
		from (
			select *
			from moved
			where sent
			order by tenant_id, at
		) told
		group by tenant_id`,
		pgx.StrictNamedArgs{
			"owners": storage.InLockOrder(tenants), "hooks": hooks, "ids": ids, "attempts": attempts, "tenants": tenants,
			"states": states, "dues": dues, "sent": sent, "begun": begun, "attempt_ids": attemptIDs, "urls": urls,
			"addresses": addresses, "statuses": statuses, "failures": failures, "durations": durations, "answers": answers, "now": now,
		})
}

// recorder writes results together: while a write is under way, those that
// come wait for the next one.
func (d *Dispatcher) recorder(ctx context.Context) {
	for {
		first, ok := <-d.results
		if !ok {
			return
		}
		batch := []result{first}
	gather:
		for len(batch) < maxBatch {
			select {
			case next, ok := <-d.results:
				if !ok {
					break gather
				}
				batch = append(batch, next)
			default:
				break gather
			}
		}
		d.write(ctx, batch)
		d.release(batch)
	}
}

// write records the batch, however long the database is away. Should it hold
// something that can't be recorded, the rest is.
func (d *Dispatcher) write(ctx context.Context, batch []result) {
	for tried := 0; ; tried++ {
		err := d.exclusively(func() error { return record(ctx, d.db, batch, d.now()) })
		if err == nil || ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "deliveries not recorded", "count", len(batch), "err", err)
		if !storage.Unavailable(err) && tried > 2 {
			if len(batch) == 1 {
				return // taken over when the lease ends
			}
			for i := range batch {
				d.write(ctx, batch[i:i+1])
			}
			return
		}
		sleep(ctx, pause)
	}
}
