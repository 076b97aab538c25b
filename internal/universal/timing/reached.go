package timing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// StatesReached returns the states that the tenant's submissions reached after one
// of its times and until another, in order.
func StatesReached(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]universal.ReachedState, error) {
	reached, err := storage.All[universal.ReachedState](ctx, db, `
		select tx_id, t.status, at
		from submission_timeline t
		join submissions s using (tx_id)
		where s.tenant_id = @tenant_id
		and at > @after
		and at <= @until
		order by at, tx_id, `+universal.StateOrder,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list states reached: %w", err)
	}
	return reached, nil
}

// ExpiredUploads returns the tenant's submissions without a file whose upload URL
// expired after one of its times and until another, in order. Their status is
// Pending, and At is the time of expiry.
func ExpiredUploads(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]universal.ReachedState, error) {
	expired, err := storage.All[universal.ReachedState](ctx, db, `
		select tx_id, status, upload_expires_at as at
		from submissions
		where tenant_id = @tenant_id
		and object_key is null
		and upload_expires_at > @after
		and upload_expires_at <= @until
		order by upload_expires_at, tx_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list expired upload URLs: %w", err)
	}
	return expired, nil
}

// NextUploadExpiries returns the tenant's submissions without a file whose upload URL
// expires next after one of its times, the first ones first, at most limit. See
// ExpiredUploads.
func NextUploadExpiries(ctx context.Context, db storage.DB, tenantID uuid.UUID, after time.Time, limit int) ([]universal.ReachedState, error) {
	next, err := storage.All[universal.ReachedState](ctx, db, `
		select tx_id, status, upload_expires_at as at
		from submissions
		where tenant_id = @tenant_id
		and status = 'Pending'
		and object_key is null
		and upload_expires_at > @after
		order by upload_expires_at, tx_id
		limit @limit`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list upload URLs that expire: %w", err)
	}
	return next, nil
}
