package hooks

import (
	"context"
	"fmt"
	"maps"
	"net/http"

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
		created := hook{
			TenantID:  caller.TenantID,
			OwnerID:   caller.UserID,
			Events:    []string{},
			CreatedAt: caller.Now,
		}
		if in.URL == nil {
			fieldErrs["url"] = urlMissing
			if in.missingURLHint != "" {
				fieldErrs["url"] = fieldError{blank, in.missingURLHint}
			}
		}
		err = storage.InTx(r.Context(), db, func(tx pgx.Tx) (err error) {
			if _, err := auth.LockTenant(r.Context(), tx, caller.TenantID); err != nil {
				return fmt.Errorf("lock tenant: %w", err)
			}
			if created.ID, err = auth.NewID(r.Context(), tx, auth.SubscriptionID, caller.Tenant()); err != nil {
				return err
			}
			sealer, err := in.sealer(r.Context(), tx, seal)
			if err != nil {
				return err
			}
			created.applyInput(in, sealer, caller)
			fieldErrs := maps.Clone(fieldErrs) // the transaction may be repeated
			if err := checkActivation(r.Context(), tx, created, fieldErrs); err != nil {
				return err
			}
			if err := checkHookLimit(r.Context(), tx, created.TenantID, fieldErrs); err != nil {
				return err
			}
			if err := fieldErrs.asError(); err != nil {
				return err
			}
			return insert(r.Context(), tx, created)
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

// sealer returns the sealer for the transaction, nil if the input has nothing to seal.
// The tenant is locked, and its subscriptions are not.
func (in input) sealer(ctx context.Context, tx pgx.Tx, seal *Seal) (*Sealer, error) {
	if in.Header == nil && in.Secret == nil {
		return nil, nil
	}
	return seal.Begin(ctx, tx)
}

// applyInput sets the fields that the input has.
func (h *hook) applyInput(in input, sealer *Sealer, caller auth.Caller) {
	if in.URL != nil {
		h.URL = *in.URL
	}
	if in.Active != nil {
		h.Active = *in.Active
	}
	if in.Events != nil {
		h.Events = in.Events
	}
	if in.Header != nil {
		h.Header = sealer.Seal(*in.Header, h.ID, delivery.HeaderColumn)
	}
	if in.Secret != nil {
		h.Secret = sealer.Seal(*in.Secret, h.ID, delivery.SecretColumn)
	}
	h.UpdatedAt = caller.Now
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
		insert into hooks (id, tenant_id, owner_id, active, events, url, header, secret, created_at, updated_at)
		values (@id, @tenant_id, @owner_id, @active, @events, @url, @header, @secret, @created_at, @updated_at)`,
		pgx.StrictNamedArgs{
			"id": h.ID, "tenant_id": h.TenantID, "owner_id": h.OwnerID, "active": h.Active, "events": h.Events,
			"url": h.URL, "header": h.Header, "secret": h.Secret, "created_at": h.CreatedAt, "updated_at": h.UpdatedAt,
		})
	if err != nil {
		return fmt.Errorf("insert subscription: %w", err)
	}
	return nil
}
