package storage

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// processAttributes: this kernel does not stop a child with its parent. The
// next start finds what is left and stops it.
func processAttributes(cred *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: cred}
}

// handOver returns the path by which Postgres finds the directory, once it is
// sure that its user can walk there.
func handOver(dir string, cred *syscall.Credential) (string, []*os.File, error) {
	if cred == nil {
		return dir, nil, nil
	}
	cmd := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("Postgres does not run as root, and user %d, which it runs as, can't enter %s; start the server as another user, or choose another --data-dir", cred.Uid, dir)
	}
	return dir, nil, nil
}

// runsOn tells whether the process is a Postgres at work on the cluster, which
// its command line names.
func runsOn(pid int, cluster string) bool {
	command, err := exec.Command("/bin/ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(command), "-D "+cluster+" ")
}
