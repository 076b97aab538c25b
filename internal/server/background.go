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
	// memoryPause is the time between two calls of releaseMemory.
	memoryPause = 10 * time.Second
	// usualHeap is the size of the heap in bytes up to which releaseMemory does nothing.
	usualHeap = 64 << 20
)

// releaseMemory returns memory to the system that large documents and responses have
// left behind. Without it, the garbage collector keeps this memory for minutes if the
// server has little to do.
func releaseMemory() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapSys-memory.HeapReleased > usualHeap {
		debug.FreeOSMemory()
	}
}
