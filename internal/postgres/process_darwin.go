package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// processAttributes sets the user. The Darwin kernel cannot stop a child when
// its parent dies, so the next start finds and stops an orphaned Postgres.
func processAttributes(cred *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: cred}
}

// dirForPostgres returns the path under which Postgres can open dir, and the
// files that it must inherit for that. It returns an error if the user of
// Postgres cannot enter dir.
func dirForPostgres(dir string, cred *syscall.Credential) (string, []*os.File, error) {
	if cred == nil {
		return dir, nil, nil
	}
	cmd := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("PostgreSQL does not run as root, and user %d, which it runs as instead, cannot enter %s: start the server as another user, or choose another --data-dir", cred.Uid, dir)
	}
	return dir, nil, nil
}

// platformSettings are Postgres settings for this operating system.
var platformSettings []string

// orphanSignal ends the process that clusterProcesses returns, and with it the
// processes that it started.
const orphanSignal = syscall.SIGQUIT

// clusterProcesses returns the ID of the postmaster that uses the cluster, which its
// command line names, or nothing if none is running.
func clusterProcesses(clusterDir string) (pids []int, postmaster int) {
	pid := recordedPostmaster(clusterDir)
	command, err := exec.Command("/bin/ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(strings.TrimSpace(string(command))+" ", "-D "+clusterDir+" ") {
		return nil, 0
	}
	return []int{pid}, pid
}
