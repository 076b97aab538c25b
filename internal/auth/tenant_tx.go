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
	return inTenantTx(ctx, db, id, "for no key update", do)
}

// InSharedTenantTx is InTenantTx for transactions that only read the clock and the settings.
// Several can hold the lock at once.
func InSharedTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return inTenantTx(ctx, db, id, "for share", do)
}

func inTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, lock string, do func(tx pgx.Tx, tenant Tenant) error) error {
	start, inTurn := time.Now(), false
	limit := time.Duration(0) // of the wait; 0 if the tenant was not locked
	for wait := firstLockWait; ; wait = min(2*wait, maxLockWait) {
		known := limit
		limit = 0
		err := storage.InTx(ctx, db, func(tx pgx.Tx) error {
			tenant, err := tryLock(ctx, tx, id, lock, inTurn, known)
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

// maxQueued is how long the call whose turn it is waits in PostgreSQL's queue for the lock.
// Without a place in the queue, it might never find the row free.
const maxQueued = 200 * time.Millisecond

// tryLock locks the tenant if it is free. The call whose turn it is waits for a while; limit is
// how long a statement of the transaction waits for a lock. The error is ErrTenantGone if the
// tenant is locked or does not exist.
func tryLock(ctx context.Context, tx pgx.Tx, id uuid.UUID, lock string, inTurn bool, limit time.Duration) (tenant Tenant, err error) {
	if !inTurn {
		return lockTenant(ctx, tx, id, lock+" skip locked")
	}
	err = pgx.BeginFunc(ctx, tx, func(queued pgx.Tx) error {
		if err := storage.LimitLockWait(ctx, queued, min(limit, maxQueued)); err != nil {
			return err
		}
		if tenant, err = lockTenant(ctx, queued, id, lock); err != nil {
			return err
		}
		if limit == math.MaxInt64 {
			limit = 0 // no limit
		}
		return storage.LimitLockWait(ctx, queued, limit)
	})
	if storage.IsLocked(err) {
		return Tenant{}, ErrTenantGone
	}
	return tenant, err
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
