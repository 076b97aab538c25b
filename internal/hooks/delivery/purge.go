package delivery

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// purgeInterval is the time between two searches for deleted subscriptions.
const purgeInterval = time.Second

// runPurger calls Purge every purgeInterval until ctx ends.
func (d *Dispatcher) runPurger(ctx context.Context) {
	every(ctx, purgeInterval, "deleting the deliveries of deleted subscriptions failed", func() error { return Purge(ctx, d.db) })
}

// Purge deletes the deliveries of the subscriptions that were deleted, with their
// attempts, and the events that have no delivery left. Servers that purge at the same
// time skip the rows that another one has locked.
func Purge(ctx context.Context, db storage.DB) error {
	hooks, err := storage.IDs(ctx, db, `
		select id
		from deleted_hooks
		order by id`,
		pgx.StrictNamedArgs{})
	if err != nil {
		return fmt.Errorf("find deleted subscriptions: %w", err)
	}
	for _, id := range hooks {
		if err := purgeHook(ctx, db, id); err != nil {
			return fmt.Errorf("purge deleted subscription: %w", err)
		}
	}
	return nil
}

func purgeHook(ctx context.Context, db storage.DB, id uuid.UUID) error {
	// With an id seed, an id can recur. A server of an earlier release resets the tenant
	// without a purge; the rows then belong to the new subscription.
	recurred, err := db.Exec(ctx, `
		delete from deleted_hooks
		where id = @id
		and exists (select from hooks where id = @id)`,
		pgx.StrictNamedArgs{"id": id})
	if err != nil || recurred.RowsAffected() > 0 {
		return err
	}
	if err := DeleteOf(ctx, db, id); err != nil {
		return err
	}
	_, err = db.Exec(ctx, `
		delete from deleted_hooks
		where id = @id
		and not exists (select from deliveries where hook_id = @id) -- some may have been locked`,
		pgx.StrictNamedArgs{"id": id})
	return err
}

// DeleteOf deletes the deliveries of a subscription, with their attempts, and the
// events that have no delivery left, in batches. It skips deliveries that another
// transaction has locked.
func DeleteOf(ctx context.Context, db storage.DB, hookID uuid.UUID) error {
	var last uuid.UUID
	for {
		var deleted []uuid.UUID
		err := storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
			deleted, err = deleteBatch(ctx, tx, hookID, last)
			return err
		})
		if err != nil {
			return fmt.Errorf("delete deliveries: %w", err)
		}
		if len(deleted) < trimBatch {
			return nil
		}
		last = slices.MaxFunc(deleted, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	}
}

// deleteBatch deletes the next batch of the subscription's deliveries, and the events that
// have no delivery left, and returns the ids of the deliveries. It begins after the
// delivery with the id after, so that index entries of deleted rows are not read again.
func deleteBatch(ctx context.Context, tx pgx.Tx, hookID, after uuid.UUID) ([]uuid.UUID, error) {
	deleted, err := storage.All[struct{ ID, TenantID, EventID uuid.UUID }](ctx, tx, `
		delete from deliveries
		where (select announce_tenants('{}')) -- no reader of a feed has to wait
		and ctid = any(array(
			select ctid
			from deliveries
			where hook_id = @hook_id
			and id > @after
			order by id
			limit @batch
			for update skip locked
		))
		returning id, tenant_id, event_id`,
		pgx.StrictNamedArgs{"hook_id": hookID, "after": after, "batch": trimBatch})
	if err != nil || len(deleted) == 0 {
		return nil, err
	}
	n := len(deleted)
	ids, tenants, events := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	for i, row := range deleted {
		ids[i], tenants[i], events[i] = row.ID, row.TenantID, row.EventID
	}
	// The recorder locks a delivery before it inserts an attempt, so this statement sees
	// all attempts.
	if _, err := tx.Exec(ctx, `
		delete from failed_attempts a
		using unnest(@ids::uuid[]) deleted (id)
		where a.hook_id = @hook_id
		and a.delivery_id = deleted.id`,
		pgx.StrictNamedArgs{"hook_id": hookID, "ids": ids}); err != nil {
		return nil, err
	}
	return ids, trimEvents(ctx, tx, tenants, events)
}
