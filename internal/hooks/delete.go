package hooks

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Delete is `DELETE /hooks/{hook_id}`: it deletes the subscription with its requests.
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
		deleted, err := deleteHook(r.Context(), db, caller.TenantID, id)
		if err != nil {
			return err
		}
		if !deleted {
			return notFound()
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// deleteHook deletes the subscription; it returns false if there is none. A trigger marks
// it in deleted_hooks, and the dispatcher deletes its deliveries, which may take a long
// time. No call shows them in the meantime, and none is sent.
func deleteHook(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) (found bool, err error) {
	deleted, err := db.Exec(ctx, `
		delete from hooks
		where tenant_id = @tenant_id
		and id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if err != nil {
		return false, fmt.Errorf("delete subscription: %w", err)
	}
	return deleted.RowsAffected() > 0, nil
}
