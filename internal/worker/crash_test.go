//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/extract"
)

// killBusy kills the worker processes that extract a document, until stop is called,
// at most the given number of them. A process that has just started is left alone.
func killBusy(p *Pool, most int) (stop func()) {
	done := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		killed := map[*process]bool{}
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			p.mu.Lock()
			for worker := range p.all {
				if !slices.Contains(p.idle, worker) && !killed[worker] && len(killed) < most {
					killed[worker] = true
					worker.kill()
				}
			}
			p.mu.Unlock()
		}
	})
	return func() {
		close(done)
		killer.Wait()
	}
}

// misbehaving are limits that mark worker processes for these tests. Such a process recurses without
// end on the document "deep", reports a fault on the document "fault", and uses 20 threads on the
// document "threads".
var misbehaving = Limits{Time: 24 * time.Second, Memory: 512 << 20}

func init() {
	if os.Args[0] == processName && len(os.Args) > 1 && os.Args[1] == misbehaving.Time.String() {
		extracted := work
		work = func(ctx context.Context, req request, document io.ReaderAt) response {
			switch req.Name {
			case "deep":
				return work(ctx, req, document)
			case "fault":
				return response{Fault: "no space left"}
			case "threads":
				useThreads(20)
			}
			return extracted(ctx, req, document)
		}
	}
}

// useThreads uses that many threads at the same time.
func useThreads(n int) {
	var all, started sync.WaitGroup
	started.Add(n)
	for range n {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started.Done()
			started.Wait()
		})
	}
	all.Wait()
}

// TestFaultsCountAsCrashes checks that a process that reports a fault is replaced, and that the
// fault counts as a crash, so that a compromised process cannot have its document
// retried forever.
func TestFaultsCountAsCrashes(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, misbehaving)
	first := idleOf(p)[0]
	_, err := p.Extract(t.Context(), "acme", "fault", strings.NewReader(letter))
	if crash, ok := errors.AsType[*Crash](err); !ok || crash.Exit != "error: no space left" {
		t.Errorf("got %v, want a *Crash", err)
	}
	if allOf(p)[first] {
		t.Error("the pool kept the worker process")
	}
	checkLetter(t, p, strings.NewReader(letter))
}

// TestEndlessRecursion checks that a document fails at once, with the reason, if its
// parser calls itself without end.
func TestEndlessRecursion(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, misbehaving)
	_, err := p.Extract(t.Context(), "acme", "deep", strings.NewReader(letter))
	if unreadable, ok := errors.AsType[*extract.Unreadable](err); !ok || unreadable.Cause != CauseNesting {
		t.Errorf("got %v, want the cause %s", err, CauseNesting)
	}
	checkLetter(t, p, strings.NewReader(letter))
}

// TestCrash checks that Extract returns a *Crash, and not that the document is
// unreadable, if something else kills the worker process.
func TestCrash(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	first := idleOf(p)[0]
	first.kill()
	<-first.exited
	checkLetter(t, p, strings.NewReader(letter))
	if allOf(p)[first] {
		t.Error("the pool kept the dead worker process")
	}
	stop := killBusy(p, 1)
	_, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(199_000))
	stop()
	crash, ok := errors.AsType[*Crash](err)
	if !ok || crash.Exit != "signal: killed" {
		t.Errorf("got %v, want a *Crash", err)
	}
	checkLetter(t, p, strings.NewReader(letter))
}

// TestExtractFresh checks that ExtractFresh takes a new worker process although one is
// idle, and that there are never more than the pool may have.
func TestExtractFresh(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2, defaultLimits)
	before := idleOf(p)
	if _, err := p.ExtractFresh(t.Context(), "acme", "letter.txt", strings.NewReader(letter)); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, p, func() bool { return len(p.idle) == 2 })
	after := idleOf(p)
	if len(allOf(p)) != 2 || slices.Contains(before, after[1]) || !slices.Contains(before, after[0]) {
		t.Errorf("got %d worker processes, want 2, including a new one", len(allOf(p)))
	}
}

// TestFilesAreRetriedAfterCrashes checks that ExtractFiles extracts a file whose worker
// processes are killed twice, and gives up after the third kill.
func TestFilesAreRetriedAfterCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "schedule.csv")
	content := make([]byte, schedule(100_000).Size())
	schedule(100_000).ReadAt(content, 0)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kills int
		want  error
	}{{MaxCrashes - 1, nil}, {MaxCrashes, ErrCrashes}} {
		p := newPool(t, 1, defaultLimits)
		stop := killBusy(p, test.kills)
		for file := range p.ExtractFiles(t.Context(), []string{path}) {
			if !errors.Is(file.Err, test.want) || (file.Err == nil) != (file.Extraction != nil) {
				t.Errorf("%d kills: got %v, want %v", test.kills, file.Err, test.want)
			}
		}
		stop()
	}
}

// TestProcessWithMuchMemoryIsReplaced checks that a document does not run in a worker
// process that earlier documents have filled.
func TestProcessWithMuchMemoryIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
	t.Parallel()
	limits := defaultLimits
	limits.Memory = 384 << 20 // of which the schedule takes more than half
	p := newPool(t, 1, limits)
	worker := idleOf(p)[0]
	checkLetter(t, p, strings.NewReader(letter))
	if idleOf(p)[0] != worker {
		t.Error("a small document replaced the worker process")
	}
	if _, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(150_000)); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, p, func() bool { return len(p.idle) == 1 && p.idle[0] != worker })
}

// TestCauseOfDeath checks which deaths of a worker process are the document's fault.
func TestCauseOfDeath(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	worker := idleOf(p)[0]
	worker.kill()
	<-worker.exited // killed by a signal, having used almost no CPU time
	for name, test := range map[string]struct {
		limit  time.Duration
		reason string // "" = a crash
	}{
		"killed from outside":      {defaultLimits.Time, ""},
		"at its limit of CPU time": {-time.Second, "processing took longer than -1s"},
	} {
		worker.limits.Time = test.limit
		err := worker.causeOfDeath(errors.New("EOF"))
		reason := ""
		if unreadable, ok := errors.AsType[*extract.Unreadable](err); ok {
			reason = unreadable.Reason
		}
		if _, crashed := errors.AsType[*Crash](err); reason != test.reason || crashed != (test.reason == "") {
			t.Errorf("%s: got %v, want reason %q", name, err, test.reason)
		}
	}
}

// TestStoppedProcessDoesNotUseUpTime checks that a document does not fail because this
// process was stopped, by SIGSTOP or a debugger, for longer than the worker process has to
// respond.
func TestStoppedProcessDoesNotUseUpTime(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
	const timeout = 8 * time.Second
	if os.Getenv("POOL_TO_STOP") != "" {
		p := newPool(t, 1, defaultLimits)
		p.idle[0].timeout = timeout
		done := make(chan error)
		go func() {
			_, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(3_000))
			done <- err
		}()
		waitUntil(t, p, func() bool { return len(p.idle) == 0 })
		fmt.Println("ready")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Parallel()
	parent := testCommand(t, "POOL_TO_STOP=1", "-test.run=^TestStoppedProcessDoesNotUseUpTime$")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil || word != "ready" {
		t.Fatal(word, err)
	}
	parent.Process.Signal(syscall.SIGSTOP)
	time.Sleep(timeout + time.Second)
	parent.Process.Signal(syscall.SIGCONT)
	if rest, _ := io.ReadAll(out); parent.Wait() != nil {
		t.Errorf("%s", rest)
	}
}
