package feed

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// maxStates is the number of states that are kept per tenant. There can be more until
// Trim runs.
const maxStates = 10_000

// Trim deletes the oldest states of the tenants that have more than maxStates.
func Trim(ctx context.Context, db storage.DB) error {
	long, err := storage.IDs(ctx, db, `
		select tenant_id
		from feed
		group by tenant_id
		having count(*) > @max`,
		pgx.StrictNamedArgs{"max": maxStates})
	if err != nil {
		return fmt.Errorf("find long feeds: %w", err)
	}
	for _, tenantID := range long {
		if err := keepNewest(ctx, db, tenantID, maxStates); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMost deletes the tenant's states in batches if there are many, and reports
// whether there were.
func DeleteMost(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	return storage.DeleteMost(ctx, db, tenantID, "feed", "xid, seq", 5000)
}

// Delete deletes all states of a tenant.
func Delete(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	return keepNewest(ctx, db, tenantID, 0)
}

// keepNewest deletes all but the newest n states of a tenant.
func keepNewest(ctx context.Context, db storage.DB, tenantID uuid.UUID, n int) error {
	if _, err := db.Exec(ctx, `
		delete from feed
		where (select announce_tenants(array[@tenant_id::uuid])) -- so that readers of other feeds do not wait
		and tenant_id = @tenant_id
		and (xid, seq) <= (
			select xid, seq
			from feed
			where tenant_id = @tenant_id
			order by xid desc, seq desc
			offset @keep
			limit 1
		)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "keep": n}); err != nil {
		return fmt.Errorf("trim feed: %w", err)
	}
	return nil
}
