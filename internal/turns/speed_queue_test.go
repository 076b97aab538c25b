package turns_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/turns"
)

// TestSlowTurnsDelayNoOtherTenant checks that tenants with slow turns wait for each other and do not
// delay other tenants.
func TestSlowTurnsDelayNoOtherTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns turns.SpeedQueue
		run := func(tenantID uuid.UUID, d time.Duration) {
			if err := turns.Run(t.Context(), tenantID, func() error { time.Sleep(d); return nil }); err != nil {
				t.Error(err)
			}
		}
		large, larger, small := uuid.New(), uuid.New(), uuid.New()
		run(large, time.Second)
		run(larger, time.Second)
		run(large, time.Millisecond) // a quick turn does not make the tenant quick at once
		var calls sync.WaitGroup
		begun := time.Now()
		for range 3 {
			calls.Go(func() { run(large, time.Second) })
			calls.Go(func() { run(larger, time.Second) })
		}
		synctest.Wait()
		run(small, time.Millisecond)
		if took := time.Since(begun); took != time.Millisecond {
			t.Errorf("the turn of another tenant took %v, want 1ms", took)
		}
		calls.Wait()
		if took := time.Since(begun); took != 6*time.Second {
			t.Errorf("six slow turns took %v, want them one after the other", took)
		}
	})
}

// TestBurstOfSlowTurnsDelaysNoOtherTenant checks that a tenant's calls which wait when its first turn
// turns out to be slow do not delay other tenants by more than that turn.
func TestBurstOfSlowTurnsDelaysNoOtherTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns turns.SpeedQueue
		run := func(tenantID uuid.UUID, d time.Duration) {
			if err := turns.Run(t.Context(), tenantID, func() error { time.Sleep(d); return nil }); err != nil {
				t.Error(err)
			}
		}
		large, small := uuid.New(), uuid.New()
		var calls sync.WaitGroup
		begun := time.Now()
		for range 10 {
			calls.Go(func() { run(large, time.Second) })
		}
		synctest.Wait()
		for range 3 {
			run(small, time.Millisecond)
		}
		if took := time.Since(begun); took != time.Second+3*time.Millisecond {
			t.Errorf("the turns of another tenant took %v, want 1.003s", took)
		}
		calls.Wait()
	})
}
