//go:build linux || darwin

package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/extract"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

var defaultLimits = Limits{Time: 30 * time.Second, Memory: 512 << 20}

func newPool(t testing.TB, size int, limits Limits) *Pool {
	t.Helper()
	p := NewPool(size, size, limits)
	t.Cleanup(p.Close)
	waitUntil(t, p, func() bool { return len(p.idle) == size })
	return p
}

// waitUntil waits until the pool meets the condition, which is called with the
// pool's lock held.
func waitUntil(t testing.TB, p *Pool, condition func() bool) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		met := condition()
		p.mu.Unlock()
		if met {
			return
		}
		if time.Since(start) > 2*time.Minute {
			t.Fatal("the pool did not meet the condition within two minutes")
		}
	}
}

// idleOf returns the idle worker processes.
func idleOf(p *Pool) []*process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.idle)
}

// allOf returns all worker processes.
func allOf(p *Pool) map[*process]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.all)
}

const letter = "Named Insured: Foxglove Bakery LLC\n"

// checkLetter extracts the letter and checks the company name.
func checkLetter(t *testing.T, p *Pool, document Document) {
	t.Helper()
	got, err := p.Extract(t.Context(), "acme", "letter.txt", document)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Facts) == 0 || got.Facts[0].Text != "Foxglove Bakery LLC" || got.Facts[0].Evidence != "letter.txt, line 1" {
		t.Errorf("got facts %+v", got.Facts)
	}
}

// schedule returns a statement of values in CSV with the given number of rows.
func schedule(rows int) *bytes.Reader {
	var text bytes.Buffer
	text.WriteString("Loc #,Address,City,State,Zip,Building Value,Contents Value,BI Value\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d Mill Street,Springfield,IL,62701,%d,%d,%d\n", i, i, 1000*i, 100*i, 10*i)
	}
	return bytes.NewReader(text.Bytes())
}

// TestExtract extracts documents that are open files and documents that are not,
// all with the same worker process.
func TestExtract(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte(letter), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := newPool(t, 1, defaultLimits)
	first := idleOf(p)[0]
	for range 3 {
		checkLetter(t, p, sizedFile{file, int64(len(letter))})
		checkLetter(t, p, strings.NewReader(letter))
	}
	if n := len(allOf(p)); n != 1 || idleOf(p)[0] != first {
		t.Errorf("got %d worker processes, want only the first one", n)
	}
	if _, err := file.Stat(); err != nil {
		t.Errorf("Extract closed the document: %v", err)
	}
	var unreadable *extract.Unreadable
	if _, err := p.Extract(t.Context(), "acme", "a.bin", strings.NewReader("GIF89a")); !errors.As(err, &unreadable) || unreadable.Reason != "image: not supported" {
		t.Errorf("image: got %v", err)
	}
}

// checkLimit checks that a document which exceeds a limit fails with the given
// reason, and that the pool still extracts other documents.
func checkLimit(t *testing.T, limits Limits, document Document, reason string) {
	t.Helper()
	p := newPool(t, 1, limits)
	start := time.Now()
	_, err := p.Extract(t.Context(), "acme", "schedule.csv", document)
	var unreadable *extract.Unreadable
	if !errors.As(err, &unreadable) || unreadable.Reason != reason {
		t.Fatalf("got %v, want %s", err, reason)
	}
	t.Logf("failed after %v", time.Since(start))
	checkLetter(t, p, strings.NewReader(letter))
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	checkLimit(t, Limits{Time: 300 * time.Millisecond, Memory: 512 << 20}, schedule(199_000), "processing took longer than 300ms")
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	checkLimit(t, Limits{Time: 30 * time.Second, Memory: 48 << 20}, schedule(199_000), "processing took more than 48 MiB of memory")
}

// TestExitWhileIdle checks that a worker process that exits before its first
// document is replaced, and that no document fails because of it.
func TestExitWhileIdle(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2, defaultLimits)
	for _, worker := range idleOf(p) {
		worker.kill()
		<-worker.exited
	}
	checkLetter(t, p, strings.NewReader(letter))
	waitUntil(t, p, func() bool {
		return len(p.idle) >= 2 && !slices.ContainsFunc(p.idle, func(c *process) bool { return !c.alive() })
	})
}

// TestClose checks that Extract returns ErrClosed, during an extraction and
// afterwards, and that the worker process ends.
func TestClose(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	worker := idleOf(p)[0]
	done := make(chan error)
	go func() {
		_, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(199_000))
		done <- err
	}()
	waitUntil(t, p, func() bool { return len(p.idle) == 0 })
	p.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("during an extraction: got %v, want %v", err, ErrClosed)
	}
	<-worker.exited
	if _, err := p.Extract(t.Context(), "acme", "letter.txt", strings.NewReader(letter)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: got %v, want %v", err, ErrClosed)
	}
}

// TestCancel checks that an extraction ends with its context and that the next
// document is not affected.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	checkLetter(t, p, strings.NewReader(letter))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Extract(ctx, "acme", "schedule.csv", schedule(199_000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	checkLetter(t, p, strings.NewReader(letter))
}

// TestConcurrentDocuments extracts many documents with few worker processes.
func TestConcurrentDocuments(t *testing.T) {
	t.Parallel()
	p := NewPool(4, 1, defaultLimits)
	t.Cleanup(p.Close)
	var callers sync.WaitGroup
	for range 40 {
		callers.Go(func() { checkLetter(t, p, strings.NewReader(letter)) })
	}
	callers.Wait()
	p.mu.Lock()
	if n := len(p.all); n > 5 {
		t.Errorf("got %d worker processes, want at most 5", n)
	}
	for _, worker := range p.idle {
		worker.idleSince = worker.idleSince.Add(-idleTimeout)
	}
	p.mu.Unlock()
	p.stopSurplus()
	waitUntil(t, p, func() bool { return len(p.all) == 1 && p.unused() == 1 })
}

// TestParentKilled checks that a worker process ends with its parent.
func TestParentKilled(t *testing.T) {
	if os.Getenv("POOL_TO_KILL") != "" {
		p := newPool(t, 1, defaultLimits)
		fmt.Println("worker", idleOf(p)[0].cmd.Process.Pid)
		select {}
	}
	t.Parallel()
	parent := testCommand(t, "POOL_TO_KILL=1", "-test.run=^TestParentKilled$")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "worker %d", &pid); err != nil {
		t.Fatal(err)
	}
	parent.Process.Kill()
	parent.Wait()
	for start := time.Now(); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the worker process still runs 10 s after its parent was killed")
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	p := newPool(b, 1, defaultLimits)
	p.Extract(b.Context(), "acme", "letter.txt", strings.NewReader(letter))
	for b.Loop() {
		if _, err := p.Extract(b.Context(), "acme", "letter.txt", strings.NewReader(letter)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p := NewPool(1, 0, defaultLimits)
		if _, err := p.Extract(b.Context(), "acme", "letter.txt", strings.NewReader(letter)); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// testCommand returns a command that runs this test binary with an additional
// environment variable.
func testCommand(t *testing.T, variable string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, arguments...)
	cmd.Env = append(os.Environ(), variable)
	return cmd
}
