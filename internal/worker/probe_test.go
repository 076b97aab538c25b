//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// TestProbeUsesNoTenantsProcess checks that a process that has had a document, and may be
// compromised, has no influence on a probe, even if the pool has no room for another one.
func TestProbeUsesNoTenantsProcess(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2} {
		p := newPool(t, size, defaultLimits)
		checkLetter(t, p, strings.NewReader(letter))
		waitUntil(t, p, func() bool { return len(p.idle) == size })
		for _, worker := range idleOf(p) {
			if worker.unused() {
				continue
			}
			if err := worker.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			p.mu.Lock() // it becomes the most recently used one
			p.idle = append(slices.DeleteFunc(p.idle, func(w *process) bool { return w == worker }), worker)
			p.mu.Unlock()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := p.Probe(ctx); err != nil {
			t.Errorf("%d processes: %v", size, err)
		}
		cancel()
	}
}
