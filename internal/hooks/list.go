package hooks

import (
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

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
		bodies := make([]hookBody, len(found))
		for i, h := range found {
			if bodies[i], err = newHookBody(r.Context(), seal, h); err != nil {
				return err
			}
		}
		return api.Write(w, http.StatusOK, bodies)
	}
}
