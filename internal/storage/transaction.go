package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The maximum number of repetitions by Retry, and the wait before the first one. Each
// further wait is twice as long. Up to half of a wait is random, so that transactions
// that conflicted do not conflict again.
const (
	maxRetries = 8
	retryWait  = 5 * time.Millisecond
)

// InTx calls do in a transaction, which it commits if do returns nil and otherwise
// rolls back. If PostgreSQL ends the transaction because of other transactions (a
// deadlock, a serialization failure or a migration), InTx repeats it, so do must reset everything
// that it changes outside the transaction. If db is already a transaction, InTx uses a
// savepoint and does not repeat: the outer InTx does.
func InTx(ctx context.Context, db DB, do func(tx pgx.Tx) error) error {
	if _, begun := db.(pgx.Tx); begun {
		return pgx.BeginFunc(ctx, db, do)
	}
	return Retry(ctx, func() error { return pgx.BeginFunc(ctx, db, do) })
}

// Retry calls do, a transaction or a statement outside a transaction, until PostgreSQL
// no longer ends it because of other transactions, ctx ends, or it has been repeated
// maxRetries times. It returns the last error of do.
func Retry(ctx context.Context, do func() error) error {
	for retries := 0; ; retries++ {
		err := do()
		if !collided(err) || retries == maxRetries {
			return err
		}
		wait := retryWait << retries
		select {
		case <-time.After(wait/2 + rand.N(wait/2)):
		case <-ctx.Done():
			return err
		}
	}
}

// LimitLockWait limits how long each further statement of the transaction waits for a
// lock, in place of the limit of its pool.
func LimitLockWait(ctx context.Context, tx pgx.Tx, limit time.Duration) error {
	if _, err := tx.Exec(ctx, "select set_config('lock_timeout', @limit, true)", pgx.StrictNamedArgs{"limit": milliseconds(limit)}); err != nil {
		return fmt.Errorf("limit the wait for locks: %w", err)
	}
	return nil
}

// LockTimeout returns how long a statement on the pool waits for a lock, 0 if the pool has no
// limit or db is not a pool.
func LockTimeout(db DB) time.Duration {
	pool, ok := db.(*pgxpool.Pool)
	if !ok {
		return 0
	}
	limit, _ := strconv.Atoi(pool.Config().ConnConfig.RuntimeParams["lock_timeout"]) // milliseconds, or not set
	return time.Duration(limit) * time.Millisecond
}

// Codes of the errors with which PostgreSQL ends a transaction because of other
// transactions.
const (
	serializationFailure = "40001"
	deadlock             = "40P01"
)

// stalePlan reports whether err means that a migration has changed the columns of a prepared
// statement. pgx prepares it again when it is repeated. The text of the error depends on the locale.
func stalePlan(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Routine == "RevalidateCachedQuery"
}

func collided(err error) bool {
	code := errorCode(err)
	return code == serializationFailure || code == deadlock || stalePlan(err)
}

// ReferenceGone reports whether err means that a row which a new row refers to does not
// exist. Requests check that it exists, so it was deleted in the meantime.
func ReferenceGone(err error) bool { return errorCode(err) == "23503" }

// InvalidRow reports whether err means that PostgreSQL cannot store a value, or that a row
// violates a constraint of its table other than a reference. It returns the reason.
func InvalidRow(err error) (reason string, invalid bool) {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || ReferenceGone(err) {
		return "", false
	}
	switch pg.Code[:2] {
	case "22", "23", "54": // data exceptions, integrity constraints, limits
		return pg.Message, true
	}
	return "", false
}

// errorCode returns the code of PostgreSQL's error; "" if err is another error.
func errorCode(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}
