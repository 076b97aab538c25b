package hooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// NextDue returns the real time at which the tenant's next delivery is due; nil
// if there is none.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	return delivery.NextDue(ctx, db, tenantID)
}

// DueDelivery is a delivery of which an attempt is due.
type DueDelivery = delivery.Due

// NextDues returns those of the tenant's deliveries that are due next, the first ones
// first, at most limit.
func NextDues(ctx context.Context, db storage.DB, tenantID uuid.UUID, limit int) ([]DueDelivery, error) {
	return delivery.NextDues(ctx, db, tenantID, limit)
}

// ReadBacklog returns the number of deliveries of all tenants that are not finished, and
// how late they are. now is real time.
func ReadBacklog(ctx context.Context, db storage.DB, now time.Time) (Backlog, error) {
	return delivery.ReadBacklog(ctx, db, now)
}

// Shift makes those of the tenant's deliveries that are due after a real time due
// earlier by a duration, or later if it is negative, because the tenant's clock was
// moved. It returns their number.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) (rows int, err error) {
	return delivery.Shift(ctx, tx, tenantID, after, by)
}
