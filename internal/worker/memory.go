//go:build linux || darwin

package worker

import (
	"os"
	"runtime/metrics"
	"time"
)

// exitOutOfMemory is the exit code of a worker process that exceeds its memory limit.
const exitOutOfMemory = 3

// watchMemory ends the process if it uses more memory than the limit, in bytes, before
// done is closed. It looks every 50 ms; on Linux confine also sets a higher limit in
// the kernel, for a document that takes memory faster.
func watchMemory(limit uint64, done <-chan struct{}) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		if samples[0].Value.Uint64()-samples[1].Value.Uint64() > limit {
			os.Exit(exitOutOfMemory)
		}
	}
}
