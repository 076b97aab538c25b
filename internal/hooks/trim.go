package hooks

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

// What is kept of the deliveries that have come to an end. One that is pending
// is kept, however old.
const (
	keptFor  = 30 * 24 * time.Hour
	keptMost = 10_000 // of one subscription; and attempts told of in one feed

	trimming  = time.Minute // how often
	trimBatch = 5_000       // deliveries dropped in one transaction
	trimHooks = 100         // subscriptions looked at in one
)

// trimmer drops what is no longer kept, again and again. Several servers that
// do so pass over what another is dropping.
func (d *Dispatcher) trimmer(ctx context.Context) {
	tick := time.NewTicker(trimming)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := Trim(ctx, d.db, d.now()); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "old deliveries not dropped", "err", err)
		}
	}
}

// Trim drops the deliveries that are no longer kept, of all tenants, with their
// attempts, the events that nothing is left of, and what the feeds told of older
// attempts. now is real time.
func Trim(ctx context.Context, db storage.DB, now time.Time) error {
	var after uuid.UUID
	for {
		var last uuid.UUID
		var dropped int
		err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) (err error) {
			if last, err = lastHook(ctx, tx, after); err != nil {
				return err
			}
			dropped, err = trim(ctx, tx, after, last, earliestID(now.Add(-keptFor)))
			return err
		})
		if err != nil {
			return fmt.Errorf("trim deliveries: %w", err)
		}
		if dropped < trimBatch { // else there may be more of the same
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

// lastHook is the last of the next subscriptions to look at, in the order of
// their ids; the given one when there are no more.
func lastHook(ctx context.Context, tx pgx.Tx, after uuid.UUID) (last uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `
		select coalesce((array_agg(id order by id desc))[1], @after)
		from (
			select id
			from hooks
			where id > @after
			order by id
			limit @most
		) next`,
		pgx.StrictNamedArgs{"after": after, "most": trimHooks}).Scan(&last)
	return last, err
}

// trim drops a batch of what is not kept of the subscriptions from after to
// last, and returns how many deliveries it were.
func trim(ctx context.Context, tx pgx.Tx, after, last, earliest uuid.UUID) (int, error) {
	gone, err := storage.All[struct{ TenantID, HookID, ID, EventID uuid.UUID }](ctx, tx, `
		with old as (
			select d.at
			from hooks h
			cross join lateral (
				select ctid as at
				from deliveries
				where hook_id = h.id
				and state <> 'pending'
				and id <= greatest(@earliest, (
					select id
					from deliveries
					where hook_id = h.id
					order by id desc
					offset @most
					limit 1
				))
				order by id
				limit @batch
				for update skip locked
			) d
			where h.id > @after
			and h.id <= @last
			limit @batch
		)
		delete from deliveries d
		using old
		where d.ctid = old.at
		returning d.tenant_id, d.hook_id, d.id, d.event_id`,
		pgx.StrictNamedArgs{"after": after, "last": last, "earliest": earliest, "most": keptMost, "batch": trimBatch})
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	n := len(gone)
	hooks, ids, tenants, events := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	for i, g := range gone {
		hooks[i], ids[i], tenants[i], events[i] = g.HookID, g.ID, g.TenantID, g.EventID
	}
	if _, err := tx.Exec(ctx, `
		delete from failed_attempts a
		using unnest(@hooks::uuid[], @ids::uuid[]) gone (hook_id, id)
		where a.hook_id = gone.hook_id
		and a.delivery_id = gone.id`,
		pgx.StrictNamedArgs{"hooks": hooks, "ids": ids}); err != nil {
		return 0, err
	}
	return n, trimEvents(ctx, tx, tenants, events)
}

// trimEvents drops those of the events that nothing is left of. They are held
// before it is asked whether they are: from then on none is redelivered.
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
	firsts, lasts := make([]uuid.UUID, len(events)), make([]uuid.UUID, len(events)) // of the ids of an event's deliveries
	for i, id := range events {
		copy(firsts[i][:8], id[:8])
		lasts[i] = uuid.Max
		copy(lasts[i][:8], id[:8])
	}
	_, err := tx.Exec(ctx, `
		delete from events e
		using unnest(@tenants::uuid[], @events::uuid[], @firsts::uuid[], @lasts::uuid[]) gone (tenant_id, id, first, last)
		where e.tenant_id = gone.tenant_id
		and e.id = gone.id
		and not exists(
			select
			from hooks h
			join deliveries d on d.hook_id = h.id and d.id between gone.first and gone.last
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

// trimFeeds drops what the tenants' feeds tell of attempts that are not among
// the newest.
func trimFeeds(ctx context.Context, db storage.DB) error {
	_, err := db.Exec(ctx, `
		with old as (
			select a.ctid as at
			from (
				select tenant_id, xid, sum(entries) over (partition by tenant_id order by xid desc) - entries as newer
				from attempted
			) counted
			join attempted a using (tenant_id, xid)
			where newer >= @most
			for update of a skip locked
		)
		delete from attempted a
		using old
		where a.ctid = old.at`,
		pgx.StrictNamedArgs{"most": keptMost})
	return err
}

// earliestID is the lowest id that newID gives at a time.
func earliestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id
}
