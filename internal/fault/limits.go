package fault

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// MaxFaults is the maximum number of faults of a tenant.
const MaxFaults = 1000

// Limits in bytes. The size of a fault is the total size of its texts.
const (
	maxBody     = 64 << 10
	maxText     = 1024    // route and seed
	maxAllBytes = 4 << 20 // all faults of a tenant
)

// Errors of create and of checkTotal.
var (
	errTooMany  = fmt.Errorf("limit of %d faults reached", MaxFaults)
	errTooLarge = fmt.Errorf("limit of %d MiB for all faults reached", maxAllBytes>>20)
)

// size returns the size of the fault in bytes.
func (f fault) size() int64 {
	size := len(f.Route) + len(f.Delivery) + len(f.Seed)
	if f.Body != nil {
		size += len(*f.Body)
	}
	return int64(size)
}

// validateSize returns an *api.Error if a text of the fault is too long.
func (f *fault) validateSize() error {
	switch {
	case len(f.Route) > maxText:
		return api.BadRequest("route: want at most %d bytes", maxText)
	case len(f.Seed) > maxText:
		return api.BadRequest("seed: want at most %d bytes", maxText)
	case f.Body != nil && len(*f.Body) > maxBody:
		return api.BadRequest("body: want at most %d KiB", maxBody>>10)
	}
	return nil
}

// checkTotal returns an error if the number or the total size of a tenant's faults is
// above its limit.
func checkTotal(count, size int64) error {
	switch {
	case count > MaxFaults:
		return errTooMany
	case size > maxAllBytes:
		return errTooLarge
	}
	return nil
}

// create stores the fault, unless a limit is reached. It deletes the tenant's expired
// faults first if there is no room otherwise.
func create(ctx context.Context, db storage.DB, f fault) error {
	return auth.InTenantTx(ctx, db, f.TenantID, func(tx pgx.Tx, _ auth.Tenant) error {
		full, err := checkRoom(ctx, tx, f)
		if err != nil {
			return err
		}
		if full != nil {
			if _, err := tx.Exec(ctx, `
				delete from faults
				where tenant_id = @tenant_id
				and expires_at <= @now`,
				pgx.StrictNamedArgs{"tenant_id": f.TenantID, "now": f.CreatedAt}); err != nil {
				return fmt.Errorf("delete expired faults: %w", err)
			}
			if full, err = checkRoom(ctx, tx, f); err != nil || full != nil {
				return errors.Join(full, err)
			}
		}
		return insert(ctx, tx, f)
	})
}

// checkRoom returns the limit that the tenant would exceed with the fault.
func checkRoom(ctx context.Context, tx pgx.Tx, f fault) (full, err error) {
	var count, size int64
	if err := tx.QueryRow(ctx, `
		select count(*), coalesce(sum(octet_length(route) + octet_length(delivery) + octet_length(seed) + coalesce(octet_length(body), 0)), 0)
		from faults
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": f.TenantID}).Scan(&count, &size); err != nil {
		return nil, fmt.Errorf("measure faults: %w", err)
	}
	return checkTotal(count+1, size+f.size()), nil
}
