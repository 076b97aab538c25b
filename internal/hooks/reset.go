package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

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
		where hook_id in (select id from hooks where tenant_id = @tenant_id)
		order by hook_id, id
		for update`, `
		delete from hooks
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
