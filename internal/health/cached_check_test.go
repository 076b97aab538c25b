package health

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestCheckIsCached checks that a check is not repeated within its interval.
func TestCheckIsCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, failure := 0, errors.New("broken")
		c := &cachedCheck{check: func(context.Context) error { calls++; return failure }}
		for range 10 {
			if err := c.result(t.Context()); err != failure {
				t.Errorf("got %v, want %v", err, failure)
			}
		}
		if calls != 1 {
			t.Errorf("%d checks, want 1", calls)
		}
		failure = nil
		time.Sleep(checkInterval)
		if err := c.result(t.Context()); err != nil || calls != 2 {
			t.Errorf("got %v after %d checks, want nil after 2", err, calls)
		}
	})
}

// TestHangingCheckHoldsNobody checks that a check which hangs does not keep its callers
// waiting longer than they want, is not started twice, and is ended.
func TestHangingCheckHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		c := &cachedCheck{check: func(ctx context.Context) error {
			calls.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}}
		begun := time.Now()
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), readyTimeout)
			if err := c.result(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want a timeout", err)
			}
			cancel()
		}
		if waited := time.Since(begun); waited != 3*readyTimeout || calls.Load() != 1 {
			t.Errorf("waited %v for %d checks", waited, calls.Load())
		}
		time.Sleep(checkTimeout)
		synctest.Wait()
		if err := c.result(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the timeout of the check", err)
		}
	})
}
