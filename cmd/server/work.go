package main

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// step is a background step: it does what is due and returns how long until it
// wants to be called again.
type step func(ctx context.Context) (time.Duration, error)

// retry is how long a step that failed is left alone.
const retry = time.Second

// workers run background steps until they are told to stop.
type workers struct {
	running sync.WaitGroup
	mu      sync.Mutex
	wakes   []chan struct{}
}

// Start calls the step again and again until ctx ends.
func (w *workers) Start(ctx context.Context, name string, do step) {
	wake := make(chan struct{}, 1)
	w.mu.Lock()
	w.wakes = append(w.wakes, wake)
	w.mu.Unlock()
	w.running.Go(func() {
		for ctx.Err() == nil {
			wait, err := protect(ctx, do)
			if err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "background step failed", "step", name, "err", err)
				wait = retry
			}
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
			case <-wake:
			case <-timer.C:
			}
			timer.Stop()
		}
	})
}

// Wake has every step look for work now.
func (w *workers) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, wake := range w.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// Wait returns when all steps have ended, or ctx has.
func (w *workers) Wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		w.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// protect keeps a panic of the step from ending the server.
func protect(ctx context.Context, do step) (wait time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "background step panicked", "panic", p, "stack", string(debug.Stack()))
			wait = retry
		}
	}()
	return do(ctx)
}
