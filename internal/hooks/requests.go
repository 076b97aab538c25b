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

// maxRequests is the maximum number of requests in a list.
const maxRequests = 100

// deliveryRow has the columns of a delivery that the endpoints show, as a request.
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

// requestBody is the request object of the API, which is a delivery.
type requestBody struct {
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

func newRequestBody(d deliveryRow) requestBody {
	return requestBody{
		ID:                 d.ID,
		TenantID:           d.TenantID,
		DeliveryID:         delivery.AttemptID(d.ID, max(d.Attempt, 1)), // of the last attempt; of the first one if there was none
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
		h, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		found, err := storage.All[deliveryRow](r.Context(), db, `
			select `+deliveryColumns+`
			from deliveries
			where tenant_id = @tenant_id
			and hook_id = @hook_id
			order by id desc
			limit @max`,
			pgx.StrictNamedArgs{"tenant_id": caller.TenantID, "hook_id": h.ID, "max": maxRequests})
		if err != nil {
			return fmt.Errorf("list requests: %w", err)
		}
		bodies := make([]requestBody, len(found))
		for i, d := range found {
			bodies[i] = newRequestBody(d)
		}
		return api.Write(w, http.StatusOK, bodies)
	}
}

// Redeliver is `POST /hooks/{hook_id}/requests/{request_id}/redeliver`: it creates a
// new request that sends the same bytes for the same event, and responds with it.
// wake wakes the dispatcher.
func Redeliver(db storage.DB, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		if r.Header.Get("X-Emperor-Event") != "" {
			return causedByDelivery() // otherwise a subscription to this URL would redeliver forever
		}
		h, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		id, ok := api.ParseID(r.PathValue("request_id"))
		if !ok {
			return notFound()
		}
		created, err := insertRedelivery(r.Context(), db, caller.Tenant(), h.ID, id, gate.Now())
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusCreated, newRequestBody(created))
	}
}

// insertRedelivery creates a delivery of the event of the subscription's delivery with the id,
// to the same subscription. Its error is a 404 if there is no such delivery, and a 422
// if the subscription is inactive. now is real time.
func insertRedelivery(ctx context.Context, db storage.DB, tenant auth.Tenant, hookID, id uuid.UUID, now time.Time) (deliveryRow, error) {
	newID, err := auth.NewID(ctx, db, auth.EventID, tenant)
	if err != nil {
		return deliveryRow{}, err
	}
	created, err := storage.One[deliveryRow](ctx, db, `
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
			"new_id": newID, "tenant_id": tenant.ID, "hook_id": hookID, "id": id, "at": tenant.Time(now), "now": now,
		})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return deliveryRow{}, redeliveryError(ctx, db, tenant.ID, hookID, id)
	case err != nil:
		return deliveryRow{}, fmt.Errorf("redeliver: %w", err)
	}
	return created, nil
}

// redeliveryError returns why nothing was redelivered: a 404 if there is no such
// request, otherwise a 422, since the subscription is inactive.
func redeliveryError(ctx context.Context, db storage.DB, tenantID, hookID, id uuid.UUID) error {
	var exists bool
	if err := db.QueryRow(ctx, `
		select exists(
			select from deliveries
			where tenant_id = @tenant_id
			and hook_id = @hook_id
			and id = @id
		)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "hook_id": hookID, "id": id}).Scan(&exists); err != nil {
		return fmt.Errorf("redeliver: %w", err)
	}
	if !exists {
		return notFound()
	}
	return fieldErrors{"active": inactive}.asError()
}
