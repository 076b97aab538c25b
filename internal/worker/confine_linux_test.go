package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestApart looks at a child as the system shows it: no environment, no
// descriptors but its own, limits, and what the system lets us take away.
func TestApart(t *testing.T) {
	// One that a child must not inherit, as a shell may leave it to us.
	inherited, err := syscall.Dup(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(inherited) })
	p := pool(t, 1, usual)
	reads(t, p, strings.NewReader(letter))
	at := fmt.Sprintf("/proc/%d/", p.idle[0].cmd.Process.Pid)

	environment, err := os.ReadFile(at + "environ")
	if err != nil || len(environment) > 0 {
		t.Errorf("environment %q, %v", environment, err)
	}
	open, err := filepath.Glob(at + "fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		what, err := os.Readlink(fd)
		if err != nil {
			continue // closed meanwhile
		}
		kind, _, _ := strings.Cut(what, ":")
		if strings.HasPrefix(what, "/sys/fs/cgroup/") { // the Go runtime's
			continue
		}
		if kind != "/dev/null" && kind != "pipe" && kind != "socket" && kind != "anon_inode" {
			t.Errorf("descriptor %s is %s", filepath.Base(fd), what)
		}
	}
	if len(open) > 10 {
		t.Errorf("%d descriptors", len(open))
	}
	limits, err := os.ReadFile(at + "limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"Max cpu time 61 61", fmt.Sprintf("Max data size %[1]d %[1]d", usual.Memory+slack), "Max file size 0 0", "Max core file size 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), limit) {
			t.Errorf("no %s in %s", limit, limits)
		}
	}
	if group, err := syscall.Getpgid(p.idle[0].cmd.Process.Pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("process group %d, %v", group, err)
	}
	if kept := cells()[chosen.Load()]; kept.spaces != 0 {
		ours, _ := os.Readlink("/proc/self/ns/net")
		if theirs, err := os.Readlink(at + "ns/net"); err != nil || theirs == ours {
			t.Errorf("network %s, ours %s, %v", theirs, ours, err)
		}
		devices, err := os.ReadFile(at + "net/dev")
		if err != nil || strings.Count(string(devices), ":") != 1 { // lo, which is down
			t.Errorf("network devices %s, %v", devices, err)
		}
	} else {
		t.Log("this system does not allow namespaces")
	}
	if kept := cells()[chosen.Load()]; kept.nobody {
		status, err := os.ReadFile(at + "status")
		if err != nil || !strings.Contains(string(status), "\nUid:\t65534\t65534\t65534\t65534\n") {
			t.Errorf("status %s, %v", status, err)
		}
	}
}
