package hooks

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// listBatch is how many subscriptions are read at once: about 1 MB if each has the
// maximum size.
const listBatch = 64

// hookMemory is how many times more memory subscriptions need while they are rendered
// than in their stored form.
const hookMemory = 3

// List is `GET /hooks`: the tenant's subscriptions, oldest first.
func List(db storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		size, err := batchSize(r.Context(), db, caller.TenantID)
		if err != nil {
			return err
		}
		room, err := budget.Reserve(r.Context(), caller.TenantID, hookMemory*size)
		if err != nil {
			return err
		}
		defer room.Release()
		return api.WriteArray(w, r, http.StatusOK, [0]hookBody{}, "", hookBodies(r.Context(), db, seal, caller.TenantID))
	}
}

// batchSize returns the maximum size in bytes of a batch of the tenant's subscriptions,
// as they are stored.
func batchSize(ctx context.Context, db storage.DB, tenantID uuid.UUID) (size int64, err error) {
	if err := db.QueryRow(ctx, `
		select coalesce(least(sum(size), @batch * max(size)), 0)::bigint
		from (
			select octet_length(url) + coalesce(octet_length(header), 0) + octet_length(array_to_string(events, ' ')) as size
			from hooks
			where tenant_id = @tenant_id
		) stored`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "batch": listBatch}).Scan(&size); err != nil {
		return 0, fmt.Errorf("measure subscriptions: %w", err)
	}
	return size, nil
}

// hookBodies returns the tenant's subscriptions, which are read in batches.
func hookBodies(ctx context.Context, db storage.DB, seal *Seal, tenantID uuid.UUID) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		var last *hook // of the batches before
		for {
			batch, err := hooksAfter(ctx, db, tenantID, last)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, h := range batch {
				body, err := newHookBody(ctx, seal, h)
				if !yield(body, err) || err != nil {
					return
				}
			}
			if len(batch) < listBatch {
				return
			}
			last = &batch[len(batch)-1]
		}
	}
}

// hooksAfter returns the batch of the tenant's subscriptions that follows the given one;
// the first batch for nil.
func hooksAfter(ctx context.Context, db storage.DB, tenantID uuid.UUID, last *hook) ([]hook, error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "batch": listBatch, "created_at": nil, "id": nil}
	if last != nil {
		args["created_at"], args["id"] = last.CreatedAt, last.ID
	}
	found, err := storage.All[hook](ctx, db, `
		select `+hookColumns+`
		from hooks
		where tenant_id = @tenant_id
		and (@id::uuid is null or (created_at, id) > (@created_at::timestamptz, @id))
		order by created_at, id
		limit @batch`, args)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return found, nil
}
