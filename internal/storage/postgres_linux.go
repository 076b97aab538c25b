package storage

import (
	"os"
	"strconv"
	"syscall"
)

// processAttributes makes the kernel stop the process in order (SIGINT is a
// fast shutdown) when the thread that started it ends, however it ends.
func processAttributes(cred *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: cred, Pdeathsig: syscall.SIGINT}
}

// handOver returns the path by which Postgres finds the directory. Another
// user often can't walk there (root's home, a private temporary directory), so
// it inherits the open directory, as its file 3, the first after the standard
// ones.
func handOver(dir string, cred *syscall.Credential) (string, []*os.File, error) {
	if cred == nil {
		return dir, nil, nil
	}
	opened, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return "/proc/self/fd/3", []*os.File{opened}, nil
}

// runsOn tells whether the process is a Postgres at work on the cluster, which
// is then its working directory.
func runsOn(pid int, cluster string) bool {
	at, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return false
	}
	data, err := os.Stat(cluster)
	return err == nil && os.SameFile(at, data)
}
