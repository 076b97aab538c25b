//go:build linux || darwin

package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockDirectory makes the directory ours until the file is closed or we die.
// It also returns where the last server had its socket.
func lockDirectory(dir string) (lock *os.File, socket string, err error) {
	lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, "", foreign(dir)
	}
	if err != nil {
		return nil, "", fmt.Errorf("data directory: %w", err)
	}
	taken := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	content := make([]byte, 4096)
	n, _ := lock.ReadAt(content, 0)
	pid, socket, _ := strings.Cut(strings.TrimSpace(string(content[:n])), "\n")
	if taken == nil {
		return lock, socket, nil
	}
	lock.Close()
	if !errors.Is(taken, syscall.EWOULDBLOCK) {
		return nil, "", fmt.Errorf("data directory %s: lock: %w", dir, taken)
	}
	holder := ""
	if pid != "" {
		holder = " (pid " + pid + ")"
	}
	return nil, "", fmt.Errorf("data directory %s is in use by another server%s; give each its own --data-dir", dir, holder)
}

// unlockDirectory gives the directory up; twice is harmless. Closing alone is
// not enough: a process that another thread is just starting holds a copy of
// the open file, and so the lock, until it has become its program.
func unlockDirectory(lock *os.File) error {
	syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	if err := lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// writeLock says who holds the lock and where its socket is.
func writeLock(lock *os.File, socket string) error {
	content := fmt.Sprintf("%d\n%s\n", os.Getpid(), socket)
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err := lock.WriteAt([]byte(content), 0)
	return err
}

// runAs returns whom Postgres runs as when we are root, which it refuses to
// be: whoever owns the cluster already, else postgres, else nobody.
func runAs(cluster string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(cluster); err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		if owner.Uid == 0 {
			return nil, fmt.Errorf("%s belongs to root, but Postgres does not run as root; chown it", cluster)
		}
		return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("Postgres does not run as root, and this machine has no user postgres or nobody to run it as; start the server as another user, or set DATABASE_URL")
}

// version is the major version of the Postgres that made the cluster, "" when
// there is none yet.
func (p *Postgres) version() (string, error) {
	content, err := os.ReadFile(filepath.Join(p.cluster(), "PG_VERSION"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(p.cluster()); err == nil {
			return "", fmt.Errorf("%s is not a Postgres data directory; move it away", p.cluster())
		}
		return "", nil
	case errors.Is(err, fs.ErrPermission):
		return "", foreign(p.cluster())
	case err != nil:
		return "", err
	}
	return strings.TrimSpace(string(content)), nil
}

func foreign(path string) error {
	return fmt.Errorf("%s belongs to another user; start the server as that user, or choose another --data-dir", path)
}

// initialise makes the cluster, whole or not at all: under another name first.
func (p *Postgres) initialise(ctx context.Context) error {
	half, _ := filepath.Glob(filepath.Join(p.dir, "postgres-new-*"))
	for _, left := range half {
		os.RemoveAll(left)
	}
	if _, err := os.Stat(p.cluster()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := os.MkdirTemp(p.dir, "postgres-new-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer os.RemoveAll(made)
	if p.cred != nil {
		if err := os.Chown(made, int(p.cred.Uid), int(p.cred.Gid)); err != nil {
			return fmt.Errorf("data directory: %w", err)
		}
	}
	cmd, closeFiles, err := p.command(ctx, "initdb", made, "--username="+superuser, "--encoding=UTF8", "--no-locale",
		"--auth-local=trust", "--auth-host=reject", "--no-sync", "--no-instructions")
	if err != nil {
		return err
	}
	defer closeFiles()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("initdb: %w%s", err, p.logTail())
	}
	return os.Rename(made, p.cluster())
}

// command runs one of Postgres's programs on the cluster at path, its output
// in our log file. Close the files once it has started.
func (p *Postgres) command(ctx context.Context, name, path string, args ...string) (*exec.Cmd, func(), error) {
	output, err := os.OpenFile(p.logFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	seen, handed, err := handOver(path, p.cred)
	if err != nil {
		output.Close()
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), append([]string{"-D", seen}, args...)...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = handed
	// It can't always come back to the directory we are in, and needs to.
	cmd.Dir = "/"
	cmd.Env = environment()
	cmd.SysProcAttr = processAttributes(p.cred)
	// Ctrl-C in a terminal is for us: we stop Postgres when we are done.
	cmd.SysProcAttr.Setpgid = true
	closeFiles := func() {
		output.Close()
		for _, f := range handed {
			f.Close()
		}
	}
	return cmd, closeFiles, nil
}

// environment has nothing of ours that would change how Postgres behaves.
func environment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// stopPrevious waits until a Postgres that lost its server is gone. It has
// been told to stop where the kernel can do that; elsewhere we do it here.
func (p *Postgres) stopPrevious(ctx context.Context) error {
	file := filepath.Join(p.cluster(), "postmaster.pid")
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || pid <= 1 {
		return nil // Postgres replaces a broken one
	}
	if !runsOn(pid, p.cluster()) {
		// The number may since have gone to another process, which would make
		// Postgres think that it runs already.
		os.Remove(filepath.Join(p.socket, socketFile+".lock"))
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	p.log.Info("waiting for the Postgres of a server that was killed", "pid", pid)
	insist := time.NewTimer(10 * time.Second)
	defer insist.Stop()
	syscall.Kill(pid, syscall.SIGINT)
	for runsOn(pid, p.cluster()) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-insist.C:
			syscall.Kill(pid, syscall.SIGQUIT)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// longestSocketPath is what fits a socket address, on macOS less than on Linux.
const longestSocketPath = 103

const socketDirectoryPattern = "/tmp/understudy-"

// socketDirectory returns a directory only we and Postgres can enter: the
// cluster, or one in /tmp where the cluster's path can't be a socket's.
func (p *Postgres) socketDirectory() (string, error) {
	// A comma in a connection string's host begins another host.
	if len(p.cluster()+"/"+socketFile) <= longestSocketPath && !strings.Contains(p.cluster(), ",") {
		return p.cluster(), nil
	}
	made, err := os.MkdirTemp(filepath.Split(socketDirectoryPattern))
	if err != nil {
		return "", fmt.Errorf("directory for the socket: %w", err)
	}
	if p.cred != nil {
		if err := os.Chown(made, int(p.cred.Uid), int(p.cred.Gid)); err != nil {
			return "", fmt.Errorf("directory for the socket: %w", err)
		}
	}
	return made, nil
}

func removeSocketDirectory(dir string) {
	if !strings.HasPrefix(dir, socketDirectoryPattern) {
		return
	}
	os.Remove(filepath.Join(dir, socketFile))
	os.Remove(filepath.Join(dir, socketFile+".lock"))
	os.Remove(dir)
}

// logTail is the end of Postgres's log, to stand in an error.
func (p *Postgres) logTail() string {
	content, _ := os.ReadFile(p.logFile())
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, "the database system is starting up") // our own asking
	})
	tail := strings.Join(lines[max(0, len(lines)-12):], "\n\t")
	if tail == "" {
		return ""
	}
	return "; " + p.logFile() + " ends:\n\t" + tail
}
