package control

import (
	"net/http"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// hookBody is a subscription without its secret, and with the value of its header
// masked.
type hookBody struct {
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

func newHookBody(s hooks.Subscription) hookBody {
	n := s.Deliveries
	return hookBody{
		ID: s.ID, MadeBy: s.MadeBy, Name: s.Name, Active: s.Active, Events: s.Events, URL: s.URL, Header: s.Header, HasSecret: s.HasSecret,
		CreatedAt: api.Time(s.CreatedAt), UpdatedAt: api.Time(s.UpdatedAt),
		Deliveries: stateCount{n.Pending, n.Delivered, n.Dead, n.Dropped, n.Collected},
	}
}

// Hooks is `GET /tenants/{t}/hooks`, oldest first.
func Hooks(db storage.DB, budget *api.Budget, editor *hooks.Editor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		found, err := editor.List(r.Context(), tenant.ID)
		if err != nil {
			return err
		}
		bodies := make([]hookBody, len(found))
		for i, s := range found {
			bodies[i] = newHookBody(s)
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"hooks": bodies})
	}
}

// Hook is `GET /tenants/{t}/hooks/{id}`.
func Hook(db storage.DB, editor *hooks.Editor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		found, err := editor.Get(r.Context(), tenant.ID, r.PathValue("id"))
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newHookBody(found))
	}
}

// CreateHook is `POST /tenants/{t}/hooks`.
func CreateHook(db storage.DB, editor *hooks.Editor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, hooks.SubscriptionFields...)
		if err != nil {
			return err
		}
		created, err := editor.Create(r.Context(), tenant, body)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusCreated, newHookBody(created))
	}
}

// ChangeHook is `PUT /tenants/{t}/hooks/{id}`: fields that are not sent are not changed.
func ChangeHook(db storage.DB, editor *hooks.Editor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, hooks.SubscriptionFields...)
		if err != nil {
			return err
		}
		changed, err := editor.Update(r.Context(), tenant, r.PathValue("id"), body)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newHookBody(changed))
	}
}

// DeleteHook is `DELETE /tenants/{t}/hooks/{id}`.
func DeleteHook(db storage.DB, editor *hooks.Editor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		if err := editor.Delete(r.Context(), tenant.ID, r.PathValue("id")); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
