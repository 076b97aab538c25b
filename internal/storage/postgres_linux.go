package storage

import (
	"os"
	"strconv"
	"syscall"
)

// processAttributes sets the user, and makes the kernel send SIGINT (which
// Postgres takes as a fast shutdown) when the thread that started the process
// ends for any reason.
func processAttributes(cred *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: cred, Pdeathsig: syscall.SIGINT}
}

// dirForPostgres returns the path under which Postgres can open dir, and the
// files that it must inherit for that. Another user often has no access to dir
// (root's home, a private temporary directory), so Postgres inherits the open
// directory as descriptor 3, the first of exec.Cmd.ExtraFiles.
func dirForPostgres(dir string, cred *syscall.Credential) (string, []*os.File, error) {
	if cred == nil {
		return dir, nil, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return "/proc/self/fd/3", []*os.File{f}, nil
}

// runsInCluster reports whether the process is a Postgres server that uses the
// cluster, which is then its working directory.
func runsInCluster(pid int, clusterDir string) bool {
	workDir, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return false
	}
	cluster, err := os.Stat(clusterDir)
	return err == nil && os.SameFile(workDir, cluster)
}
