//go:build linux || darwin

package worker

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Exit codes of a worker process in which a document exceeds a limit.
const (
	exitOutOfMemory = 3
	exitOutOfTime   = 4
)

// Garbage is collected when the heap has grown by this percentage. Without growthOfSmall, the
// collector would take a sixth of the CPU time that letters need, because the heap of an idle worker
// process is small: it would double every ten letters.
const (
	growthOfSmall = 400 // while small documents are extracted
	growthOfLarge = 100 // while a document is extracted that takes longer than a tick of watchLimits
)

// limitMemory sets the limits of the Go runtime for documents that may use that many
// bytes of memory. The garbage collector works harder near the limit. A goroutine whose
// stack exceeds its limit, which happens only with endless recursion, ends the process
// with a message that causeOfDeath recognises.
func limitMemory(limit int64) {
	debug.SetMemoryLimit(limit * 4 / 5)
	debug.SetMaxStack(int(limit / 8))
	debug.SetGCPercent(growthOfSmall)
}

// watchLimits ends the process if it exceeds a limit before done is closed: its memory,
// or the CPU time that it uses from now on. It checks every 50 ms. confine also sets
// higher limits in the kernel, for a document that takes control of the process and, on
// Linux, for one that allocates memory faster.
func watchLimits(limits Limits, done <-chan struct{}) {
	begun := cpuTime()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	large := false
	for {
		select {
		case <-done:
			if large {
				debug.SetGCPercent(growthOfSmall)
			}
			return
		case <-tick.C:
		}
		if !large {
			debug.SetGCPercent(growthOfLarge)
			large = true
		}
		if memoryInUse() > uint64(limits.Memory) {
			os.Exit(exitOutOfMemory)
		}
		if cpuTime()-begun > limits.Time {
			os.Exit(exitOutOfTime)
		}
	}
}

// returnMemory returns the memory that documents have left behind to the system if it
// is more than an eighth of the limit, in bytes, so that an idle worker process is
// small and the next document has all of the limit.
func returnMemory(limit uint64) {
	if memoryInUse() > limit/8 {
		debug.FreeOSMemory()
	}
}

// Garbage that an idle worker process returns to the system after a pause.
const (
	idlePause   = time.Second
	idleGarbage = 16 << 20 // bytes; returning less is not worth a collection
)

// returnIdleMemory returns the memory that documents have left behind to the system, if the
// worker process has much more than an unused one.
func returnIdleMemory(unused uint64) {
	if memoryInUse() > unused+idleGarbage {
		debug.FreeOSMemory()
	}
}

// memoryInUse returns the bytes of memory that the Go runtime has from the system and
// has not returned.
func memoryInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// mappedMemory returns the bytes of memory that the Go runtime has mapped, including
// what it has returned to the system.
func mappedMemory() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
