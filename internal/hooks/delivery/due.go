package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// NextDue returns the real time at which the tenant's next delivery is due; nil if
// there is none. A delivery in flight counts as due. A delivery whose subscription is
// inactive does not count.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(d.due_at)
		from hooks h
		join deliveries d on d.hook_id = h.id
		where h.tenant_id = @tenant_id
		and h.active
		and d.activation = h.activation
		and d.state = 'pending'`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("find next due delivery: %w", err)
	}
	return next, nil
}

// Shift makes those of the tenant's pending deliveries that are due after a real time
// due earlier by a duration, or later if it is negative, because the tenant's clock was
// moved. It locks them in the order of sortInLockOrder.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) error {
	if _, err := tx.Exec(ctx, `
		with due as (
			select d.hook_id, d.id
			from hooks h
			join deliveries d on d.hook_id = h.id
			where h.tenant_id = @tenant_id
			and d.state = 'pending'
			and d.due_at > @after
			order by d.hook_id, d.id
			for update of d
		)
		update deliveries d
		set due_at = d.due_at - @by::interval
		from due
		where d.hook_id = due.hook_id
		and d.id = due.id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "by": by}); err != nil {
		return fmt.Errorf("shift deliveries: %w", err)
	}
	return nil
}
