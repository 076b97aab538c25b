package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// maxRequests is how many requests are shown at once.
const maxRequests = 100

// deliveryRow is a delivery's row as the endpoints show it: a request.
type deliveryRow struct {
	ID                 uuid.UUID
	TenantID           uuid.UUID
	HookID             uuid.UUID
	Attempt            int
	Event              string
	Redelivery         bool
	EnqueuedAt         time.Time
	CreatedAt          time.Time
	UpdatedAt          time.Time
	ResponseStatus     *int
	ResponseDurationMs *int
}

const deliveryColumns = `
	id, tenant_id, hook_id, attempt, event, redelivery, enqueued_at, created_at, updated_at,
	response_status, response_duration_ms`

// requestAnswer is the request object.
type requestAnswer struct {
	ID                 uuid.UUID `json:"id"`
	TenantID           uuid.UUID `json:"tenant_id"`
	DeliveryID         uuid.UUID `json:"delivery_id"`
	Event              string    `json:"event"`
	EnqueuedAt         api.Time  `json:"enqueued_at"`
	Redelivery         bool      `json:"redelivery"`
	HookID             uuid.UUID `json:"hook_id"`
	CreatedAt          api.Time  `json:"created_at"`
	UpdatedAt          api.Time  `json:"updated_at"`
	ResponseStatus     *int      `json:"response_status"`
	ResponseDurationMs *int      `json:"response_duration_ms"`
}

func newRequestAnswer(d deliveryRow) requestAnswer {
	return requestAnswer{
		ID:                 d.ID,
		TenantID:           d.TenantID,
		DeliveryID:         delivery.AttemptID(d.ID, max(d.Attempt, 1)), // of the last attempt, or of the first to come
		Event:              d.Event,
		EnqueuedAt:         api.Time(d.EnqueuedAt),
		Redelivery:         d.Redelivery,
		HookID:             d.HookID,
		CreatedAt:          api.Time(d.CreatedAt),
		UpdatedAt:          api.Time(d.UpdatedAt),
		ResponseStatus:     d.ResponseStatus,
		ResponseDurationMs: d.ResponseDurationMs,
	}
}

// Requests is `GET /hooks/{hook_id}/requests`: the subscription's latest
// requests, newest first.
func Requests(db storage.DB, gate *auth.Gate, rt route.Route) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		of, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		found, err := storage.All[deliveryRow](r.Context(), db, `
			select `+deliveryColumns+`
			from deliveries
			where tenant_id = @tenant_id
			and hook_id = @hook_id
			order by id desc
			limit @most`,
			pgx.StrictNamedArgs{"tenant_id": caller.TenantID, "hook_id": of.ID, "most": maxRequests})
		if err != nil {
			return fmt.Errorf("list requests: %w", err)
		}
		answer := make([]requestAnswer, len(found))
		for i, d := range found {
			answer[i] = newRequestAnswer(d)
		}
		return api.Write(w, http.StatusOK, answer)
	}
}

// Redeliver is `POST /hooks/{hook_id}/requests/{request_id}/redeliver`: it has
// the request's event sent again, the same bytes, as a request of its own, and
// answers with that. wake tells the dispatcher.
func Redeliver(db storage.DB, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		of, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		id, ok := api.ParseID(r.PathValue("request_id"))
		if !ok {
			return notFound()
		}
		made, err := redeliver(r.Context(), db, of, id, caller.Now, gate.Now())
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusCreated, newRequestAnswer(made))
	}
}

// redeliver makes a delivery of the same event to the same, active
// subscription. at is the tenant's time, now the real one.
func redeliver(ctx context.Context, db storage.DB, of hook, id uuid.UUID, at, now time.Time) (deliveryRow, error) {
	made, err := storage.One[deliveryRow](ctx, db, `
		insert into deliveries (
			id, tenant_id, hook_id, activation, event_id, event, redelivery,
			state, due_at, enqueued_at, created_at, updated_at
		)
		select
			@new_id, d.tenant_id, d.hook_id, h.activation, d.event_id, d.event, true,
			case tenant.settings ->> 'webhooks' when 'collect' then 'collected' else 'pending' end, @now, @at, @at, @at
		from deliveries d
		join hooks h on h.id = d.hook_id
		join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
		join lock_tenants(array[@tenant_id::uuid]) tenant on tenant.id = d.tenant_id
		where d.tenant_id = @tenant_id
		and d.hook_id = @hook_id
		and d.id = @id
		and h.active
		for key share of h, e
		returning `+deliveryColumns,
		pgx.StrictNamedArgs{
			"new_id": newID(), "tenant_id": of.TenantID, "hook_id": of.ID, "id": id, "at": at, "now": now,
		})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return deliveryRow{}, whyNotRedelivered(ctx, db, of, id)
	case err != nil:
		return deliveryRow{}, fmt.Errorf("redeliver: %w", err)
	}
	return made, nil
}

// whyNotRedelivered is the refusal: there is no such request, or its
// subscription is off.
func whyNotRedelivered(ctx context.Context, db storage.DB, of hook, id uuid.UUID) error {
	var exists bool
	if err := db.QueryRow(ctx, `
		select exists(
			select from deliveries
			where tenant_id = @tenant_id
			and hook_id = @hook_id
			and id = @id
		)`,
		pgx.StrictNamedArgs{"tenant_id": of.TenantID, "hook_id": of.ID, "id": id}).Scan(&exists); err != nil {
		return fmt.Errorf("redeliver: %w", err)
	}
	if !exists {
		return notFound()
	}
	return problems{"active": {notActive}}.refusal()
}
