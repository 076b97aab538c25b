//go:build linux || darwin

package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/storage/storagetest"
)

// stopProcess freezes a process of the Postgres in dir whose title contains the text,
// so that it does not respond to requests to exit. It returns when the process has
// stopped running.
func stopProcess(t *testing.T, dir, title string) {
	t.Helper()
	cluster, err := os.Stat(filepath.Join(dir, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("this system has no /proc")
	}
	// A process with the title can end before it stops, such as that of a second connection.
	eventually(t, fmt.Sprintf("a process titled %q stops", title), func() bool {
		processes, _ := filepath.Glob("/proc/[0-9]*")
		for _, process := range processes {
			workDir, err := os.Stat(process + "/cwd")
			if err != nil || !os.SameFile(workDir, cluster) {
				continue
			}
			if command, _ := os.ReadFile(process + "/cmdline"); !strings.Contains(string(command), title) {
				continue
			}
			pid, _ := strconv.Atoi(filepath.Base(process))
			if syscall.Kill(pid, syscall.SIGSTOP) != nil {
				continue
			}
			t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
			state, _ := os.ReadFile(process + "/stat")
			return strings.Contains(string(state), ") T ")
		}
		return false
	})
}

// TestStuckPostgresOfKilledServer kills a server whose Postgres cannot shut down
// cleanly, because its checkpointer does not respond, and starts the next one.
func TestStuckPostgresOfKilledServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir, "ready")
	stopProcess(t, dir, "checkpointer")
	killAndWait(server)
	started := time.Now()
	s := start(t, dir)
	t.Logf("the next start took %v", time.Since(started))
	if got := storagetest.QueryValue[int](t, connect(t, s), "select count(*) from items"); got != 1 {
		t.Errorf("got %d rows, want 1", got)
	}
}

// TestBackendOutlivesPostmaster kills the postmaster while one of its backends does
// not respond and keeps the shared memory in use.
func TestBackendOutlivesPostmaster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := connect(t, start(t, dir))
	if _, err := pool.Exec(t.Context(), "create table items as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	stopProcess(t, dir, "understudy understudy [local]")
	killed := postmasterPID(t, dir)
	started := time.Now()
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	pool.Reset()
	eventually(t, "a new Postgres process accepts queries", func() bool {
		var n int
		err := pool.QueryRow(t.Context(), "select n from items").Scan(&n)
		return err == nil && n == 42 && postmasterPID(t, dir) != killed
	})
	t.Logf("the restart took %v", time.Since(started))
}

// TestKilledPostgresLeavesNoSharedMemory kills the postmaster, and stops the server before it has
// started a new postmaster.
func TestKilledPostgresLeavesNoSharedMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	file, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	memory := strings.Fields(strings.Split(string(file), "\n")[6])[1]
	exists := func() bool {
		segments, _ := os.ReadFile("/proc/sysvipc/shm")
		return slices.ContainsFunc(strings.Split(string(segments), "\n"), func(line string) bool {
			fields := strings.Fields(line) // key, id, …
			return len(fields) > 1 && fields[1] == memory
		})
	}
	if !exists() {
		t.Skip("this system does not list shared memory")
	}
	if err := syscall.Kill(postmasterPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if exists() {
		t.Errorf("the shared memory %s remains", memory)
	}
}
