//go:build linux || darwin

package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

var usual = Limits{Wall: 30 * time.Second, Memory: 512 << 20}

func pool(t testing.TB, size int, limits Limits) *Pool {
	t.Helper()
	p := NewPool(size, size, limits)
	t.Cleanup(p.Close)
	until(t, p, func() bool { return len(p.idle) == size })
	return p
}

// until waits for what the pool is to come to.
func until(t testing.TB, p *Pool, done func() bool) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		yes := done()
		p.mu.Unlock()
		if yes {
			return
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatal("it does not come to that")
		}
	}
}

const letter = "Named Insured: Foxglove Bakery LLC\n"

func reads(t *testing.T, p *Pool, document Document) {
	t.Helper()
	got, err := p.Read(t.Context(), "letter.txt", document)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Facts) == 0 || got.Facts[0].Text != "Foxglove Bakery LLC" || got.Facts[0].Evidence != "letter.txt, line 1" {
		t.Errorf("facts %+v", got.Facts)
	}
}

// schedule is a large statement of values.
func schedule(rows int) *bytes.Reader {
	var text bytes.Buffer
	text.WriteString("Loc #,Address,City,State,Zip,Building Value,Contents Value,BI Value\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d Mill Street,Springfield,IL,62701,%d,%d,%d\n", i, i, 1000*i, 100*i, 10*i)
	}
	return bytes.NewReader(text.Bytes())
}

// onDisk is an open file with its size.
type onDisk struct {
	*os.File
	size int64
}

func (f onDisk) Size() int64 { return f.size }

// TestRead: a document that is an open file, and one that is not, by the same child.
func TestRead(t *testing.T) {
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
	p := pool(t, 1, usual)
	for range 3 {
		reads(t, p, onDisk{file, int64(len(letter))})
		reads(t, p, strings.NewReader(letter))
	}
	if len(p.all) != 1 || p.idle[0].documents != 6 {
		t.Errorf("%d children", len(p.all))
	}
	if _, err := file.Stat(); err != nil {
		t.Errorf("the document was closed: %v", err)
	}
	var unreadable *extract.Unreadable
	if _, err := p.Read(t.Context(), "a.bin", strings.NewReader("GIF89a")); !errors.As(err, &unreadable) || unreadable.Reason != "image: not supported" {
		t.Errorf("an image: %v", err)
	}
}

// refuses reads what goes beyond a limit, and then what does not.
func refuses(t *testing.T, limits Limits, document Document, reason string) {
	t.Helper()
	p := pool(t, 1, limits)
	begin := time.Now()
	_, err := p.Read(t.Context(), "schedule.csv", document)
	var unreadable *extract.Unreadable
	if !errors.As(err, &unreadable) || unreadable.Reason != reason {
		t.Fatalf("%v, want %s", err, reason)
	}
	t.Logf("given up after %v", time.Since(begin))
	reads(t, p, strings.NewReader(letter))
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	refuses(t, Limits{Wall: 300 * time.Millisecond, Memory: 512 << 20}, schedule(199_000), "reading took longer than 300ms")
}

func TestTooMuchMemory(t *testing.T) {
	t.Parallel()
	refuses(t, Limits{Wall: 30 * time.Second, Memory: 48 << 20}, schedule(199_000), "reading took more than 48 MiB of memory")
}

// TestBrokenReader: a document whose reader dies is read once more where the
// reader has read others, and given up where it has not.
func TestBrokenReader(t *testing.T) {
	t.Parallel()
	p := pool(t, 1, usual)
	reads(t, p, strings.NewReader(letter))
	first := p.idle[0]
	first.kill()
	<-first.ended
	reads(t, p, strings.NewReader(letter))
	if p.all[first] {
		t.Error("the dead child is kept")
	}

	document := schedule(199_000)
	killing, stop := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	killer.Go(func() { // whoever reads it dies
		for killing.Err() == nil {
			p.mu.Lock()
			for child := range p.all {
				if !slices.Contains(p.idle, child) {
					child.kill()
				}
			}
			p.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
	})
	_, err := p.Read(t.Context(), "schedule.csv", document)
	stop()
	killer.Wait()
	var unreadable *extract.Unreadable
	if !errors.As(err, &unreadable) || unreadable.Reason != "the document broke its reader" {
		t.Errorf("%v", err)
	}
	reads(t, p, strings.NewReader(letter))
}

// TestDeadWhileIdle: a child that dies before its first document is replaced,
// and no document takes the blame.
func TestDeadWhileIdle(t *testing.T) {
	t.Parallel()
	p := pool(t, 2, usual)
	for _, child := range slices.Clone(p.idle) {
		child.kill()
		<-child.ended
	}
	reads(t, p, strings.NewReader(letter))
	until(t, p, func() bool {
		return len(p.idle) >= 2 && !slices.ContainsFunc(p.idle, func(c *process) bool { return !c.alive() })
	})
}

// TestClose: whoever reads is told, and the children are gone.
func TestClose(t *testing.T) {
	t.Parallel()
	p := pool(t, 1, usual)
	child := p.idle[0]
	done := make(chan error)
	go func() {
		_, err := p.Read(t.Context(), "schedule.csv", schedule(199_000))
		done <- err
	}()
	until(t, p, func() bool { return len(p.idle) == 0 })
	p.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	<-child.ended
	if _, err := p.Read(t.Context(), "letter.txt", strings.NewReader(letter)); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

// TestCancel: reading ends with its context, and the next is not harmed.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := pool(t, 1, usual)
	reads(t, p, strings.NewReader(letter))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Read(ctx, "schedule.csv", schedule(199_000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	reads(t, p, strings.NewReader(letter))
}

// TestAtOnce: many documents, few children.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	p := NewPool(4, 1, usual)
	t.Cleanup(p.Close)
	var readers sync.WaitGroup
	for range 40 {
		readers.Go(func() { reads(t, p, strings.NewReader(letter)) })
	}
	readers.Wait()
	if n := len(p.all); n > 5 {
		t.Errorf("%d children", n)
	}
	p.mu.Lock()
	for _, child := range p.idle {
		child.since = child.since.Add(-linger)
	}
	p.mu.Unlock()
	p.trim()
	if n := len(p.all); n != 1 {
		t.Errorf("%d children linger", n)
	}
}

// TestParentKilled: no child outlives its parent.
func TestParentKilled(t *testing.T) {
	if os.Getenv("POOL_TO_KILL") != "" {
		p := pool(t, 1, usual)
		fmt.Println("child", p.idle[0].cmd.Process.Pid)
		select {}
	}
	t.Parallel()
	parent := commandOf(t, "POOL_TO_KILL=1", "-test.run=^TestParentKilled$")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "child %d", &pid); err != nil {
		t.Fatal(err)
	}
	parent.Process.Kill()
	parent.Wait()
	for begin := time.Now(); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("the child lives on")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	p := pool(b, 1, usual)
	p.Read(b.Context(), "letter.txt", strings.NewReader(letter))
	for b.Loop() {
		if _, err := p.Read(b.Context(), "letter.txt", strings.NewReader(letter)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p := NewPool(1, 0, usual)
		if _, err := p.Read(b.Context(), "letter.txt", strings.NewReader(letter)); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// commandOf is this test binary with one environment variable.
func commandOf(t *testing.T, variable string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, arguments...)
	cmd.Env = append(os.Environ(), variable)
	return cmd
}
