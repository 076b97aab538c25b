package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Update is `PUT /hooks/{hook_id}` and `PATCH /hooks/{hook_id}` (service.md, endpoint
// 11): fields that are not sent are not changed, and an update with an error changes
// nothing.
func Update(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal, sender *Sender, changed func(hookID uuid.UUID)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		in, fieldErrs, err := readInput(r, sender)
		if err != nil {
			return err
		}
		var updated hook
		// The tenant first, as an advance of its clock and a reset lock it.
		err = auth.InTenantTx(r.Context(), db, caller.TenantID, func(tx pgx.Tx, _ auth.Tenant) error {
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
			var wrong fieldErrors
			updated, wrong, err = updateHook(r.Context(), tx, found, in, fieldErrs, sealer, caller.Now)
			if err != nil {
				return err
			}
			return wrong.asError()
		})
		if err != nil {
			return err
		}
		changed(updated.ID)
		body, err := newHookBody(r.Context(), seal, updated)
		if err != nil {
			return err
		}
		if in.URL != nil {
			warnOfBlockedHost(r.Context(), w, sender, updated)
		}
		return api.Write(w, http.StatusOK, body)
	}
}

func isAPIError(err error) bool {
	var apiErr *api.Error
	return errors.As(err, &apiErr)
}

// updateHook writes the fields that the input has, unless there are field errors, which
// it returns with those that it finds itself. now is the tenant's time.
func updateHook(ctx context.Context, tx pgx.Tx, found hook, in input, fieldErrs fieldErrors, sealer *Sealer, now time.Time) (hook, fieldErrors, error) {
	wrong := fieldErrors{}
	maps.Copy(wrong, fieldErrs) // the transaction may be repeated
	changed := found
	changed.applyInput(in, sealer, now)
	if err := checkActivation(ctx, tx, changed, wrong); err != nil {
		return hook{}, nil, err
	}
	if len(wrong) > 0 {
		return hook{}, wrong, nil
	}
	updated, err := storage.One[hook](ctx, tx, `
		update hooks
		set active = @active, events = @events, url = @url, header = @header, secret = @secret, name = @name, updated_at = @updated_at,
			activation = activation + (@active and not active)::int
		where tenant_id = @tenant_id
		and id = @id
		returning `+hookColumns,
		pgx.StrictNamedArgs{
			"tenant_id": found.TenantID, "id": found.ID, "active": changed.Active, "events": changed.Events,
			"url": changed.URL, "header": changed.Header, "secret": changed.Secret, "name": changed.Name, "updated_at": changed.UpdatedAt,
		})
	if err != nil {
		return hook{}, nil, fmt.Errorf("update subscription: %w", err)
	}
	return updated, nil, nil
}
