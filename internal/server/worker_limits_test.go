package server

import (
	"runtime/debug"
	"testing"
	"time"
)

// TestMostWorkers checks how many worker processes fit into the total memory.
func TestMostWorkers(t *testing.T) {
	t.Parallel()
	const mib, gib = 1 << 20, 1 << 30
	for name, test := range map[string]struct {
		memory, total, machine int64
		want                   int // 0 = refused
	}{
		"a quarter of the machine":  {512 * mib, 0, 24 * gib, 9},
		"a small machine":           {512 * mib, 0, 4*gib - 100*mib, 2},
		"a smaller one":             {512 * mib, 0, 2 * gib, 1},
		"at least one":              {512 * mib, 0, gib, 1},
		"an exact total":            {512 * mib, 2 * 672 * mib, gib, 2},
		"a byte less":               {512 * mib, 2*672*mib - 1, 24 * gib, 1},
		"too little for one":        {512 * mib, 672*mib - 1, 24 * gib, 0},
		"more for each, fewer":      {2 * gib, 0, 24 * gib, 2},
		"a total above the machine": {512 * mib, 100 * 672 * mib, gib, 100},
	} {
		limits := WorkerLimits{ReadTime: time.Second, ReadMemoryBytes: test.memory, ReadMemoryTotalBytes: test.total}
		if err := limits.check(); (err != nil) != (test.want == 0) {
			t.Errorf("%s: %v", name, err)
		}
		if got := limits.mostWorkers(test.machine); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if machineMemory() < 64*mib {
		t.Errorf("the machine has %d bytes of memory", machineMemory())
	}
}

// TestServerMemoryIsLimited checks that the limit of the garbage collector is half of the
// memory, unless GOMEMLIMIT is set.
func TestServerMemoryIsLimited(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	limitServerMemory()
	if limit := debug.SetMemoryLimit(-1); limit != before {
		t.Errorf("limit %d, want %d as before", limit, before)
	}
	t.Setenv("GOMEMLIMIT", "")
	limitServerMemory()
	if limit := debug.SetMemoryLimit(-1); limit != machineMemory()/2 {
		t.Errorf("limit %d, want half of %d", limit, machineMemory())
	}
}
