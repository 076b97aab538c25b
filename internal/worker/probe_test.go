//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

// TestProbe checks that a probe is answered by an idle worker process and by one that has
// to be started, and that one which does not respond is replaced.
func TestProbe(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	worker := func() *process {
		waitUntil(t, p, func() bool { return len(p.idle) == 1 })
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.idle[0]
	}
	first := worker()
	for range 3 {
		if err := p.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if worker() != first {
		t.Error("the probe replaced the worker process")
	}
	if err := first.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// Its threads stop one after the other.
	if _, err := syscall.Wait4(first.cmd.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := p.Probe(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("frozen worker process: got %v, want a timeout", err)
	}
	if err := p.Probe(t.Context()); err != nil {
		t.Errorf("after the replacement: %v", err)
	}
	if worker() == first {
		t.Error("the frozen worker process is still used")
	}

	p.slots <- struct{}{} // a document is being extracted
	if err := p.Probe(ctx); err != nil {
		t.Errorf("busy pool: got %v, want nil", err)
	}
	<-p.slots
	p.Close()
	if err := p.Probe(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed pool: got %v, want %v", err, ErrClosed)
	}
}
