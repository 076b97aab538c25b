package control

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/retention"
	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
	"understudy.example/internal/universal"
)

// DeleteTenant is `DELETE /tenants/{t}`: it deletes the tenant with all its rows and
// files.
func DeleteTenant(db storage.DB, gate *auth.Gate, objects storage.Objects) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := emptyTenant(r, db, gate, objects, func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			if err := hooks.Reset(ctx, tx, id); err != nil { // no foreign key deletes deliveries
				return err
			}
			return auth.DeleteTenant(ctx, tx, id)
		})
		if err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// ResetTenant is `POST /tenants/{t}/reset`: it deletes everything that a new tenant
// does not have. The tenant's credentials and access tokens stay valid.
func ResetTenant(db storage.DB, gate *auth.Gate, objects storage.Objects) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := api.ReadFields(r); err != nil {
			return err
		}
		err := emptyTenant(r, db, gate, objects, func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			for _, p := range participants {
				if p.reset == nil {
					continue
				}
				if err := p.reset(ctx, tx, id); err != nil {
					return err
				}
			}
			return auth.ResetTenant(ctx, tx, id, gate.Now())
		})
		if err != nil {
			return err
		}
		return writeTenant(w, r, db, gate)
	}
}

// DeleteTransaction is `DELETE /tenants/{t}/transactions/{tx_id}`: it deletes a submission
// with its file and everything about it, except the calls in the journal.
func DeleteTransaction(db storage.DB, objects storage.Objects) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx := r.Context()
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		var file string
		err = storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
			file, err = retention.DeleteTransaction(ctx, tx, tenant.ID, r.PathValue("tx_id"))
			return err
		})
		if err != nil {
			return err
		}
		if file != "" {
			retention.DeleteFiles(context.WithoutCancel(ctx), objects, []string{file})
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// maxPasses is the maximum number of times that emptyTenant deletes rows in batches.
// Meanwhile, the tenant's clients may make more rows.
const maxPasses = 10

// batchTurns is the queue of tenants whose rows this server deletes in batches. All deletions together
// use one connection at a time, because moves of clocks and resets of other tenants need connections
// of the same small pool.
var batchTurns turns.Queue

// emptyTenant deletes the tenant's submissions, calls rest in the same transaction, and
// then deletes the files. An upload in flight does not find its submission any more and
// deletes its file itself. Only this transaction locks the tenant. To keep it short, most
// rows of a table with many rows are deleted in batches beforehand. They remain deleted
// if the call is interrupted, and the next call deletes the rest.
func emptyTenant(r *http.Request, db storage.DB, gate *auth.Gate, objects storage.Objects, rest func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error) error {
	ctx := r.Context()
	tenant, err := auth.TenantInPath(r, db)
	if err != nil {
		return err
	}
	many, batches := true, inTurns{db, &batchTurns, tenant.ID}
	for pass := 0; many && pass < maxPasses; pass++ {
		if many, err = deleteMost(ctx, batches, objects, tenant.ID); err != nil {
			return err
		}
	}
	var files []string
	err = storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
		if _, err = auth.LockTenantAlone(ctx, tx, tenant.ID); err != nil {
			return err
		}
		if files, err = universal.Delete(ctx, tx, tenant.ID); err != nil {
			return err
		}
		return rest(ctx, tx, tenant.ID)
	})
	if err != nil {
		return err
	}
	gate.EvictTenant(tenant.ID)
	retention.DeleteFiles(context.WithoutCancel(ctx), objects, files)
	return nil
}

// deleteMost deletes rows of the tenant in batches from each table that has more of them
// than one transaction should delete. It reports whether there was such a table.
func deleteMost(ctx context.Context, db storage.DB, objects storage.Objects, tenantID uuid.UUID) (many bool, err error) {
	many, err = universal.DeleteMost(ctx, db, tenantID, func(files []string) {
		retention.DeleteFiles(context.WithoutCancel(ctx), objects, files)
	})
	if err != nil {
		return false, err
	}
	for _, p := range participants {
		if p.deleteMost == nil {
			continue
		}
		found, err := p.deleteMost(ctx, db, tenantID)
		if err != nil {
			return false, err
		}
		many = many || found
	}
	return many, nil
}
