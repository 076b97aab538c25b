package journal

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestSharesOfTheQueue checks that neither a tenant with many calls nor callers without
// valid credentials make the journal lose the calls of others.
func TestSharesOfTheQueue(t *testing.T) {
	t.Parallel()
	j := &Journal{now: func() time.Time { return time.Time{} }, wake: make(chan struct{}, 1), writeNow: make(chan struct{}, 1), shares: map[queueShare]int64{}}
	busy, other, unattributed := queueShare{tenantID: uuid.New()}, queueShare{tenantID: uuid.New()}, queueShare{tenantID: unattributed}
	strangers := queueShare{other.tenantID, true}
	add := func(share queueShare, size int64) (lost bool) {
		before := j.lost
		j.add(&row{tenantID: share.tenantID, unauthenticated: share.unauthenticated, size: size})
		return j.lost > before
	}
	for range 2000 {
		add(unattributed, 128<<10)
		add(busy, 128<<10)
		add(strangers, 128<<10)
	}
	if j.shares[unattributed] != maxUnauthenticatedBytes || j.shares[strangers] != maxUnauthenticatedBytes || j.shares[busy] != maxTenantBytes {
		t.Errorf("shares %v", j.shares)
	}
	if add(other, 128<<10) {
		t.Error("the call of another tenant is lost")
	}
	for more := true; more; {
		_, more = j.nextBatch()
	}
	if len(j.shares) != 0 || j.queueBytes != 0 || add(busy, 1) {
		t.Errorf("shares %v and %d bytes after all was written", j.shares, j.queueBytes)
	}
}
