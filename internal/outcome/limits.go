package outcome

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// MaxOutcomes is the maximum number of outcomes of a tenant.
const MaxOutcomes = 1000

// Limits in bytes.
const (
	maxValues   = 1 << 20  // values of one outcome, as they are sent
	maxAllBytes = 16 << 20 // values of all outcomes of a tenant, as they are stored
)

// Errors of checkTotal.
var (
	errTooMany  = fmt.Errorf("limit of %d outcomes reached", MaxOutcomes)
	errTooLarge = fmt.Errorf("limit of %d MiB for all outcomes reached", maxAllBytes>>20)
)

// overLimit reports whether err is an error of checkTotal.
func overLimit(err error) bool { return errors.Is(err, errTooMany) || errors.Is(err, errTooLarge) }

// checkTotal returns an error if the tenant has too many outcomes, or if their values are
// too large in all.
func checkTotal(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	count, size, err := total(ctx, tx, tenantID)
	switch {
	case err != nil:
		return err
	case count > MaxOutcomes:
		return errTooMany
	case size > maxAllBytes:
		return errTooLarge
	}
	return nil
}

// total returns the number of the tenant's outcomes and the size of their values in
// bytes.
func total(ctx context.Context, db storage.DB, tenantID uuid.UUID) (count, size int64, err error) {
	if err := db.QueryRow(ctx, `
		select count(*), coalesce(sum(bytes), 0)::bigint
		from outcomes
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&count, &size); err != nil {
		return 0, 0, fmt.Errorf("measure outcomes: %w", err)
	}
	return count, size, nil
}

// checkValues returns an *api.Error if the values of an outcome are too large.
func checkValues(body api.Object) error {
	size := 0
	for _, name := range []string{"facts", "options", "locations", "packages"} {
		size += len(body[name])
	}
	if size > maxValues {
		return api.BadRequest("facts, options, locations and packages: want at most %d MiB in all", maxValues>>20)
	}
	return nil
}
