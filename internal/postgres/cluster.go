//go:build linux || darwin

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockDirectory locks the data directory until the returned file is unlocked
// or this process exits. It also returns the socket directory of the previous
// holder.
func lockDirectory(dir string) (lock *os.File, socket string, err error) {
	lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, "", wrongOwnerError(dir)
	}
	if err != nil {
		return nil, "", fmt.Errorf("data directory: %w", err)
	}
	lockErr := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	content := make([]byte, 4096)
	n, _ := lock.ReadAt(content, 0)
	pid, socket, _ := strings.Cut(strings.TrimSpace(string(content[:n])), "\n")
	if lockErr == nil {
		return lock, socket, nil
	}
	lock.Close()
	if !errors.Is(lockErr, syscall.EWOULDBLOCK) {
		return nil, "", fmt.Errorf("data directory %s: lock: %w", dir, lockErr)
	}
	holder := ""
	if pid != "" {
		holder = " (pid " + pid + ")"
	}
	return nil, "", fmt.Errorf("data directory %s is in use by another server%s; give each its own --data-dir", dir, holder)
}

// unlockDirectory releases the lock of lockDirectory. It can be called more
// than once. Closing the file is not enough: a child process that another
// thread has just forked holds a copy of the descriptor, and so the lock, until
// it calls exec.
func unlockDirectory(lock *os.File) error {
	syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	if err := lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// writeLock records the holder's process ID and socket directory in the lock
// file.
func writeLock(lock *os.File, socket string) error {
	content := fmt.Sprintf("%d\n%s\n", os.Getpid(), socket)
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err := lock.WriteAt([]byte(content), 0)
	return err
}

// clusterVersion returns the major version of the Postgres that created the
// cluster, or "" if there is no cluster yet.
func (s *Server) clusterVersion() (string, error) {
	content, err := os.ReadFile(filepath.Join(s.clusterDir(), "PG_VERSION"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(s.clusterDir()); err == nil {
			return "", fmt.Errorf("%s is not a PostgreSQL data directory: move it away, or choose another --data-dir", s.clusterDir())
		}
		return "", nil
	case errors.Is(err, fs.ErrPermission):
		return "", wrongOwnerError(s.clusterDir())
	case err != nil:
		return "", err
	}
	return strings.TrimSpace(string(content)), nil
}

func wrongOwnerError(path string) error {
	return fmt.Errorf("%s belongs to another user: start the server as that user, or choose another --data-dir", path)
}

// initCluster creates the cluster if there is none. It runs initdb in a
// temporary directory and renames that, so that no incomplete cluster is ever
// used.
func (s *Server) initCluster(ctx context.Context) error {
	incomplete, _ := filepath.Glob(filepath.Join(s.dir, "postgres-new-*"))
	for _, dir := range incomplete {
		os.RemoveAll(dir)
	}
	if _, err := os.Stat(s.clusterDir()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	newDir, err := os.MkdirTemp(s.dir, "postgres-new-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer os.RemoveAll(newDir)
	if s.cred != nil {
		if err := os.Chown(newDir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return fmt.Errorf("data directory: %w", err)
		}
	}
	cmd, closeFiles, err := s.command(ctx, "initdb", newDir, []string{
		"--username=" + superuser, "--encoding=UTF8", "--no-locale",
		"--auth-local=reject", "--auth-host=reject", "--no-sync", "--no-instructions",
	})
	if err != nil {
		return err
	}
	defer closeFiles()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("initdb: %w%s", err, s.logTail())
	}
	return os.Rename(newDir, s.clusterDir())
}

// command prepares to run the named Postgres program on the cluster in
// clusterDir, with its output appended to our log file. The caller calls the
// returned function to close the files once the program has started.
func (s *Server) command(ctx context.Context, program, clusterDir string, options []string, arguments ...string) (*exec.Cmd, func(), error) {
	output, err := os.OpenFile(s.logPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	dataDir, inherited, err := dirForPostgres(clusterDir, s.cred)
	if err != nil {
		output.Close()
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(s.binDir, program), slices.Concat(options, []string{"-D", dataDir}, arguments)...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = inherited
	// The program must be able to return to its working directory, and its user
	// may have no access to ours.
	cmd.Dir = "/"
	cmd.Env = minimalEnv()
	cmd.SysProcAttr = processAttributes(s.cred)
	// Ctrl-C in a terminal must reach only us: we stop Postgres when we are done.
	cmd.SysProcAttr.Setpgid = true
	closeFiles := func() {
		output.Close()
		for _, f := range inherited {
			f.Close()
		}
	}
	return cmd, closeFiles, nil
}

// minimalEnv returns an environment without the variables that change how
// Postgres behaves.
func minimalEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// orphanGrace is how long a start waits for the orderly shutdown of a Postgres whose
// server was killed. The shutdown usually takes less time than recovery from the
// write-ahead log, but a process that does not respond can delay it.
const orphanGrace = 500 * time.Millisecond

// endOrphans ends the processes of a Postgres whose server was killed, or that
// outlived their postmaster, and waits until they have exited. Postgres must not be
// running.
func (s *Server) endOrphans(ctx context.Context) error {
	grace := time.NewTimer(orphanGrace)
	defer grace.Stop()
	pids, postmaster := clusterProcesses(s.clusterDir())
	if len(pids) > 0 {
		s.log.Info("ending PostgreSQL of a killed server", "pids", pids)
	}
	if postmaster != 0 {
		syscall.Kill(postmaster, syscall.SIGINT) // On Linux, the kernel has done so already
	}
	for late := false; len(pids) > 0; pids, postmaster = clusterProcesses(s.clusterDir()) {
		for _, pid := range pids {
			if late || postmaster == 0 {
				syscall.Kill(pid, orphanSignal)
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-grace.C:
			late = true
		case <-time.After(2 * time.Millisecond):
		}
	}
	// Another process may have the ID in these files by now. Postgres would then assume
	// that it is already running.
	os.Remove(filepath.Join(s.socketDir, socketFile+".lock"))
	err := os.Remove(postmasterFile(s.clusterDir()))
	switch {
	case err == nil:
		s.killed = true // a postmaster that exits by itself removes the file
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// recordedPostmaster returns the process ID in the cluster's PID file, or 0 if there
// is none. The process may be another one by now.
func recordedPostmaster(clusterDir string) int {
	content, _ := os.ReadFile(postmasterFile(clusterDir))
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}

func postmasterFile(clusterDir string) string { return filepath.Join(clusterDir, "postmaster.pid") }

// maxSocketPath is the longest socket path, in bytes, that macOS accepts. Linux
// accepts slightly longer ones.
const maxSocketPath = 103

const socketDirPrefix = "/tmp/understudy-"

// makeSocketDir returns a directory that only we and Postgres can enter: the
// cluster directory or, if its path is unsuitable for a socket, a new directory
// in /tmp.
func (s *Server) makeSocketDir() (string, error) {
	// A comma separates hosts in a connection string.
	if len(s.clusterDir()+"/"+socketFile) <= maxSocketPath && !strings.Contains(s.clusterDir(), ",") {
		return s.clusterDir(), nil
	}
	dir, err := os.MkdirTemp(filepath.Split(socketDirPrefix))
	if err != nil {
		return "", fmt.Errorf("socket directory: %w", err)
	}
	if s.cred != nil {
		if err := os.Chown(dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return "", fmt.Errorf("socket directory: %w", err)
		}
	}
	return dir, nil
}

// removeSocketDir removes dir if makeSocketDir created it.
func removeSocketDir(dir string) {
	if !strings.HasPrefix(dir, socketDirPrefix) {
		return
	}
	os.Remove(filepath.Join(dir, socketFile))
	os.Remove(filepath.Join(dir, socketFile+".lock"))
	os.Remove(dir)
}
