package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWaitingForACoreTakesNoTime checks that a document does not fail because its worker
// process has to wait for a core for longer than the document's CPU time.
func TestWaitingForACoreTakesNoTime(t *testing.T) {
	t.Parallel()
	limits := Limits{Time: time.Second, Memory: 512 << 20}
	p := newPool(t, 1, limits)
	worker := stopWorker(t, p)
	timer := time.AfterFunc(limits.Time*3/2, func() { worker.cmd.Process.Signal(syscall.SIGCONT) })
	defer timer.Stop()
	checkLetter(t, p, strings.NewReader(letter))
	if !allOf(p)[worker] {
		t.Error("the worker process was replaced")
	}
}

// TestWorkerWithoutCPUTime checks that a document whose worker process gets no CPU time at
// all is retried in another process.
func TestWorkerWithoutCPUTime(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	stopWorker(t, p).timeout = 100 * time.Millisecond
	_, err := p.Extract(t.Context(), "acme", "letter.txt", strings.NewReader(letter))
	if crash, ok := errors.AsType[*Crash](err); !ok || crash.Exit != "no response within 100ms" {
		t.Errorf("got %v, want a *Crash", err)
	}
	path := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(path, []byte(letter), 0o600); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, p, func() bool { return len(p.idle) == 1 })
	stopWorker(t, p).timeout = 100 * time.Millisecond
	for file := range p.ExtractFiles(t.Context(), []string{path}) {
		if file.Err != nil || len(file.Extraction.Facts) == 0 {
			t.Errorf("got %+v", file)
		}
	}
}

// stopWorker stops the idle worker process of the pool, as if it got no core.
func stopWorker(t *testing.T, p *Pool) *process {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	worker := p.idle[0]
	if err := worker.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, worker.cmd.Process.Pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	return worker
}
