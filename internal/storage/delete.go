package storage

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// DeleteMost deletes the tenant's rows from a table in batches, each in its own
// transaction, if there is more than one batch. It reports whether there was. A batch has
// the first rows in the order of an index that starts with tenant_id. Rows that another
// transaction has locked are skipped.
func DeleteMost(ctx context.Context, db DB, tenantID uuid.UUID, table, order string, batch int) (many bool, err error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "batch": batch}
	if err := db.QueryRow(ctx, `
		select exists (
			select
			from `+table+`
			where tenant_id = @tenant_id
			order by `+order+`
			offset @batch
			limit 1
		)`, args).Scan(&many); err != nil {
		return false, fmt.Errorf("count rows of %s: %w", table, err)
	}
	for more := many; more; {
		deleted, err := db.Exec(ctx, `
			delete from `+table+`
			where (select announce_tenants(array[@tenant_id::uuid])) -- so that readers of other feeds do not wait
			and ctid = any(array(
				select ctid
				from `+table+`
				where tenant_id = @tenant_id
				order by `+order+`
				limit @batch
				for update skip locked
			))`, args)
		if err != nil {
			return false, fmt.Errorf("delete rows of %s: %w", table, err)
		}
		more = int(deleted.RowsAffected()) == batch
	}
	return many, nil
}
