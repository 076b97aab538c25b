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

// deleteHook deletes the subscription with its deliveries; it returns false if there
// is none. A dispatcher that records some of them at the same time locks them in
// another order, so Postgres may end one of the two transactions.
func deleteHook(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) (bool, error) {
	const deadlock = "40P01"
	for retries := 0; ; retries++ {
		deleted, err := db.Exec(ctx, `
			delete from hooks
			where tenant_id = @tenant_id
			and id = @id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
		var pgErr *pgconn.PgError
		switch {
		case err == nil:
			return deleted.RowsAffected() > 0, nil
		case errors.As(err, &pgErr) && pgErr.Code == deadlock && retries < 3:
		default:
			return false, fmt.Errorf("delete subscription: %w", err)
		}
	}
}
