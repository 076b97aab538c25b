package delivery

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Finished deliveries are kept for maxAge, at most maxPerSubscription for each
// subscription. Pending ones are kept, however old.
const (
	maxAge             = 30 * 24 * time.Hour
	maxPerSubscription = 10_000
	maxFeedAttempts    = 10_000 // attempts in a tenant's feed

	trimInterval = time.Minute
	trimBatch    = 5_000 // deliveries deleted in one transaction
	trimHooks    = 100   // subscriptions checked in one transaction
)

// runTrimmer calls Trim every trimInterval until ctx ends. Servers that trim at the
// same time skip the rows that another one has locked.
func (d *Dispatcher) runTrimmer(ctx context.Context) {
	every(ctx, trimInterval, "trimming deliveries failed", func() error { return Trim(ctx, d.db, d.now()) })
}

// Trim deletes the finished deliveries of all tenants that exceed the limits, with
// their attempts, the events that have no delivery left, and the oldest attempts of
// feeds that have too many. now is real time.
func Trim(ctx context.Context, db storage.DB, now time.Time) error {
	var after uuid.UUID
	for {
		var last uuid.UUID
		var deleted int
		err := storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
			if last, err = nextSubscriptions(ctx, tx, after); err != nil {
				return err
			}
			deleted, err = trimSubscriptions(ctx, tx, after, last, lowestID(now.Add(-maxAge)))
			return err
		})
		if err != nil {
			return fmt.Errorf("trim deliveries: %w", err)
		}
		if deleted < trimBatch { // otherwise these subscriptions may have more to delete
			if last == after {
				break
			}
			after = last
		}
	}
	if err := trimFeeds(ctx, db); err != nil {
		return fmt.Errorf("trim feeds: %w", err)
	}
	return nil
}

// nextSubscriptions returns the last id of the next trimHooks subscriptions, in the
// order of their ids; after if there are no more.
func nextSubscriptions(ctx context.Context, tx pgx.Tx, after uuid.UUID) (last uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `
		select coalesce((array_agg(id order by id desc))[1], @after)
		from (
			select id
			from hooks
			where id > @after
			order by id
			limit @max
		) next`,
		pgx.StrictNamedArgs{"after": after, "max": trimHooks}).Scan(&last)
	return last, err
}

// trimSubscriptions deletes a batch of deliveries of the subscriptions after one
// id and up to another, and returns how many it deleted. lowest is the lowest id
// that is not too old.
func trimSubscriptions(ctx context.Context, tx pgx.Tx, after, last, lowest uuid.UUID) (int, error) {
	deleted, err := storage.All[struct{ TenantID, HookID, ID, EventID uuid.UUID }](ctx, tx, `
		with old as (
			select d.row_at
			from hooks h
			cross join lateral (
				select ctid as row_at
				from deliveries
				where hook_id = h.id
				and state <> 'pending'
				and id <= greatest(@lowest, (
					select id
					from deliveries
					where hook_id = h.id
					order by id desc
					offset @max
					limit 1
				))
				order by id
				limit @batch
				for update skip locked
			) d
			where (select announce_tenants('{}')) -- no reader of a feed has to wait
			and h.id > @after
			and h.id <= @last
			limit @batch
		)
		delete from deliveries d
		using old
		where d.ctid = old.row_at
		returning d.tenant_id, d.hook_id, d.id, d.event_id`,
		pgx.StrictNamedArgs{"after": after, "last": last, "lowest": lowest, "max": maxPerSubscription, "batch": trimBatch})
	if err != nil || len(deleted) == 0 {
		return 0, err
	}
	n := len(deleted)
	hooks, ids, tenants, events := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	for i, row := range deleted {
		hooks[i], ids[i], tenants[i], events[i] = row.HookID, row.ID, row.TenantID, row.EventID
	}
	if _, err := tx.Exec(ctx, `
		delete from failed_attempts a
		using unnest(@hooks::uuid[], @ids::uuid[]) deleted (hook_id, id)
		where a.hook_id = deleted.hook_id
		and a.delivery_id = deleted.id`,
		pgx.StrictNamedArgs{"hooks": hooks, "ids": ids}); err != nil {
		return 0, err
	}
	return n, trimEvents(ctx, tx, tenants, events)
}

// trimEvents deletes those of the events that have no delivery left. It locks all of
// them before it checks, so that none is redelivered in between.
func trimEvents(ctx context.Context, tx pgx.Tx, tenants, events []uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		select
		from events
		where (tenant_id, id) in (select * from unnest(@tenants::uuid[], @events::uuid[]))
		order by tenant_id, id
		for update`,
		pgx.StrictNamedArgs{"tenants": tenants, "events": events}); err != nil {
		return err
	}
	firsts, lasts := IDRanges(events)
	_, err := tx.Exec(ctx, `
		delete from events e
		using unnest(@tenants::uuid[], @events::uuid[], @firsts::uuid[], @lasts::uuid[]) candidate (tenant_id, id, first, last)
		where e.tenant_id = candidate.tenant_id
		and e.id = candidate.id
		and not exists(
			select
			from hooks h
			join deliveries d on d.hook_id = h.id and d.id between candidate.first and candidate.last
			where h.tenant_id = e.tenant_id
			and d.event_id = e.id
		)
		and not exists(
			select
			from deliveries d
			where d.event_id = e.id
			and d.redelivery
		)`,
		pgx.StrictNamedArgs{"tenants": tenants, "events": events, "firsts": firsts, "lasts": lasts})
	return err
}

// IDRanges returns for each event the smallest and the largest id that its deliveries can
// have, except for redeliveries: the id of a delivery has the first half of its event's id.
func IDRanges(events []uuid.UUID) (firsts, lasts []uuid.UUID) {
	firsts, lasts = make([]uuid.UUID, len(events)), make([]uuid.UUID, len(events))
	for i, id := range events {
		copy(firsts[i][:8], id[:8])
		lasts[i] = uuid.Max
		copy(lasts[i][:8], id[:8])
	}
	return firsts, lasts
}

// trimFeeds deletes the oldest attempts of the feeds that have more than
// maxFeedAttempts.
func trimFeeds(ctx context.Context, db storage.DB) error {
	_, err := db.Exec(ctx, `
		with old as (
			select a.ctid as row_at
			from (
				select tenant_id, xid, sum(attempt_count) over (partition by tenant_id order by xid desc) - attempt_count as newer
				from attempt_batches
			) counted
			join attempt_batches a using (tenant_id, xid)
			where (select announce_tenants('{}'))
			and newer >= @max
			for update of a skip locked
		)
		delete from attempt_batches a
		using old
		where a.ctid = old.row_at`,
		pgx.StrictNamedArgs{"max": maxFeedAttempts})
	return err
}

// lowestID returns the lowest UUID of version 7 with the time.
func lowestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id
}

// every calls step at each interval until ctx ends, and logs its errors with the message.
func every(ctx context.Context, interval time.Duration, message string, step func() error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := step(); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, message, "err", err)
		}
	}
}
