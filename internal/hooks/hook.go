// Package hooks implements webhooks: the endpoints for subscriptions and their
// requests, and the publishing of events. Publish writes an event, and a delivery
// for each matching subscription, in the transaction of the change that caused it.
// Package delivery, which only this package imports, sends the deliveries.
//
// It does not know what the events mean.
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

// The maximum number of subscriptions of a tenant, and of active ones.
const (
	maxHooks  = 1000
	maxActive = 10
)

// hook is a row of hooks: a subscription. Times are the tenant's.
type hook struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	OwnerID   uuid.UUID
	Active    bool
	Events    []string
	URL       string
	Header    []byte // sealed
	Secret    []byte // sealed
	MadeBy    string // madeByAPI or madeByConsole
	Name      string // "" = none; only for people
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Values of hook.MadeBy.
const (
	madeByAPI     = "api"
	madeByConsole = "console"
)

const hookColumns = `
	id, tenant_id, owner_id, active, events, url, header, secret, made_by, name, created_at, updated_at`

// find returns the tenant's subscription with the id, which may be any text. Its error
// is a 404 if there is none.
func find(ctx context.Context, db storage.DB, tenantID uuid.UUID, hookID string) (hook, error) {
	return selectHook(ctx, db, tenantID, hookID, "")
}

// findForUpdate is like find, but locks the subscription until the transaction ends.
func findForUpdate(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, hookID string) (hook, error) {
	return selectHook(ctx, tx, tenantID, hookID, "for no key update")
}

func selectHook(ctx context.Context, db storage.DB, tenantID uuid.UUID, hookID, locking string) (hook, error) {
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

// hookBody is the subscription object (service.md, "Resources").
type hookBody struct {
	ID        uuid.UUID  `json:"id"`
	Active    bool       `json:"active"`
	Confirmed bool       `json:"confirmed"`
	Events    []string   `json:"events"`
	Config    configBody `json:"config"`
	OwnerID   uuid.UUID  `json:"owner_id"`
	TenantID  uuid.UUID  `json:"tenant_id"`
	CreatedAt api.Time   `json:"created_at"`
	UpdatedAt api.Time   `json:"updated_at"`
}

type configBody struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // always ""
	Header string `json:"header"`
}

func newHookBody(ctx context.Context, seal *Seal, h hook) (hookBody, error) {
	header, err := seal.Open(ctx, h.Header, h.ID, delivery.HeaderColumn)
	if err != nil {
		return hookBody{}, fmt.Errorf("subscription %s: %w", h.ID, err)
	}
	return hookBody{
		ID:        h.ID,
		Active:    h.Active,
		Events:    h.Events,
		Config:    configBody{URL: h.URL, Header: header},
		OwnerID:   h.OwnerID,
		TenantID:  h.TenantID,
		CreatedAt: api.Time(h.CreatedAt),
		UpdatedAt: api.Time(h.UpdatedAt),
	}, nil
}
