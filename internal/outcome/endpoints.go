package outcome

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Put is `PUT /tenants/{t}/outcomes`: it sets the outcome of matching
// submissions or companies. It replaces an outcome with the same match. If several
// outcomes match, the newest applies.
func Put(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		o, err := readOutcome(r)
		if err != nil {
			return err
		}
		o.CreatedAt = tenant.Time(gate.Now())
		err = put(r.Context(), db, tenant.ID, o)
		if overLimit(err) {
			return api.NewControlError(http.StatusConflict, err.Error())
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, outcomeBody{NewDefinition(o), api.Time(o.CreatedAt)})
	}
}

// List is `GET /tenants/{t}/outcomes`, newest first.
func List(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		room, err := Reserve(r.Context(), db, budget, tenant.ID)
		if err != nil {
			return err
		}
		defer room.Release()
		found, err := list(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		bodies := make([]outcomeBody, len(found))
		for i, o := range found {
			bodies[i] = outcomeBody{NewDefinition(o), api.Time(o.CreatedAt)}
		}
		return api.Write(w, http.StatusOK, map[string]any{"outcomes": bodies})
	}
}

// Remove is `DELETE /tenants/{t}/outcomes`: it deletes all outcomes, or only the one whose
// match has exactly the criteria of the query.
func Remove(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		match, err := readMatchQuery(r.URL.Query())
		if err != nil {
			return err
		}
		if match == nil {
			err = Drop(r.Context(), db, tenant.ID)
		} else {
			err = remove(r.Context(), db, tenant.ID, *match)
		}
		if errors.Is(err, errNoOutcome) {
			return api.NewControlError(http.StatusNotFound, "Outcome not found")
		}
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// outcomeBody is an outcome as the control API shows it.
type outcomeBody struct {
	Definition
	CreatedAt api.Time `json:"created_at,omitzero"`
}

// outcomeMemory is the memory that outcomes need while they are decoded and rendered, as
// a multiple of their stored size.
const outcomeMemory = 4

// Reserve reserves memory for all outcomes of the tenant, as List shows them, and waits
// for it.
func Reserve(ctx context.Context, db storage.DB, budget *api.Budget, tenantID uuid.UUID) (*api.Room, error) {
	_, size, err := total(ctx, db, tenantID)
	if err != nil {
		return nil, err
	}
	return budget.Reserve(ctx, tenantID, outcomeMemory*size)
}
