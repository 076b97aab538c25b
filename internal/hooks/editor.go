package hooks

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// Editor has the endpoints of the control API for subscriptions. They refuse to change
// those that a client has made through the API. An error about input has one message that
// names every invalid field.
type Editor struct {
	DB      storage.DB
	Seal    *Seal
	Sender  *Sender
	Counter *Counter
	Changed func(uuid.UUID)  // is called after a subscription was changed, with its id, or that of its tenant if several may have been changed
	Now     func() time.Time // real time
}

// subscriptionFields are the keys of the input of Create and Change.
var subscriptionFields = []string{"name", "url", "events", "header", "secret", "active"}

// subscriptionBody is a subscription as the control API shows it: without its secret, and
// with the value of its header masked. Times are the tenant's.
type subscriptionBody struct {
	ID         uuid.UUID  `json:"id"`
	MadeBy     string     `json:"made_by"`
	Name       string     `json:"name"`
	Active     bool       `json:"active"`
	Events     []string   `json:"events"`
	URL        string     `json:"url"`
	Header     string     `json:"header"`
	HasSecret  bool       `json:"has_secret"`
	CreatedAt  api.Time   `json:"created_at"`
	UpdatedAt  api.Time   `json:"updated_at"`
	Deliveries stateCount `json:"deliveries"`
}

// stateCount is the number of deliveries in each state.
type stateCount struct {
	Pending   int `json:"pending"`
	Delivered int `json:"delivered"`
	Dead      int `json:"dead"`
	Dropped   int `json:"dropped"`
	Collected int `json:"collected"`
}

// List is `GET /tenants/{t}/hooks`, oldest first.
func (e *Editor) List(budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, e.DB)
		if err != nil {
			return err
		}
		found, err := selectHooks(r.Context(), e.DB, tenant.ID)
		if err != nil {
			return err
		}
		counts, err := e.Counter.Deliveries(r.Context(), e.DB, tenant.ID)
		if err != nil {
			return err
		}
		bodies, err := e.describe(r.Context(), found, counts)
		if err != nil {
			return err
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"hooks": bodies})
	}
}

