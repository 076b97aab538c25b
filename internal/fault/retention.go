package fault

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// DeleteExpired deletes the faults of all tenants that expired auth.ExpiredRetention ago,
// and returns their number. now is real time.
func DeleteExpired(ctx context.Context, db storage.DB, now time.Time) (int64, error) {
	expiring, err := storage.IDs(ctx, db, `
		select distinct tenant_id
		from faults
		where expires_at is not null`,
		pgx.StrictNamedArgs{})
	if err != nil || len(expiring) == 0 {
		return 0, wrapDelete(err)
	}
	tenants, err := auth.Tenants(ctx, db, expiring)
	if err != nil {
		return 0, err
	}
	var ids []uuid.UUID
	var times []time.Time
	for id, tenant := range tenants {
		ids, times = append(ids, id), append(times, tenant.Time(now))
	}
	if _, err := db.Exec(ctx, `
		update faults
		set found_expired_at = @now
		where id in (
			select f.id
			from faults f
			join unnest(@tenants::uuid[], @times::timestamptz[]) tenant (id, now) on tenant.id = f.tenant_id
			where f.found_expired_at is null
			and f.expires_at <= tenant.now
			for update of f skip locked
		)`,
		pgx.StrictNamedArgs{"now": now, "tenants": ids, "times": times}); err != nil {
		return 0, wrapDelete(err)
	}
	deleted, err := db.Exec(ctx, `
		delete from faults
		where id in (
			select id
			from faults
			where found_expired_at < @before
			for update skip locked
		)`,
		pgx.StrictNamedArgs{"before": now.Add(-auth.ExpiredRetention)})
	return deleted.RowsAffected(), wrapDelete(err)
}

func wrapDelete(err error) error {
	if err != nil {
		return fmt.Errorf("delete expired faults: %w", err)
	}
	return nil
}
