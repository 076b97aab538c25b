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

// Update is `PUT /hooks/{hook_id}` and `PATCH /hooks/{hook_id}` (service.md, endpoint
// 11): fields that are not sent are not changed, and an update with an error changes
// nothing.
func Update(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal, sender *Sender) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		in, fieldErrs, err := readInput(r, sender)
		if err != nil {
			return err
		}
		var changed hook
		err = storage.InTx(r.Context(), db, func(tx pgx.Tx) error {
			// The tenant first, as an advance of its clock and a reset lock it.
			if _, err := auth.LockTenant(r.Context(), tx, caller.TenantID); err != nil {
				return fmt.Errorf("lock tenant: %w", err)
			}
			sealer, err := in.sealer(r.Context(), tx, seal)
			if err != nil {
				return err
			}
			found, err := findForUpdate(r.Context(), tx, caller.TenantID, r.PathValue("hook_id"))
			if err != nil {
				// Field errors are reported before an unknown subscription.
				if isAPIError(err) && fieldErrs.asError() != nil {
					return fieldErrs.asError()
				}
				return err
			}
			changed, err = updateHook(r.Context(), tx, found, in, fieldErrs, sealer, caller)
			return err
		})
		if err != nil {
			return err
		}
		body, err := newHookBody(r.Context(), seal, changed)
		if err != nil {
			return err
		}
		if in.URL != nil {
			warnOfBlockedHost(r.Context(), w, sender, changed)
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func isAPIError(err error) bool {
	var apiErr *api.Error
	return errors.As(err, &apiErr)
}

// updateHook writes the fields that the input has, unless there are field errors.
func updateHook(ctx context.Context, tx pgx.Tx, found hook, in input, fieldErrs fieldErrors, sealer *Sealer, caller auth.Caller) (hook, error) {
	changed := found
	changed.applyInput(in, sealer, caller)
	if err := checkActivation(ctx, tx, changed, fieldErrs); err != nil {
		return hook{}, err
	}
	if err := fieldErrs.asError(); err != nil {
		return hook{}, err
	}
	updated, err := storage.One[hook](ctx, tx, `
		update hooks
		set active = @active, events = @events, url = @url, header = @header, secret = @secret, updated_at = @updated_at,
			activation = activation + (@active and not active)::int
		where tenant_id = @tenant_id
		and id = @id
		returning `+hookColumns,
		pgx.StrictNamedArgs{
			"tenant_id": found.TenantID, "id": found.ID, "active": changed.Active, "events": changed.Events,
			"url": changed.URL, "header": changed.Header, "secret": changed.Secret, "updated_at": changed.UpdatedAt,
		})
	if err != nil {
		return hook{}, fmt.Errorf("update subscription: %w", err)
	}
	return updated, nil
}
