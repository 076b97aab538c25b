package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Update is `PUT /hooks/{hook_id}` and `PATCH /hooks/{hook_id}` (service.md,
// endpoint 11): what is not sent stays, and a refused update changes nothing.
func Update(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		in, wrong, err := readInput(r)
		if err != nil {
			return err
		}
		var changed hook
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error {
			// The tenant first, as its clock and a reset hold it.
			if _, err := auth.LockTenant(r.Context(), tx, caller.TenantID); err != nil {
				return fmt.Errorf("hold tenant: %w", err)
			}
			found, err := hold(r.Context(), tx, caller.TenantID, r.PathValue("hook_id"))
			if err != nil {
				// Wrong fields are told before an unknown subscription.
				if isRefusal(err) && wrong.refusal() != nil {
					return wrong.refusal()
				}
				return err
			}
			changed, err = change(r.Context(), tx, found, in, wrong, seal, caller)
			return err
		})
		if err != nil {
			return err
		}
		answer, err := newHookAnswer(seal, changed)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, answer)
	}
}

func isRefusal(err error) bool {
	var refusal *api.Error
	return errors.As(err, &refusal)
}

// change writes what the input asks for, unless something is wrong with it.
func change(ctx context.Context, tx pgx.Tx, found hook, in input, wrong problems, seal *Seal, caller auth.Caller) (hook, error) {
	wanted := found
	wanted.apply(in, seal, caller)
	if err := checkActive(ctx, tx, wanted, wrong); err != nil {
		return hook{}, err
	}
	if err := wrong.refusal(); err != nil {
		return hook{}, err
	}
	changed, err := storage.One[hook](ctx, tx, `
		update hooks
		set active = @active, events = @events, url = @url, header = @header, secret = @secret, updated_at = @updated_at,
			activation = activation + (@active and not active)::int
		where tenant_id = @tenant_id
		and id = @id
		returning `+hookColumns,
		pgx.StrictNamedArgs{
			"tenant_id": found.TenantID, "id": found.ID, "active": wanted.Active, "events": wanted.Events,
			"url": wanted.URL, "header": wanted.Header, "secret": wanted.Secret, "updated_at": wanted.UpdatedAt,
		})
	if err != nil {
		return hook{}, fmt.Errorf("update subscription: %w", err)
	}
	return changed, nil
}
