package auth

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// lockTurns holds a lock for each tenant whose row is locked: the call that holds it retries.
var lockTurns storage.Locks

// Waits between two attempts to lock a tenant's row.
const (
	firstLockWait = 2 * time.Millisecond
	maxLockWait   = 50 * time.Millisecond
)

// InTenantTx calls do in a transaction that has locked the tenant as LockTenant does. While
// another transaction holds the lock, for example to move the clock, InTenantTx waits
// without a connection, since calls of other tenants need the connections. It waits as long
// as a statement on db waits for a lock; then the error is storage.ErrLocked.
func InTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return inTenantTx(ctx, db, id, "for no key update skip locked", do)
}

// InSharedTenantTx is InTenantTx for transactions that only read the clock and the settings.
// Several can hold the lock at once.
func InSharedTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return inTenantTx(ctx, db, id, "for share skip locked", do)
}

func inTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, lock string, do func(tx pgx.Tx, tenant Tenant) error) error {
	start, inTurn := time.Now(), false
	for wait := firstLockWait; ; wait = min(2*wait, maxLockWait) {
		limit := time.Duration(0) // of the wait; 0 if the tenant was not locked
		err := storage.InTx(ctx, db, func(tx pgx.Tx) error {
			tenant, err := lockTenant(ctx, tx, id, lock)
			if !errors.Is(err, ErrTenantGone) {
				if err != nil {
					return err
				}
				return do(tx, tenant)
			}
			if limit, err = lockLimit(ctx, tx, id); err != nil {
				return err
			}
			return storage.ErrLocked
		})
		if limit == 0 || time.Since(start) > limit {
			return err
		}
		// Only one call of the tenant at a time retries, so that its calls do not use all
		// connections.
		if !inTurn {
			end, err := lockTurns.Lock(ctx, id)
			if err != nil {
				return err
			}
			defer end()
			inTurn = true
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lockLimit returns how long a statement of the transaction waits for a lock. The error is
// ErrTenantGone if the tenant does not exist.
func lockLimit(ctx context.Context, tx pgx.Tx, id uuid.UUID) (time.Duration, error) {
	var exists bool
	var limit float64 // milliseconds
	err := tx.QueryRow(ctx, `
		select exists (select from tenants where id = @id), setting::float8
		from pg_settings
		where name = 'lock_timeout'`,
		pgx.StrictNamedArgs{"id": id}).Scan(&exists, &limit)
	switch {
	case err != nil:
		return 0, err
	case !exists:
		return 0, ErrTenantGone
	}
	if limit == 0 {
		return math.MaxInt64, nil // no limit
	}
	return time.Duration(limit) * time.Millisecond, nil
}
