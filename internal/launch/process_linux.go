package launch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWithThread makes the kernel kill the process when the thread that started it ends.
func endWithThread(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// adoptOrphans makes this process the parent of its descendants whose own parents end.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// killDescendants kills the children of this process. It then adopts their children, and repeats
// this until it has no more children.
func killDescendants(empty <-chan struct{}) {
	for {
		for _, pid := range children() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-empty:
			return
		case <-time.After(pollInterval):
		}
	}
}

// children returns the process IDs of the children of this process.
func children() (pids []int) {
	processes, _ := os.ReadDir("/proc")
	for _, process := range processes {
		pid, err := strconv.Atoi(process.Name())
		if err != nil {
			continue // not a process
		}
		text, err := os.ReadFile(filepath.Join("/proc", process.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		var state string
		var parent int
		fields := text[bytes.LastIndexByte(text, ')')+1:]
		if _, err := fmt.Sscan(string(fields), &state, &parent); err == nil && parent == os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}
