package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// List is `GET /hooks`: the tenant's subscriptions, oldest first.
func List(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		found, err := storage.All[hook](r.Context(), db, `
			select `+hookColumns+`
			from hooks
			where tenant_id = @tenant_id
			order by created_at, id`,
			pgx.StrictNamedArgs{"tenant_id": caller.TenantID})
		if err != nil {
			return fmt.Errorf("list subscriptions: %w", err)
		}
		answer := make([]hookAnswer, len(found))
		for i, h := range found {
			if answer[i], err = newHookAnswer(seal, h); err != nil {
				return err
			}
		}
		return api.Write(w, http.StatusOK, answer)
	}
}

// Get is `GET /hooks/{hook_id}`.
func Get(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		found, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		answer, err := newHookAnswer(seal, found)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, answer)
	}
}

// Delete is `DELETE /hooks/{hook_id}`: the subscription goes with its requests.
func Delete(db storage.DB, gate *auth.Gate, rt route.Route) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		id, ok := api.ParseID(r.PathValue("hook_id"))
		if !ok {
			return notFound()
		}
		gone, err := remove(r.Context(), db, caller.TenantID, id)
		if err != nil {
			return err
		}
		if !gone {
			return notFound()
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// remove deletes the subscription with its deliveries; false when there is
// none. A dispatcher that records some of them meanwhile, in another order, may
// have Postgres end one of the two.
func remove(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) (bool, error) {
	const deadlock = "40P01"
	for tried := 0; ; tried++ {
		gone, err := db.Exec(ctx, `
			delete from hooks
			where tenant_id = @tenant_id
			and id = @id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
		var refused *pgconn.PgError
		switch {
		case err == nil:
			return gone.RowsAffected() > 0, nil
		case errors.As(err, &refused) && refused.Code == deadlock && tried < 3:
		default:
			return false, fmt.Errorf("delete subscription: %w", err)
		}
	}
}
