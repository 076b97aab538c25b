package api

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHintForALongPath checks that the response to a path of thousands of segments, which
// everybody can send, needs about as much memory as that to an ordinary one.
func TestHintForALongPath(t *testing.T) {
	cost := func(path string) int64 {
		r := httptest.NewRequest("GET", path, nil)
		return testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				UnknownRoute(nil, r)
			}
		}).AllocedBytesPerOp()
	}
	long := strings.Repeat("/v1", 5000)
	if short, long := cost("/nothing"), cost(long); long > 3*short+10_000 {
		t.Errorf("%d bytes of memory for a long path, and %d for a short one", long, short)
	}
}
