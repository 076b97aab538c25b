package hooks

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// hooksOfTenant selects the tenant's subscriptions, and the deleted subscriptions that
// still have deliveries.
const hooksOfTenant = `
	select id
	from hooks
	where tenant_id = @tenant_id
	union all
	select id
	from deleted_hooks
	where tenant_id = @tenant_id`

// Reset deletes the tenant's subscriptions with their deliveries, its events and the
// attempts in its feed. To avoid deadlocks it locks rows in the order of all other
// code: the subscriptions first, so that no delivery is added, then the deliveries,
// and the events last, as in trimming.
func Reset(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	for _, step := range []string{
		`
		select
		from hooks
		where tenant_id = @tenant_id
		order by id
		for update`, `
		select
		from deliveries
		where hook_id in (` + hooksOfTenant + `)
		order by hook_id, id
		for update`, `
		delete from deliveries
		where hook_id in (` + hooksOfTenant + `)`, `
		delete from failed_attempts
		where hook_id in (` + hooksOfTenant + `)`, `
		delete from hooks
		where tenant_id = @tenant_id`, `
		delete from deleted_hooks
		where tenant_id = @tenant_id`, `
		delete from events
		where tenant_id = @tenant_id`, `
		delete from attempt_batches
		where tenant_id = @tenant_id`,
	} {
		if _, err := tx.Exec(ctx, step, pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
			return fmt.Errorf("reset hooks: %w", err)
		}
	}
	return nil
}

// maxAtOnce is the number of rows of a table that a reset or a deletion of a tenant
// leaves to its last transaction.
const maxAtOnce = 5000

// DeleteMost deletes the tenant's deliveries, events and attempts in batches, each in its
// own transaction, if there are more rows than one transaction should delete. It reports
// whether there were.
func DeleteMost(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	deliveries, err := deleteDeliveries(ctx, db, tenantID)
	if err != nil {
		return false, err
	}
	events, err := deleteEvents(ctx, db, tenantID)
	if err != nil {
		return false, err
	}
	attempts, err := storage.DeleteMost(ctx, db, tenantID, "attempt_batches", "xid", maxAtOnce/10) // rows with many attempts
	return deliveries || events || attempts, err
}

func deleteDeliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "max": maxAtOnce}
	if err := db.QueryRow(ctx, `
		select exists (
			select
			from (`+hooksOfTenant+`) hook
			join deliveries d on d.hook_id = hook.id
			offset @max
			limit 1
		)`, args).Scan(&many); err != nil {
		return false, fmt.Errorf("count deliveries: %w", err)
	}
	if !many {
		return false, nil
	}
	hooks, err := storage.IDs(ctx, db, hooksOfTenant, pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return false, fmt.Errorf("find subscriptions: %w", err)
	}
	for _, id := range hooks {
		if err := delivery.DeleteOf(ctx, db, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

// maxListed is the number of events that deleteEvents lists at a time.
const maxListed = 200_000

// deleteEvents deletes the events that have no delivery left.
func deleteEvents(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	if err := db.QueryRow(ctx, `
		select exists (
			select
			from events
			where tenant_id = @tenant_id
			offset @max
			limit 1
		)`, pgx.StrictNamedArgs{"tenant_id": tenantID, "max": maxAtOnce}).Scan(&many); err != nil {
		return false, fmt.Errorf("count events: %w", err)
	}
	var last uuid.UUID
	for more := many; more; {
		// One list for many batches, because reading the index of the deliveries takes long
		// while it still has the deleted ones.
		ids, err := storage.IDs(ctx, db, `
			select id
			from events
			where tenant_id = @tenant_id
			and id > @after
			and id not in (
				select d.event_id
				from hooks h
				join deliveries d on d.hook_id = h.id
				where h.tenant_id = @tenant_id
			)
			order by id
			limit @max`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "after": last, "max": maxListed})
		if err != nil {
			return false, fmt.Errorf("list events: %w", err)
		}
		if more = len(ids) == maxListed; more {
			last = ids[maxListed-1]
		}
		for batch := range slices.Chunk(ids, maxAtOnce) {
			if err := storage.InTx(ctx, db, func(tx pgx.Tx) error { return deleteListed(ctx, tx, tenantID, batch) }); err != nil {
				return false, fmt.Errorf("delete events: %w", err)
			}
		}
	}
	return many, nil
}

// deleteListed deletes the listed events that were not redelivered in the meantime. It
// locks all of them before it checks.
func deleteListed(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, ids []uuid.UUID) error {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "ids": ids}
	if _, err := tx.Exec(ctx, `
		select
		from events
		where tenant_id = @tenant_id
		and id = any(@ids)
		order by id
		for update`, args); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		delete from events e
		where tenant_id = @tenant_id
		and id = any(@ids)
		and not exists (
			select
			from deliveries d
			where d.event_id = e.id
			and d.redelivery
		)`, args)
	return err
}
