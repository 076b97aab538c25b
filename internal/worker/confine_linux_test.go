package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestIsolation checks what the system shows of a worker process: no environment
// variables, no inherited descriptors, resource limits, and the isolation that the
// system allows.
func TestIsolation(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can look at a worker process")
	}
	// A worker process must not inherit this descriptor. A shell can leave one
	// like it to the server.
	inherited, err := syscall.Dup(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(inherited) })
	p := newPool(t, 1, defaultLimits)
	checkLetter(t, p, strings.NewReader(letter))
	proc := fmt.Sprintf("/proc/%d/", idleOf(p)[0].cmd.Process.Pid)

	environment, err := os.ReadFile(proc + "environ")
	if err != nil || len(environment) > 0 {
		t.Errorf("got environment %q, %v; want none", environment, err)
	}
	open, err := filepath.Glob(proc + "fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		target, err := os.Readlink(fd)
		if err != nil {
			continue // it has been closed
		}
		kind, _, _ := strings.Cut(target, ":")
		if strings.HasPrefix(target, "/sys/fs/cgroup/") { // opened by the Go runtime
			continue
		}
		if kind != "/dev/null" && kind != "pipe" && kind != "socket" && kind != "anon_inode" {
			t.Errorf("descriptor %s is %s", filepath.Base(fd), target)
		}
	}
	if len(open) > 10 {
		t.Errorf("got %d descriptors, want at most 10", len(open))
	}
	limits, err := os.ReadFile(proc + "limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"Max cpu time 61 61", fmt.Sprintf("Max data size %[1]d %[1]d", defaultLimits.Memory+slack), fmt.Sprintf("Max address space %[1]d %[1]d", defaultLimits.Memory+slack+addressSpace), "Max stack size 8388608 8388608", "Max file size 0 0", "Max core file size 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), limit) {
			t.Errorf("limit %q is missing in:\n%s", limit, limits)
		}
	}
	if group, err := syscall.Getpgid(idleOf(p)[0].cmd.Process.Pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("got process group %d, %v; want one other than the parent's", group, err)
	}
	level := processIsolator().levels[0]
	if level.namespaces {
		ours, _ := os.Readlink("/proc/self/ns/net")
		if theirs, err := os.Readlink(proc + "ns/net"); err != nil || theirs == ours {
			t.Errorf("got network namespace %s, %v; want one other than the parent's %s", theirs, err, ours)
		}
		devices, err := os.ReadFile(proc + "net/dev")
		if err != nil || strings.Count(string(devices), ":") != 1 { // lo, which is down
			t.Errorf("got network devices %s, %v; want lo only", devices, err)
		}
	} else {
		t.Log("this system does not allow namespaces")
	}
	if level.asNobody {
		status, err := os.ReadFile(proc + "status")
		if err != nil || !strings.Contains(string(status), "\nUid:\t65534\t65534\t65534\t65534\n") {
			t.Errorf("got status %s, %v; want user 65534", status, err)
		}
	}
}

// TestShortageKeepsIsolation checks that only an error that means that the system does
// not allow an isolation leads to a weaker one, only at the first start, and never to
// root.
func TestShortageKeepsIsolation(t *testing.T) {
	t.Parallel()
	shortages := []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.EIO}
	refusals := []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS, syscall.ENOSPC, syscall.EUSERS}
	for _, err := range append(shortages, refusals...) {
		i := &isolator{levels: []isolation{{namespaces: true, asNobody: true}, {asNobody: true}}}
		wrapped := &os.PathError{Op: "fork/exec", Path: "a", Err: err}
		strictestFails := func(level isolation) error {
			if level.namespaces {
				return wrapped
			}
			return nil
		}
		level, refused, got := i.start(strictestFails)
		if slices.Contains(refusals, err) {
			if got != nil || level.namespaces || !errors.Is(refused, err) {
				t.Errorf("%v at the first start: got %+v, refused %v, error %v; want the second level", err, level, refused, got)
			}
		} else if !errors.Is(got, err) {
			t.Errorf("%v at the first start: got %v, want the error", err, got)
		}
		i = &isolator{levels: []isolation{{namespaces: true, asNobody: true}, {asNobody: true}}}
		if _, _, err := i.start(func(isolation) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, _, got := i.start(strictestFails); !errors.Is(got, err) {
			t.Errorf("%v at a later start: got %v, want the error", err, got)
		}
		if level, _, err := i.start(func(isolation) error { return nil }); err != nil || !level.namespaces {
			t.Errorf("after a failure: got %+v, %v; want the strictest level", level, err)
		}
	}
	for _, level := range isolationLevels() {
		if attributes := level.attributes(); os.Geteuid() == 0 && (attributes.Credential == nil || attributes.Credential.Uid != nobodyID) {
			t.Errorf("level %+v runs as root", level)
		}
	}
}

// TestProcessLimitKeepsIsolation checks that worker processes that could not start, because
// their user had too many processes, run in the same sandbox once they can.
func TestProcessLimitKeepsIsolation(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the limit would also prevent the test from starting threads, except under root")
	}
	if os.Getenv("PROCESS_LIMIT") == "" {
		layers, err := ProbeSandbox(defaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		cmd := testCommand(t, "PROCESS_LIMIT="+describe(layers), "-test.run=^TestProcessLimitKeepsIsolation$")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	const limitProcesses = 6 // RLIMIT_NPROC
	var before syscall.Rlimit
	if err := syscall.Getrlimit(limitProcesses, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(limitProcesses, &syscall.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		// Either the program or its first thread cannot start.
		if _, err := ProbeSandbox(defaultLimits); err == nil {
			t.Error("at the limit: a worker process has started")
		}
	}
	if err := syscall.Setrlimit(limitProcesses, &before); err != nil {
		t.Fatal(err)
	}
	layers, err := ProbeSandbox(defaultLimits)
	if text := describe(layers); err != nil || text != os.Getenv("PROCESS_LIMIT") {
		t.Errorf("after the limit: got %s, %v; want %s", text, err, os.Getenv("PROCESS_LIMIT"))
	}
}
