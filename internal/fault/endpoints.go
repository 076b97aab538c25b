package fault

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Create is `POST /tenants/{t}/faults`. now returns the real time.
func Create(db storage.DB, injector *Injector, now func() time.Time) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.Read(r, api.MessageErrors)
		if err != nil {
			return err
		}
		created, err := readFault(body, tenant.Time(now()))
		if err != nil {
			return err
		}
		created.TenantID = tenant.ID
		if created.ID, err = uuid.NewV7(); err != nil {
			return err
		}
		err = create(r.Context(), db, created)
		if errors.Is(err, errTooMany) || errors.Is(err, errTooLarge) {
			return api.NewControlError(http.StatusConflict, err.Error())
		}
		if err != nil {
			return err
		}
		injector.Refresh(tenant.ID)
		return api.Write(w, http.StatusCreated, newFaultBody(created))
	}
}

// List is `GET /tenants/{t}/faults`.
func List(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		found, err := selectFaults(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		faults := make([]faultBody, len(found))
		for i, f := range found {
			faults[i] = newFaultBody(f)
		}
		return api.WriteWithin(w, r, budget, tenant.ID, map[string]any{"faults": faults})
	}
}

// Remove is `DELETE /tenants/{t}/faults` and `DELETE /tenants/{t}/faults/{id}`.
func Remove(db storage.DB, injector *Injector) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		var only *uuid.UUID
		if text := r.PathValue("id"); text != "" {
			id, err := uuid.Parse(text)
			if err != nil {
				return notFound()
			}
			only = &id
		}
		deleted, err := deleteFaults(r.Context(), db, tenant.ID, only)
		if err != nil {
			return err
		}
		injector.Refresh(tenant.ID)
		if only != nil && deleted == 0 {
			return notFound()
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

func notFound() *api.Error { return api.NewControlError(http.StatusNotFound, "Fault not found") }
