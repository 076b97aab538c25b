package universal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// NextDue returns the real time at which the tenant's next submission is due; nil
// if none is. A submission that is being processed counts as due, but not one that waits
// for the object store, which takes real time.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(due_at)
		from submissions
		where tenant_id = @tenant_id
		and due_at is not null
		and not parked`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("find next due submission: %w", err)
	}
	return next, nil
}

// Shift makes those of the tenant's submissions that are due after a real time due
// earlier by a duration, or later if it is negative, because the tenant's clock was
// moved.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) error {
	if _, err := tx.Exec(ctx, `
		update submissions
		set due_at = due_at - @by::interval
		where tenant_id = @tenant_id
		and due_at > @after`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "by": by}); err != nil {
		return fmt.Errorf("shift submissions: %w", err)
	}
	return nil
}
