package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// platformSettings are Postgres settings for this operating system. Recovery after a
// crash syncs the file system at once and not each of the cluster's thousand files.
var platformSettings = []string{"recovery_init_sync_method=syncfs"}

// orphanSignal ends the processes that clusterProcesses returns.
const orphanSignal = syscall.SIGKILL

// clusterProcesses returns the IDs of all Postgres processes that use the cluster,
// which is their working directory, and that of the postmaster if it is among them.
func clusterProcesses(clusterDir string) (pids []int, postmaster int) {
	cluster, err := os.Stat(clusterDir)
	if err != nil {
		return nil, 0
	}
	recorded := recordedPostmaster(clusterDir)
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		process := "/proc/" + entry.Name()
		workDir, err := os.Stat(process + "/cwd")
		if err != nil || !os.SameFile(workDir, cluster) {
			continue
		}
		// Others, such as a shell, may have the same working directory.
		program, err := os.Readlink(process + "/exe")
		if err == nil && strings.TrimSuffix(filepath.Base(program), " (deleted)") == "postgres" {
			pids = append(pids, pid)
			if pid == recorded {
				postmaster = pid
			}
		}
	}
	return pids, postmaster
}
