package worker

import (
	"fmt"
	"os"
	"path/filepath"
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
	proc := fmt.Sprintf("/proc/%d/", p.idle[0].cmd.Process.Pid)

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
	for _, limit := range []string{"Max cpu time 61 61", fmt.Sprintf("Max data size %[1]d %[1]d", defaultLimits.Memory+slack), "Max file size 0 0", "Max core file size 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), limit) {
			t.Errorf("limit %q is missing in:\n%s", limit, limits)
		}
	}
	if group, err := syscall.Getpgid(p.idle[0].cmd.Process.Pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("got process group %d, %v; want one other than the parent's", group, err)
	}
	level := isolationLevels()[currentLevel.Load()]
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
