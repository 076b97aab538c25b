package server

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// step does the background work that is due and returns how long to wait before
// it is called again.
type step func(ctx context.Context) (time.Duration, error)

// retryPause is the pause after a step that failed.
const retryPause = time.Second

// background runs steps until their contexts end. The zero value is ready.
type background struct {
	running sync.WaitGroup
}

// start calls the step repeatedly until ctx ends.
func (b *background) start(ctx context.Context, name string, do step) {
	b.running.Go(func() {
		for ctx.Err() == nil {
			wait, err := recoverPanic(ctx, name, do)
			if err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "background step failed", "step", name, "err", err)
				wait = retryPause
			}
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
			timer.Stop()
		}
	})
}

// wait waits until all steps have ended, or ctx has.
func (b *background) wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		b.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// recoverPanic calls the step and keeps its panic from ending the server.
func recoverPanic(ctx context.Context, name string, do step) (wait time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "background step panicked", "step", name, "panic", p, "stack", string(debug.Stack()))
			wait = retryPause
		}
	}()
	return do(ctx)
}

const (
	// memoryPause is the time between two calls of release.
	memoryPause = 10 * time.Second
	// usualHeap is the size of the heap in bytes up to which a busy server keeps its memory.
	usualHeap = 64 << 20
	// ballast is the size in bytes of unused memory that makes the heap larger for the garbage
	// collector. The collector runs when the heap has doubled. Without ballast, a small heap would
	// double many times a second.
	ballast = 16 << 20
	// idleAllocations is the maximum number of allocations of an idle server in memoryPause.
	idleAllocations = 50_000
)

// memoryReleaser returns unused memory to the system after large documents and responses, and
// after the start. Without it, the garbage collector keeps this memory for minutes if the
// server has little to do.
type memoryReleaser struct {
	ballast     []byte // never written to, so it uses no physical memory
	allocations uint64 // since the start, at the last call
	idle        int    // calls since the server was busy
}

func newMemoryReleaser() *memoryReleaser { return &memoryReleaser{ballast: make([]byte, ballast)} }

// release returns memory if the heap is large or if the server has become idle. An idle server
// collects garbage twice, because the first collection keeps the contents of the sync.Pools.
func (m *memoryReleaser) release() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.Mallocs-m.allocations > idleAllocations {
		m.idle = 0
	} else {
		m.idle++
	}
	if memory.HeapSys-memory.HeapReleased > usualHeap+uint64(len(m.ballast)) || m.idle == 1 || m.idle == 2 {
		debug.FreeOSMemory()
		runtime.ReadMemStats(&memory)
	}
	m.allocations = memory.Mallocs
}
