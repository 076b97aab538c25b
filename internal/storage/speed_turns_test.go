package storage_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/storage"
)

// TestSlowTurnsDelayNoOtherTenant checks that tenants with slow turns wait for each other and do not
// delay other tenants.
func TestSlowTurnsDelayNoOtherTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns storage.SpeedTurns
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
