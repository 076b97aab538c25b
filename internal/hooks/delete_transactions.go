package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// DeleteTransactions deletes the tenant's events whose data is about one of the
// transactions, their deliveries, and the attempts of those in the feed. It locks rows in
// the order of Reset.
func DeleteTransactions(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txIDs []string) error {
	events, err := storage.IDs(ctx, tx, `
		select id
		from events
		where tenant_id = @tenant_id
		and tx_id <> ''
		and tx_id = any(@tx_ids)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_ids": txIDs})
	if err != nil {
		return fmt.Errorf("find events of transactions: %w", err)
	}
	if len(events) == 0 {
		return nil
	}
	firsts, lasts := delivery.IDRanges(events)
	deliveries, err := storage.IDs(ctx, tx, `
		with found as (
			select d.hook_id, d.id
			from hooks h
			cross join unnest(@events::uuid[], @firsts::uuid[], @lasts::uuid[]) event (id, first, last)
			cross join lateral (
				select hook_id, id
				from deliveries
				where hook_id = h.id
				and id between event.first and event.last
				and event_id = event.id
				offset 0 -- otherwise all deliveries of the subscriptions can be read
			) d
			where h.tenant_id = @tenant_id
			union
			select d.hook_id, d.id
			from hooks h
			join deliveries d on d.hook_id = h.id and d.event_id = any(@events) and d.redelivery
			where h.tenant_id = @tenant_id
		), locked as (
			select d.hook_id, d.id
			from found
			join deliveries d on d.hook_id = found.hook_id and d.id = found.id
			order by d.hook_id, d.id
			for update of d
		), failed as (
			delete from failed_attempts a
			using locked
			where a.hook_id = locked.hook_id
			and a.delivery_id = locked.id
		)
		delete from deliveries d
		using locked
		where d.hook_id = locked.hook_id
		and d.id = locked.id
		returning d.id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "events": events, "firsts": firsts, "lasts": lasts})
	if err != nil {
		return fmt.Errorf("delete deliveries of transactions: %w", err)
	}
	if _, err := tx.Exec(ctx, `
		delete from events
		where tenant_id = @tenant_id
		and id = any(@events)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "events": events}); err != nil {
		return fmt.Errorf("delete events of transactions: %w", err)
	}
	if _, err := tx.Exec(ctx, `
		update attempt_batches b
		set attempts = kept.attempts, attempt_count = cardinality(kept.attempts)
		from (
			select xid, array(select each from unnest(attempts) each where each.request_id <> all(@deliveries)) as attempts
			from attempt_batches
			where tenant_id = @tenant_id
		) kept
		where b.tenant_id = @tenant_id
		and b.xid = kept.xid
		and b.attempt_count > cardinality(kept.attempts)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "deliveries": deliveries}); err != nil {
		return fmt.Errorf("delete attempts of transactions: %w", err)
	}
	return nil
}
