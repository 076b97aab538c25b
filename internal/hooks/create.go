package hooks

import (
	"context"
	"fmt"
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
func Create(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		in, wrong, err := readInput(r)
		if err != nil {
			return err
		}
		made := hook{
			ID:        newID(),
			TenantID:  caller.TenantID,
			OwnerID:   caller.UserID,
			Events:    []string{},
			CreatedAt: caller.Now,
		}
		if in.URL == nil {
			wrong.add("url", blank)
		}
		made.apply(in, seal, caller)
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error {
			if _, err := auth.LockTenant(r.Context(), tx, caller.TenantID); err != nil {
				return fmt.Errorf("hold tenant: %w", err)
			}
			if err := checkActive(r.Context(), tx, made, wrong); err != nil {
				return err
			}
			if err := checkRoom(r.Context(), tx, made.TenantID, wrong); err != nil {
				return err
			}
			if err := wrong.refusal(); err != nil {
				return err
			}
			return insert(r.Context(), tx, made)
		})
		if err != nil {
			return err
		}
		answer, err := newHookAnswer(seal, made)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusCreated, answer)
	}
}

// apply makes the changes that the input asks for.
func (h *hook) apply(in input, seal *Seal, caller auth.Caller) {
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
		h.Header = seal.Seal(*in.Header, h.ID, delivery.HeaderColumn)
	}
	if in.Secret != nil {
		h.Secret = seal.Seal(*in.Secret, h.ID, delivery.SecretColumn)
	}
	h.UpdatedAt = caller.Now
}

// checkActive adds what keeps the subscription from being active. The tenant is
// held, so that of two subscriptions which become active at once the second
// counts the first.
func checkActive(ctx context.Context, tx pgx.Tx, h hook, wrong problems) error {
	if !h.Active {
		return nil
	}
	if len(h.Events) == 0 && wrong["events"] == nil {
		wrong.add("events", blank)
	}
	others, err := activeOthers(ctx, tx, h.TenantID, h.ID)
	if err != nil {
		return err
	}
	if others >= maxActive {
		wrong.add("active", limitReached)
	}
	return nil
}

// activeOthers counts the tenant's active subscriptions besides the given one.
func activeOthers(ctx context.Context, tx pgx.Tx, tenantID, id uuid.UUID) (n int, err error) {
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

// checkRoom adds that the tenant, which is held, has as many subscriptions as
// it may have.
func checkRoom(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, wrong problems) error {
	var n int
	if err := tx.QueryRow(ctx, `
		select count(*)
		from hooks
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&n); err != nil {
		return fmt.Errorf("count subscriptions: %w", err)
	}
	if n >= maxHooks {
		wrong.add("base", fullUp)
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
