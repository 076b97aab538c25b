package hooks

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Create is `POST /hooks` (service.md, endpoint 10).
func Create(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal, sender *Sender) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		in, fieldErrs, err := readInput(r, sender)
		if err != nil {
			return err
		}
		var created hook
		err = auth.InTenantTx(r.Context(), db, caller.TenantID, func(tx pgx.Tx, _ auth.Tenant) (err error) {
			var wrong fieldErrors
			created, wrong, err = createHook(r.Context(), tx, seal, caller.Tenant(), hook{OwnerID: caller.UserID, MadeBy: madeByAPI}, in, fieldErrs, caller.Now)
			if err != nil {
				return err
			}
			return wrong.asError()
		})
		if err != nil {
			return err
		}
		body, err := newHookBody(r.Context(), seal, created)
		if err != nil {
			return err
		}
		warnOfBlockedHost(r.Context(), w, sender, created)
		return api.Write(w, http.StatusCreated, body)
	}
}

// createHook inserts a subscription of the tenant with the input, unless there are field
// errors, which it returns with those that it finds itself. created has the owner and the
// maker. The transaction has locked the tenant. now is the tenant's time.
func createHook(
	ctx context.Context, tx pgx.Tx, seal *Seal, tenant auth.Tenant, created hook, in input, fieldErrs fieldErrors, now time.Time,
) (hook, fieldErrors, error) {
	wrong := fieldErrors{}
	maps.Copy(wrong, fieldErrs) // the transaction may be repeated
	if in.URL == nil {
		wrong["url"] = urlMissing
		if in.missingURLHint != "" {
			wrong["url"] = fieldError{blank, in.missingURLHint}
		}
	}
	created.TenantID, created.Events, created.CreatedAt = tenant.ID, []string{}, now
	var err error
	if created.ID, err = auth.NewID(ctx, tx, auth.SubscriptionID, tenant); err != nil {
		return hook{}, nil, err
	}
	sealer, err := in.sealer(ctx, tx, seal)
	if err != nil {
		return hook{}, nil, err
	}
	created.applyInput(in, sealer, now)
	if err := checkActivation(ctx, tx, created, wrong); err != nil {
		return hook{}, nil, err
	}
	if err := checkHookLimit(ctx, tx, created.TenantID, wrong); err != nil {
		return hook{}, nil, err
	}
	if len(wrong) > 0 {
		return hook{}, wrong, nil
	}
	return created, nil, insert(ctx, tx, created)
}

// sealer returns the sealer for the transaction, nil if the input has nothing to seal.
// The tenant is locked, and its subscriptions are not.
func (in input) sealer(ctx context.Context, tx pgx.Tx, seal *Seal) (*Sealer, error) {
	if in.Header == nil && in.Secret == nil {
		return nil, nil
	}
	return seal.Begin(ctx, tx)
}

// applyInput sets the fields that the input has.
func (h *hook) applyInput(in input, sealer *Sealer, now time.Time) {
	if in.URL != nil {
		h.URL = *in.URL
	}
	if in.Active != nil {
		h.Active = *in.Active
	}
	if in.Events != nil {
		h.Events = in.Events
	}
	if in.Name != nil {
		h.Name = *in.Name
	}
	if in.Header != nil {
		h.Header = sealer.Seal(*in.Header, h.ID, delivery.HeaderColumn)
	}
	if in.Secret != nil {
		h.Secret = sealer.Seal(*in.Secret, h.ID, delivery.SecretColumn)
	}
	h.UpdatedAt = now
}

// checkActivation adds the errors that prevent the subscription from being active.
// The tenant is locked, so that concurrent activations count each other.
func checkActivation(ctx context.Context, tx pgx.Tx, h hook, fieldErrs fieldErrors) error {
	if !h.Active {
		return nil
	}
	if _, failed := fieldErrs["events"]; len(h.Events) == 0 && !failed {
		fieldErrs["events"] = eventsMissing
	}
	others, err := countOtherActive(ctx, tx, h.TenantID, h.ID)
	if err != nil {
		return err
	}
	if others >= maxActive {
		fieldErrs["active"] = tooManyActive
	}
	return nil
}

// countOtherActive returns how many active subscriptions the tenant has, except the
// one with the id.
func countOtherActive(ctx context.Context, tx pgx.Tx, tenantID, id uuid.UUID) (n int, err error) {
	err = tx.QueryRow(ctx, `
		select count(*)
		from hooks
		where tenant_id = @tenant_id
		and active
		and id <> @id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id}).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count active subscriptions: %w", err)
	}
	return n, nil
}

// checkHookLimit adds an error if the tenant, which is locked, has maxHooks
// subscriptions already.
func checkHookLimit(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, fieldErrs fieldErrors) error {
	var n int
	if err := tx.QueryRow(ctx, `
		select count(*)
		from hooks
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&n); err != nil {
		return fmt.Errorf("count subscriptions: %w", err)
	}
	if n >= maxHooks {
		fieldErrs["base"] = tooManyHooks
	}
	return nil
}

func insert(ctx context.Context, tx pgx.Tx, h hook) error {
	_, err := tx.Exec(ctx, `
		insert into hooks (id, tenant_id, owner_id, active, events, url, header, secret, made_by, name, created_at, updated_at)
		values (@id, @tenant_id, @owner_id, @active, @events, @url, @header, @secret, @made_by, @name, @created_at, @updated_at)`,
		pgx.StrictNamedArgs{
			"id": h.ID, "tenant_id": h.TenantID, "owner_id": h.OwnerID, "active": h.Active, "events": h.Events,
			"url": h.URL, "header": h.Header, "secret": h.Secret, "made_by": h.MadeBy, "name": h.Name, "created_at": h.CreatedAt, "updated_at": h.UpdatedAt,
		})
	if err != nil {
		return fmt.Errorf("insert subscription: %w", err)
	}
	return nil
}
