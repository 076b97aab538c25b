package journal

import (
	"log/slog"
	"strconv"
	"strings"
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

// TestDroppedCallsAreLoggedTogether checks that dropped calls cause at most one line in the log per
// second, which states their number, and that the lines together count all of them.
func TestDroppedCallsAreLoggedTogether(t *testing.T) {
	var lines []string
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(lineWriter(func(line string) { lines = append(lines, line) }), nil)))
	defer slog.SetDefault(before)
	now := time.Now()
	j := &Journal{
		now: func() time.Time { return now }, wake: make(chan struct{}, 1), writeNow: make(chan struct{}, 1), changed: make(chan struct{}),
		shares: map[queueShare]int64{},
	}
	for range 10 {
		for range 1000 {
			j.add(&row{size: maxUnauthenticatedBytes})
		}
		now = now.Add(dropLogInterval / 2)
	}
	now = now.Add(dropLogInterval)
	j.endBatch(nil, nil)
	logged := 0
	for _, line := range lines {
		_, count, _ := strings.Cut(strings.TrimSpace(line), "count=")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Error(line)
		}
		logged += n
	}
	if len(lines) > 7 || logged != j.lost || logged < 9000 {
		t.Errorf("%d lines about %d of %d dropped calls", len(lines), logged, j.lost)
	}
}

type lineWriter func(line string)

// Write implements io.Writer.
func (w lineWriter) Write(line []byte) (int, error) {
	w(string(line))
	return len(line), nil
}
