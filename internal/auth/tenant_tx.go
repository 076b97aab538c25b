package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
)

// ErrTenantLocked is the error of a transaction that must not wait and finds the tenant locked
// by another transaction. RetryLocked retries such a transaction.
var ErrTenantLocked = fmt.Errorf("the tenant: %w", storage.ErrLocked)

// InTenantTx calls do in a transaction that has locked the tenant as LockTenant does. While
// another transaction holds the lock, for example to move the clock, InTenantTx waits as
// RetryLocked does. If db is already a transaction, InTenantTx does not wait, and its error is
// ErrTenantLocked: the function that began the transaction retries.
func InTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return inTenantTx(ctx, db, id, "for no key update", do)
}

// InSharedTenantTx is InTenantTx for transactions that only read the clock and the settings.
// Several can hold the lock at once.
func InSharedTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return inTenantTx(ctx, db, id, "for share", do)
}

func inTenantTx(ctx context.Context, db storage.DB, id uuid.UUID, lock string, do func(tx pgx.Tx, tenant Tenant) error) error {
	if _, begun := db.(pgx.Tx); begun {
		return Attempt{Context: ctx}.inTx(ctx, db, id, lock, do)
	}
	return RetryLocked(ctx, db, id, func(a Attempt) error { return a.inTx(ctx, db, id, lock, do) })
}

// Attempt is an attempt to lock a tenant.
type Attempt struct {
	Context context.Context // ends when the time for all attempts is over

	queue bool          // the tenant has been locked for a while, so wait in PostgreSQL's queue
	limit time.Duration // how long statements wait for a lock; 0 = no limit
}

// InTx calls do in a transaction that has locked the tenant as LockTenant does. The error is
// ErrTenantLocked if another transaction holds the lock.
func (a Attempt) InTx(ctx context.Context, db storage.DB, id uuid.UUID, do func(tx pgx.Tx, tenant Tenant) error) error {
	return a.inTx(ctx, db, id, "for no key update", do)
}

func (a Attempt) inTx(ctx context.Context, db storage.DB, id uuid.UUID, lock string, do func(tx pgx.Tx, tenant Tenant) error) error {
	passTurn := a.takeQueueTurn(id)
	defer func() {
		if passTurn != nil {
			passTurn()
		}
	}()
	return storage.InTx(ctx, db, func(tx pgx.Tx) error {
		tenant, err := tryLock(ctx, tx, id, lock, a.limit, passTurn != nil)
		if passTurn != nil {
			passTurn()
			passTurn = nil
		}
		if err != nil {
			return err
		}
		return do(tx, tenant)
	})
}

// maxQueued is how long a transaction waits in PostgreSQL's queue for the lock of a tenant.
const maxQueued = 200 * time.Millisecond

// queueTurns lets only one call at a time wait in PostgreSQL's queue, whatever its tenant. Such a
// call uses a connection that calls of other tenants need.
var queueTurns turns.Queue

// takeQueueTurn waits for the turn of the attempt to wait in PostgreSQL's queue. It returns a
// function that ends the turn, or nil if the attempt needs no turn or the turn has not come soon.
func (a Attempt) takeQueueTurn(id uuid.UUID) (pass func()) {
	if !a.queue {
		return nil
	}
	soon, cancel := context.WithTimeout(a.Context, 2*maxQueued)
	defer cancel()
	if queueTurns.Take(soon, id) != nil {
		return nil
	}
	return queueTurns.Pass
}

// TryLockTenant is LockTenant, but the error is ErrTenantLocked if it would have to wait.
func TryLockTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) (Tenant, error) {
	return tryLock(ctx, tx, id, "for no key update", 0, false)
}

// tryLock locks the tenant if it is free. With queue, it waits in PostgreSQL's queue for at most
// maxQueued. It then gets the lock even if other transactions lock the tenant one right after the
// other. limit is how long other statements of the transaction wait for a lock.
func tryLock(ctx context.Context, tx pgx.Tx, id uuid.UUID, lock string, limit time.Duration, queue bool) (tenant Tenant, err error) {
	if queue {
		err = pgx.BeginFunc(ctx, tx, func(queued pgx.Tx) error {
			if err := storage.LimitLockWait(ctx, queued, maxQueued); err != nil {
				return err
			}
			if tenant, err = lockTenant(ctx, queued, id, lock); err != nil {
				return err
			}
			return storage.LimitLockWait(ctx, queued, limit)
		})
		if storage.IsLocked(err) {
			err = ErrTenantLocked
		}
		return tenant, err
	}
	if tenant, err = lockTenant(ctx, tx, id, lock+" skip locked"); !errors.Is(err, ErrTenantGone) {
		return tenant, err
	}
	var exists bool
	if err := tx.QueryRow(ctx, "select exists (select from tenants where id = @id)", pgx.StrictNamedArgs{"id": id}).Scan(&exists); err != nil {
		return Tenant{}, err
	}
	if exists {
		return Tenant{}, ErrTenantLocked
	}
	return Tenant{}, ErrTenantGone
}

// lockTurns has a lock for each tenant with waiting calls. Only the call that holds it retries,
// so the calls of a tenant together use at most one connection to retry.
var lockTurns storage.Locks

// The waits before the first retry and before later ones. Retries after waits shorter than
// maxLockWait do not wait for a turn in PostgreSQL's queue, because most locks are released before
// the turn would come.
const (
	firstLockWait = 2 * time.Millisecond
	maxLockWait   = 50 * time.Millisecond
)

// RetryLocked calls try, which runs a transaction on db, and calls it again while its error is
// ErrTenantLocked. Between the calls it holds no connection, since calls of other tenants need the
// connections. It gives up and returns the error after about the time that a statement on db waits
// for a lock.
func RetryLocked(ctx context.Context, db storage.DB, id uuid.UUID, try func(a Attempt) error) error {
	locked := try(Attempt{Context: ctx})
	if !errors.Is(locked, ErrTenantLocked) {
		return locked
	}
	limit := storage.LockTimeout(db)
	waiting, cancel := context.WithTimeoutCause(ctx, cmp.Or(limit, math.MaxInt64), locked)
	defer cancel()
	end, err := lockTurns.Lock(waiting, id)
	if err != nil {
		return context.Cause(waiting)
	}
	defer end()
	for wait := firstLockWait; ; wait = min(2*wait, maxLockWait) {
		select {
		case <-time.After(wait):
		case <-waiting.Done():
			return context.Cause(waiting)
		}
		err := try(Attempt{waiting, wait == maxLockWait, limit})
		switch {
		case waiting.Err() != nil && errors.Is(err, waiting.Err()):
			return context.Cause(waiting) // try has waited for a turn
		case !errors.Is(err, ErrTenantLocked) || waiting.Err() != nil:
			return err
		}
	}
}
