//go:build amd64 || arm64

package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"understudy.example/internal/extract"
)

// Worker processes with these time limits make attempts instead of extracting
// documents.
var (
	hostile           = Limits{Time: 21 * time.Second, Memory: 512 << 20}
	hostileUnfiltered = Limits{Time: 22 * time.Second, Memory: 512 << 20} // without the seccomp layer
)

// environment variables of a process that runs a test of this package as another user
const (
	asContainer = "UNDERSTUDY_TEST_AS_CONTAINER" // set: refuse new namespaces
	asUser      = "UNDERSTUDY_TEST_AS_USER"      // set: do not start further ones
)

func init() {
	switch {
	case os.Args[0] == processName && len(os.Args) > 1:
		switch os.Args[1] {
		case hostile.Time.String():
			work = makeAttempts
		case hostileUnfiltered.Time.String():
			work, forbidden = makeAttempts, allow
		default:
			// A system call that is missing in the list ends the process, with a stack
			// trace.
			forbidden = unix.SECCOMP_RET_TRAP
		}
	case os.Getenv(asContainer) != "":
		if err := setFilter(containerFilter()); err != nil {
			panic(err)
		}
	}
}

// containerFilter refuses what the default profile of Docker refuses to an ordinary
// user, as far as worker processes are concerned.
func containerFilter() []bpf.Instruction {
	const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	filter := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}}
	filter = append(filter, onCall(unix.SYS_CLONE3, bpf.RetConstant{Val: fail(unix.ENOSYS)})...)
	filter = append(filter, onCall(unix.SYS_UNSHARE, bpf.RetConstant{Val: fail(unix.EPERM)})...)
	filter = append(filter, onCall(unix.SYS_CLONE,
		bpf.LoadAbsolute{Off: 16, Size: 4}, bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: namespaces, SkipFalse: 1},
		bpf.RetConstant{Val: fail(unix.EPERM)}, bpf.RetConstant{Val: allow})...)
	return append(filter, bpf.RetConstant{Val: allow})
}

// asOtherUsers runs the current test in other processes too: if it runs as root, as an
// ordinary user, and always as an ordinary user in a container. It returns false in
// these other processes.
func asOtherUsers(t *testing.T) {
	if os.Getenv(asUser) != "" {
		return
	}
	for name, variables := range map[string][]string{"ordinary user": nil, "container": {asContainer + "=1"}} {
		if name == "ordinary user" && os.Geteuid() != 0 {
			continue // the current process is that
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("/proc/self/exe", "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$", "-test.v", "-test.count=1")
			cmd.Dir = "/"
			cmd.Env = append(variables, asUser+"=1", "TMPDIR="+os.TempDir())
			if os.Geteuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 61234, Gid: 61234}}
			}
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil || strings.Contains(string(out), "no tests to run") {
				t.Errorf("failed: %v", err)
			}
		})
	}
}

// attemptsBy makes the attempts in a worker process and returns the error of each,
// such as "operation not permitted"; "" if it succeeded.
func attemptsBy(t *testing.T, limits Limits, targets targets) (results map[string]string) {
	t.Helper()
	text, err := json.Marshal(targets)
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t, 1, limits)
	var report *extract.Unreadable
	if _, err = p.Extract(t.Context(), "acme", "attempts", strings.NewReader(string(text))); !errors.As(err, &report) {
		t.Fatalf("got %v, want a report", err)
	}
	if err := json.Unmarshal([]byte(report.Reason), &results); err != nil {
		t.Fatalf("report %s: %v", report.Reason, err)
	}
	return results
}

// newTargets creates the files and sockets that an attempt could reach without a
// sandbox, because they belong to the user of the worker process.
func newTargets(t *testing.T) targets {
	t.Helper()
	dir, err := os.MkdirTemp("", "targets-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	listen := func(network, address string) string {
		listener, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		return listener.Addr().String()
	}
	found := targets{
		Upload: write("objects/globex/upload"), MasterKey: write("master.key"), New: filepath.Join(dir, "new"),
		// As PostgreSQL names its socket.
		Socket: listen("unix", filepath.Join(dir, ".s.PGSQL.5432")), Abstract: listen("unix", "@"+dir),
		TCP: listen("tcp4", "127.0.0.1:0"), Parent: os.Getpid(),
	}
	// All users have access to them, so only the sandbox can stop a worker process.
	for path, mode := range map[string]os.FileMode{dir: 0o777, found.Socket: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestWorkerCanReachNothing makes all attempts to leave the sandbox in a worker
// process. The calls are refused by the seccomp filter, which is the outermost layer:
// its error is EPERM.
func TestWorkerCanReachNothing(t *testing.T) {
	t.Parallel()
	asOtherUsers(t)
	targets := newTargets(t)
	results := attemptsBy(t, hostile, targets)
	if len(results) != len(attempts) {
		t.Errorf("got %d results, want %d", len(results), len(attempts))
	}
	for _, attempt := range attempts {
		if got, want := results[attempt.name], unix.EPERM.Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, want %q", attempt.name, got, want)
		}
	}
	// Without a sandbox, the attempts succeed, which shows that they are valid.
	other := exec.Command("/bin/cat")
	if _, err := other.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	targets.Parent = other.Process.Pid
	for _, attempt := range attempts {
		if attempt.harmless {
			if err := attempt.try(targets); err != nil && !errors.Is(err, unix.ENOSYS) {
				t.Errorf("%s outside of the sandbox: %v", attempt.name, err)
			}
		}
	}
}

// TestLandlockHoldsAlone checks the Landlock layer, by a worker process that has no
// seccomp filter.
func TestLandlockHoldsAlone(t *testing.T) {
	t.Parallel()
	asOtherUsers(t)
	abi, err := landlockABI()
	if err != nil {
		t.Skipf("this kernel has no Landlock: %v", err)
	}
	results := attemptsBy(t, hostileUnfiltered, newTargets(t))
	for _, check := range []struct {
		abi  int
		name string
		want unix.Errno
	}{
		{1, "open another tenant's upload", unix.EACCES},
		{1, "open master.key", unix.EACCES},
		{1, "open /etc/passwd", unix.EACCES},
		{1, "open /proc/self/environ", unix.EACCES},
		{1, "create a file", unix.EACCES},
		{1, "list the root directory", unix.EACCES},
		{1, "run a program", unix.EACCES},
		{1, "trace the parent", 0},
		{1, "read the memory of the parent", 0},
		{4, "connect to a TCP port", 0},
		{6, "connect to an abstract Unix socket", 0},
		{6, "signal the parent", 0},
		{9, "connect to the socket of PostgreSQL", 0},
	} {
		got := results[check.name]
		switch {
		case abi < check.abi:
			t.Logf("%s: not prevented by Landlock ABI %d of this kernel: got %q", check.name, abi, got)
		case got == "" || check.want != 0 && !strings.HasSuffix(got, check.want.Error()):
			t.Errorf("%s: got %q, want an error, and %v if it is not 0", check.name, got, check.want)
		}
	}
}

// TestSandboxAllowsExtraction extracts documents of several formats, with many
// goroutines, garbage collections and much memory, in a worker process that is killed
// if it makes a system call that the filter does not allow.
func TestSandboxAllowsExtraction(t *testing.T) {
	if testing.Short() {
		t.Skip("takes too long with -short")
	}
	t.Parallel()
	files, err := ListFiles([]string{"../../examples"})
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t, 2, defaultLimits)
	for file := range p.ExtractFiles(t.Context(), files) {
		if file.Err != nil {
			t.Errorf("%s: %v", file.Path, file.Err)
		}
	}
	if _, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(2_000)); err != nil {
		t.Error(err)
	}
}

