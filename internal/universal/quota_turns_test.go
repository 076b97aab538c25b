package universal

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestSlowQuotasDelayNoOtherTenant checks that tenants whose quotas take long to check make each
// other wait, but no other tenant.
func TestSlowQuotasDelayNoOtherTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := quotaTurns{slowAt: map[uuid.UUID]time.Time{}}
		run := func(tenantID uuid.UUID, d time.Duration) {
			if err := turns.run(t.Context(), tenantID, func() error { time.Sleep(d); return nil }); err != nil {
				t.Error(err)
			}
		}
		large, larger, small := uuid.New(), uuid.New(), uuid.New()
		run(large, time.Second)
		run(larger, time.Second)
		run(large, time.Millisecond) // a turn of another kind
		var calls sync.WaitGroup
		begun := time.Now()
		for range 3 {
			calls.Go(func() { run(large, time.Second) })
			calls.Go(func() { run(larger, time.Second) })
		}
		synctest.Wait()
		run(small, time.Millisecond)
		if took := time.Since(begun); took != time.Millisecond {
			t.Errorf("another tenant waited %v", took)
		}
		calls.Wait()
		if took := time.Since(begun); took != 6*time.Second {
			t.Errorf("six slow turns took %v, want them one after the other", took)
		}
	})
}
