package auth

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestShortLocksNeedNoTurn retries a transaction whose tenant was locked for a moment, while a
// call of another tenant has the turn in PostgreSQL's queue. The test is not parallel, because all
// tenants share the turns.
func TestShortLocksNeedNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := queueTurns.Take(t.Context(), uuid.New()); err != nil {
			t.Fatal(err)
		}
		id, begun, attempts := uuid.New(), time.Now(), 0
		err := RetryLocked(t.Context(), nil, id, func(a Attempt) error {
			if pass := a.takeQueueTurn(id); pass != nil {
				pass()
			}
			if attempts++; attempts < 4 {
				return ErrTenantLocked
			}
			return nil
		})
		if took := time.Since(begun); err != nil || took > maxLockWait {
			t.Errorf("%d attempts took %v, %v; want at most %v", attempts, took, err, maxLockWait)
		}

		// A tenant that is locked for longer waits for the turn.
		attempts = 0
		go func() {
			time.Sleep(4 * maxLockWait)
			queueTurns.Pass()
		}()
		err = RetryLocked(t.Context(), nil, id, func(a Attempt) error {
			if pass := a.takeQueueTurn(id); pass != nil {
				pass()
				return nil
			}
			attempts++
			return ErrTenantLocked
		})
		if err != nil || attempts > 10 {
			t.Errorf("%d attempts without the turn, %v", attempts, err)
		}
	})
}
