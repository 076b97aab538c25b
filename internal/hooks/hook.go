// Package hooks tells tenants' own servers what has happened. A tenant keeps
// subscriptions; Publish writes an event, and a delivery for each subscription
// that matches it, into the transaction of the change that it tells of; the
// Dispatcher claims the deliveries that are due, signs and sends them, and
// records what came of it until each was delivered or has died.
//
// It knows nothing of what the events mean.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// How many subscriptions a tenant may have, and how many of them active.
const (
	maxHooks  = 1000
	maxActive = 10
)

// hook is a subscription's row. Times are the tenant's.
type hook struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	OwnerID   uuid.UUID
	Active    bool
	Events    []string
	URL       string
	Header    []byte // sealed
	Secret    []byte // sealed
	CreatedAt time.Time
	UpdatedAt time.Time
}

const hookColumns = `
	id, tenant_id, owner_id, active, events, url, header, secret, created_at, updated_at`

// find returns the tenant's subscription of the given id, which may be any text.
func find(ctx context.Context, db storage.DB, tenantID uuid.UUID, hookID string) (hook, error) {
	return read(ctx, db, tenantID, hookID, "")
}

// hold is find, and keeps others from changing the subscription until the
// transaction ends.
func hold(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, hookID string) (hook, error) {
	return read(ctx, tx, tenantID, hookID, "for no key update")
}

func read(ctx context.Context, db storage.DB, tenantID uuid.UUID, hookID, locking string) (hook, error) {
	id, ok := api.ParseID(hookID)
	if !ok {
		return hook{}, notFound()
	}
	found, err := storage.One[hook](ctx, db, `
		select `+hookColumns+`
		from hooks
		where tenant_id = @tenant_id
		and id = @id
		`+locking,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return hook{}, notFound()
	}
	if err != nil {
		return hook{}, fmt.Errorf("find subscription: %w", err)
	}
	return found, nil
}

// newID returns an id for a row. Those made together lie together in an index.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// hookAnswer is the subscription object (service.md, "Resources").
type hookAnswer struct {
	ID        uuid.UUID    `json:"id"`
	Active    bool         `json:"active"`
	Confirmed bool         `json:"confirmed"`
	Events    []string     `json:"events"`
	Config    configAnswer `json:"config"`
	OwnerID   uuid.UUID    `json:"owner_id"`
	TenantID  uuid.UUID    `json:"tenant_id"`
	CreatedAt api.Time     `json:"created_at"`
	UpdatedAt api.Time     `json:"updated_at"`
}

type configAnswer struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // never shown
	Header string `json:"header"`
}

func newHookAnswer(seal *Seal, h hook) (hookAnswer, error) {
	header, err := seal.Open(h.Header, h.ID, delivery.HeaderColumn)
	if err != nil {
		return hookAnswer{}, fmt.Errorf("subscription %s: %w", h.ID, err)
	}
	return hookAnswer{
		ID:        h.ID,
		Active:    h.Active,
		Events:    h.Events,
		Config:    configAnswer{URL: h.URL, Header: header},
		OwnerID:   h.OwnerID,
		TenantID:  h.TenantID,
		CreatedAt: api.Time(h.CreatedAt),
		UpdatedAt: api.Time(h.UpdatedAt),
	}, nil
}