// TestWorkerStartsNoThreads checks that the threads of a worker process suffice for extracting
// documents, and that a process that needs more than it had at its start ends.
func TestWorkerStartsNoThreads(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, misbehaving)
	threads := func() int {
		all, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", idleOf(p)[0].cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := threads()
	checkLetter(t, p, strings.NewReader(letter))
	if after := threads(); before < idleThreads || after != before {
		t.Errorf("got %d threads before a document, %d after it; want the same, and at least %d", before, after, idleThreads)
	}
	_, err := p.Extract(t.Context(), "acme", "threads", strings.NewReader(letter))
	if crash, ok := errors.AsType[*Crash](err); !ok {
		t.Errorf("a document for which 20 threads are started: got %v, want a *Crash", err)
	} else {
		t.Log(crash.Exit)
	}
}

// TestLayers checks that the layers that a worker process reports match the kernel's
// information about all its threads.
func TestLayers(t *testing.T) {
	t.Parallel()
	asOtherUsers(t)
	p := newPool(t, 1, defaultLimits)
	checkLetter(t, p, strings.NewReader(letter))
	worker := idleOf(p)[0]
	t.Log(describe(worker.layers))
	holds := map[string]bool{}
	for _, layer := range worker.layers {
		name, _, _ := strings.Cut(layer.Name, " ABI")
		holds[name] = layer.Holds
	}
	_, noLandlock := landlockABI()
	for name, want := range map[string]bool{
		"seccomp": true, "no_new_privs": true, "unprivileged user": true, "Landlock": noLandlock == nil,
		"namespaces": holds["namespaces"] && os.Getenv(asContainer) == "", // as far as the system allows
	} {
		if holds[name] != want {
			t.Errorf("layer %s: got %v, want %v", name, holds[name], want)
		}
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", worker.cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("got threads %v, %v", threads, err)
	}
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		want := []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapAmb:\t0000000000000000"}
		if os.Geteuid() == 0 {
			want = append(want, "CapBnd:\t0000000000000000", "Uid:\t65534\t65534\t65534\t65534", "Groups:\t \n")
		}
		for _, line := range want {
			if !strings.Contains(string(status), "\n"+line) {
				t.Errorf("got %s, want %q", status, line)
			}
		}
	}
}

// TestWorkerYieldsToServer checks that all threads of a worker process have a lower
// scheduling priority than the process that has started it, and never take a core
// from another process when they wake up.
func TestWorkerYieldsToServer(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1, defaultLimits)
	if _, err := p.Extract(t.Context(), "acme", "schedule.csv", schedule(2_000)); err != nil { // starts more threads
		t.Fatal(err)
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", idleOf(p)[0].cmd.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatalf("got threads %v, %v", threads, err)
	}
	want := min(niceness(t, "/proc/self/stat")+addedNiceness, 19)
	for _, thread := range threads {
		if got := niceness(t, thread); got != want {
			t.Errorf("%s: got niceness %d, want %d", thread, got, want)
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(thread)))
		if attributes, err := unix.SchedGetAttr(id, 0); err != nil || attributes.Policy != unix.SCHED_BATCH {
			t.Errorf("%s: got scheduling attributes %+v, %v, want SCHED_BATCH", thread, attributes, err)
		}
	}
}

// niceness returns the niceness in a stat file of /proc.
func niceness(t *testing.T, path string) (n int) {
	t.Helper()
	stat, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(stat), ") ") // after the name
	if n, err = strconv.Atoi(strings.Fields(fields)[16]); err != nil {
		t.Fatal(err)
	}
	return n
}