// selectHooks returns the tenant's subscriptions, oldest first.
func selectHooks(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]hook, error) {
	found, err := storage.All[hook](ctx, db, `
		select `+hookColumns+`
		from hooks
		where tenant_id = @tenant_id
		order by created_at, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return found, nil
}

// Read is `GET /tenants/{t}/hooks/{id}`.
func (e *Editor) Read() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, e.DB)
		if err != nil {
			return err
		}
		found, err := find(r.Context(), e.DB, tenant.ID, r.PathValue("id"))
		if err != nil {
			return controlError(err)
		}
		return e.write(w, r, http.StatusOK, found)
	}
}

// write responds with the subscription.
func (e *Editor) write(w http.ResponseWriter, r *http.Request, status int, h hook) error {
	counts, err := countDeliveries(r.Context(), e.DB, []uuid.UUID{h.ID})
	if err != nil {
		return err
	}
	described, err := e.describe(r.Context(), []hook{h}, counts)
	if err != nil {
		return err
	}
	return api.Write(w, status, described[0])
}

// describe returns the subscriptions with the number of their deliveries by state.
func (e *Editor) describe(ctx context.Context, found []hook, counts []DeliveryCounts) ([]subscriptionBody, error) {
	deliveries := map[uuid.UUID]DeliveryCounts{}
	for _, count := range counts {
		deliveries[count.HookID] = count
	}
	described := make([]subscriptionBody, len(found))
	for i, h := range found {
		header, err := e.maskedHeader(ctx, h)
		if err != nil {
			return nil, err
		}
		n := deliveries[h.ID]
		described[i] = subscriptionBody{
			ID: h.ID, MadeBy: h.MadeBy, Name: h.Name, Active: h.Active, Events: h.Events, URL: h.URL, Header: header, HasSecret: h.Secret != nil,
			CreatedAt: api.Time(h.CreatedAt), UpdatedAt: api.Time(h.UpdatedAt),
			Deliveries: stateCount{n.Pending, n.Delivered, n.Dead, n.Dropped, n.Collected},
		}
	}
	return described, nil
}

// maskedHeader returns the subscription's header with its value masked; "" if there is
// none.
func (e *Editor) maskedHeader(ctx context.Context, h hook) (string, error) {
	header, err := e.Seal.Open(ctx, h.Header, h.ID, delivery.HeaderColumn)
	if err != nil {
		return "", fmt.Errorf("subscription %s: %w", h.ID, err)
	}
	if header == "" {
		return "", nil
	}
	name, _ := delivery.SplitHeader(header)
	return name + ": " + api.Masked, nil
}

// Create is `POST /tenants/{t}/hooks`.
func (e *Editor) Create() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, e.DB)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, subscriptionFields...)
		if err != nil {
			return err
		}
		in, fieldErrs := e.parse(body, "")
		var created hook
		err = auth.InTenantTx(r.Context(), e.DB, tenant.ID, func(tx pgx.Tx, _ auth.Tenant) (err error) {
			var wrong fieldErrors
			created, wrong, err = createHook(r.Context(), tx, e.Seal, tenant, hook{OwnerID: tenant.ID, MadeBy: madeByConsole}, in, fieldErrs, tenant.Time(e.Now()))
			if err != nil {
				return err
			}
			return wrong.asControlError()
		})
		if err != nil {
			return err
		}
		return e.write(w, r, http.StatusCreated, created)
	}
}

// Change is `PUT /tenants/{t}/hooks/{id}`: fields that are not sent are not changed. The
// masked header, as Read shows it, means no change.
func (e *Editor) Change() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, e.DB)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, subscriptionFields...)
		if err != nil {
			return err
		}
		var changed hook
		err = auth.InTenantTx(r.Context(), e.DB, tenant.ID, func(tx pgx.Tx, _ auth.Tenant) (err error) {
			changed, err = e.change(r.Context(), tx, tenant, r.PathValue("id"), body)
			return err
		})
		if err != nil {
			return err
		}
		e.Changed(changed.ID)
		return e.write(w, r, http.StatusOK, changed)
	}
}

func (e *Editor) change(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, id string, body api.Object) (hook, error) {
	sealer, err := e.Seal.Begin(ctx, tx)
	if err != nil {
		return hook{}, err
	}
	found, err := e.findOwn(ctx, tx, tenant.ID, id, "changed")
	if err != nil {
		return hook{}, err
	}
	masked, err := e.maskedHeader(ctx, found)
	if err != nil {
		return hook{}, err
	}
	in, fieldErrs := e.parse(maps.Clone(body), masked)
	changed, wrong, err := updateHook(ctx, tx, found, in, fieldErrs, sealer, tenant.Time(e.Now()))
	if err != nil {
		return hook{}, err
	}
	return changed, wrong.asControlError()
}

// Delete is `DELETE /tenants/{t}/hooks/{id}`: it deletes the subscription with its
// deliveries.
func (e *Editor) Delete() api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, e.DB)
		if err != nil {
			return err
		}
		var found hook
		err = storage.InTx(r.Context(), e.DB, func(tx pgx.Tx) (err error) {
			found, err = e.findOwn(r.Context(), tx, tenant.ID, r.PathValue("id"), "deleted")
			return err
		})
		if err != nil {
			return err
		}
		deleted, err := deleteHook(r.Context(), e.DB, tenant.ID, found.ID) // made_by never changes
		if err == nil && !deleted {
			err = controlError(notFound())
		}
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// findOwn is findForUpdate, except that its error is a 409 for a subscription that a
// client has made. done says what would be done to it.
func (e *Editor) findOwn(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, id, done string) (hook, error) {
	found, err := findForUpdate(ctx, tx, tenantID, id)
	if err != nil {
		return hook{}, controlError(err)
	}
	if found.MadeBy != madeByConsole {
		return hook{}, api.NewControlError(http.StatusConflict,
			"The subscription was made by a client of the API, so it can be "+done+" only through the API")
	}
	return found, nil
}
