package universal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// NextDue is the real time at which the next of the tenant's submissions is
// due; nil when none is. One that is being worked on is due.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(due_at)
		from submissions
		where tenant_id = @tenant_id
		and due_at is not null`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("look for due submissions: %w", err)
	}
	return next, nil
}

// Shift makes all that is due of the tenant due sooner, because its clock has
// moved forward.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, by time.Duration) error {
	if _, err := tx.Exec(ctx, `
		update submissions
		set due_at = due_at - @by::interval
		where tenant_id = @tenant_id
		and due_at is not null`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "by": by}); err != nil {
		return fmt.Errorf("shift submissions: %w", err)
	}
	return nil
}

// Moves returns the states that the tenant's submissions reached after one
// time and until another, in order.
func Moves(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Move, error) {
	moves, err := storage.All[Move](ctx, db, `
		select tx_id, t.status, at
		from submission_timeline t
		join submissions s using (tx_id)
		where s.tenant_id = @tenant_id
		and at > @after
		and at <= @until
		order by at, tx_id, `+rank,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list moves: %w", err)
	}
	return moves, nil
}

// ExpiredUploads returns the tenant's submissions whose upload address ran out after
// one time and until another without a file, in order. Their status is Pending.
func ExpiredUploads(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Move, error) {
	expired, err := storage.All[Move](ctx, db, `
		select tx_id, status, upload_expires_at as at
		from submissions
		where tenant_id = @tenant_id
		and object_key is null
		and upload_expires_at > @after
		and upload_expires_at <= @until
		order by upload_expires_at, tx_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list expired upload addresses: %w", err)
	}
	return expired, nil
}
