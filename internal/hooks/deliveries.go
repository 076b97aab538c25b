package hooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy/internal/api"
	"understudy/internal/storage"
)

// Delivery is an event on its way to a subscription, or there. Times are the
// tenant's.
type Delivery struct {
	ID         uuid.UUID
	HookID     uuid.UUID
	URL        string
	EventID    uuid.UUID
	Event      string
	Body       []byte // the exact bytes sent
	State      string // pending, delivered, dead, dropped or collected
	Redelivery bool
	CreatedAt  time.Time
}

// Deliveries returns the tenant's newest deliveries, newest first.
func Deliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID, limit int) ([]Delivery, error) {
	found, err := storage.All[Delivery](ctx, db, `
		select d.id, d.hook_id, h.url, d.event_id, d.event, e.body, d.state, d.redelivery, d.created_at
		from hooks h
		join deliveries d on d.hook_id = h.id
		join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
		where h.tenant_id = @tenant_id
		order by d.id desc
		limit @limit`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return found, nil
}

// AttemptsOf returns the attempts of the tenant's deliveries of these ids, in
// order.
func AttemptsOf(ctx context.Context, db storage.DB, tenantID uuid.UUID, ids []uuid.UUID) ([]Attempt, error) {
	return attempts(ctx, db, `
		and d.id = any(@ids)
		order by d.id, a.number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "ids": ids})
}

// ErrOff is the error of a redelivery to a subscription that is off.
var ErrOff = errors.New("subscription is off")

// SendAgain makes a delivery of the same event as the tenant's delivery of this
// id, and returns its id; pgx.ErrNoRows when there is none. at is the tenant's
// time, now the real one.
func SendAgain(ctx context.Context, db storage.DB, tenantID uuid.UUID, deliveryID string, at, now time.Time) (uuid.UUID, error) {
	id, ok := api.ParseID(deliveryID)
	if !ok {
		return uuid.Nil, pgx.ErrNoRows
	}
	var hookID uuid.UUID
	if err := db.QueryRow(ctx, `
		select d.hook_id
		from hooks h
		join deliveries d on d.hook_id = h.id
		where h.tenant_id = @tenant_id
		and d.id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id}).Scan(&hookID); err != nil {
		return uuid.Nil, fmt.Errorf("find delivery: %w", err)
	}
	made, err := redeliver(ctx, db, hook{ID: hookID, TenantID: tenantID}, id, at, now)
	if isRefusal(err) {
		return uuid.Nil, ErrOff
	}
	return made.ID, err
}
