//go:build linux || darwin

// Package postgres runs a private PostgreSQL for a server: it finds the programs,
// creates the cluster in the data directory, restricts access to it, and starts and
// stops it. It does not know what the database contains.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a private Postgres that runs as a child process. It
// listens on a Unix socket only and is restarted if it exits unexpectedly.
type Server struct {
	dir       string // the server's data directory, absolute
	binDir    string // the directory that holds initdb and postgres
	cred      *syscall.Credential
	settings  []string
	log       *slog.Logger
	lock      *os.File
	socketDir string
	password  string // of the server's role
	// restricted reports whether only the server's role can connect to the cluster,
	// with the password.
	restricted bool
	// killed reports whether a Postgres was killed and may have left shared memory.
	killed bool

	cancel context.CancelFunc
	done   chan struct{} // closed once Postgres has stopped for good
}

const (
	// socketPort is only part of the socket's file name: no TCP port is opened.
	socketPort = "5432"
	socketFile = ".s.PGSQL." + socketPort
	// startTimeout limits one start, including recovery after a crash.
	startTimeout    = time.Minute
	minRestartDelay = 50 * time.Millisecond
	maxRestartDelay = 5 * time.Second
	// shutdownPatience is the time between the signals that stop Postgres. It is long because a
	// checkpoint on a slow disk takes seconds.
	shutdownPatience = 15 * time.Second
)

// Start starts a private Postgres from the programs installed on this
// machine and returns once it accepts connections. Its cluster is dir/postgres,
// created on the first start. Only one server can use dir at a time. Each of
// settings is a Postgres setting in the form name=value and overrides the
// default.
func Start(ctx context.Context, dir string, log *slog.Logger, settings ...string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	// Postgres may run as another user, so others may traverse but not list it.
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	lock, oldSocket, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, settings: settings, log: log, lock: lock, done: make(chan struct{})}
	if err := s.prepare(ctx, oldSocket); err != nil {
		removeSocketDir(s.socketDir)
		unlockDirectory(lock)
		return nil, err
	}

	// Postgres runs until Stop. Until it is ready, cancelling ctx stops it too.
	var running context.Context
	running, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, s.cancel)
	ready := make(chan error, 1)
	go s.supervise(running, ready)
	if err := <-ready; err != nil {
		s.Stop()
		return nil, err
	}
	if !detach() {
		s.Stop()
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// prepare determines the user, the binaries, the socket directory and the password,
// and truncates the log file.
func (s *Server) prepare(ctx context.Context, oldSocket string) error {
	version, err := s.clusterVersion()
	if err != nil {
		return err
	}
	if err := s.checkReleased(); err != nil {
		return err
	}
	if s.cred, err = credentialFor(s.clusterDir()); err != nil {
		return err
	}
	s.binDir, err = findPrograms(ctx, version, s.cred, s.log)
	if ctx.Err() != nil { // takes precedence over the "not found" that it causes
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	removeSocketDir(oldSocket)
	if s.socketDir, err = s.makeSocketDir(); err != nil {
		return err
	}
	if err := writeLock(s.lock, s.socketDir); err != nil {
		return err
	}
	if err := s.preparePassword(); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return os.WriteFile(s.logPath(), nil, 0o600)
}

func (s *Server) clusterDir() string { return filepath.Join(s.dir, "postgres") }
func (s *Server) logPath() string    { return filepath.Join(s.dir, "postgres.log") }

// URL returns the connection string, as pgxpool and psql accept it. It contains the
// password.
func (s *Server) URL() string {
	query := url.Values{"host": {s.socketDir}, "port": {socketPort}, "sslmode": {"disable"}}
	// Connection strings do not decode + as a space.
	return "postgres://" + role + ":" + s.password + "@/" + role + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// Stop shuts Postgres down, which closes all connections, and waits until it
// has exited. Stop can be called more than once.
func (s *Server) Stop() error {
	s.cancel()
	<-s.done
	removeSocketDir(s.socketDir)
	return unlockDirectory(s.lock)
}

// supervise keeps Postgres running until ctx is done, and sends the result of
// the first start to ready. The kernel stops Postgres when the thread that
// started it ends, so supervise keeps its own thread for as long as it runs.
func (s *Server) supervise(ctx context.Context, ready chan<- error) {
	runtime.LockOSThread()
	defer close(s.done)
	defer s.removeSharedMemory()
	err := s.initCluster(ctx)
	var cmd *exec.Cmd
	var exited <-chan struct{}
	if err == nil {
		cmd, exited, err = s.startAndWait(ctx)
	}
	ready <- err
	if err != nil {
		return
	}
	for wait := minRestartDelay; ; wait = min(2*wait, maxRestartDelay) {
		if err == nil {
			stable := time.NewTimer(time.Minute)
			select {
			case <-exited:
			case <-ctx.Done():
				s.shutDown(cmd, exited)
				return
			}
			if !stable.Stop() {
				wait = minRestartDelay
			}
			s.log.Error("PostgreSQL exited unexpectedly; restarting", "exit", cmd.ProcessState.String(), "log_file", s.logPath())
		} else {
			s.log.Error("PostgreSQL failed to start; retrying", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		cmd, exited, err = s.startAndWait(ctx)
		if ctx.Err() != nil && err != nil {
			return
		}
	}
}

// startAndWait starts Postgres and waits until it accepts connections. It retries while
// a previous Postgres that is still ending holds the shared memory, and restricts
// access again if the cluster's password is a different one.
func (s *Server) startAndWait(ctx context.Context) (*exec.Cmd, <-chan struct{}, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready within %v", startTimeout))
	defer cancel()
	for repaired := false; ; {
		if err := s.endOrphans(ctx); err != nil {
			return nil, nil, fmt.Errorf("start PostgreSQL: %w", err)
		}
		if err := s.restrictAccess(ctx); err != nil {
			return nil, nil, fmt.Errorf("start PostgreSQL: %w", err)
		}
		cmd, exited, err := s.startProcess(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("start PostgreSQL: %w", err)
		}
		s.killed = false // the new Postgres removes the shared memory; if it is killed too, its PID file remains
		if err = s.waitReady(ctx, exited); err == nil {
			return cmd, exited, nil
		}
		s.shutDown(cmd, exited)
		if isRejection(err) && !repaired {
			repaired, s.restricted = true, false
			continue
		}
		tail := s.logTail()
		if !strings.Contains(tail, "is still in use") {
			return nil, nil, fmt.Errorf("start PostgreSQL: %w%s", err, tail)
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("start PostgreSQL: %w%s", err, tail)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// startProcess starts the postgres program. The channel is closed when the
// process has exited.
func (s *Server) startProcess(ctx context.Context) (*exec.Cmd, <-chan struct{}, error) {
	socket := s.socketDir
	if socket == s.clusterDir() {
		socket = "." // works for any path, even one that the postgres user cannot traverse
	}
	settings := slices.Concat([]string{
		"listen_addresses=", "port=" + socketPort,
		"unix_socket_directories=" + socket, "unix_socket_permissions=0700",
		"cluster_name=understudy", "timezone=UTC", "log_timezone=UTC",
		"shared_buffers=64MB", "max_connections=100", "max_wal_size=256MB", "jit=off",
		// There is no replication, so the WAL only has to serve crash recovery.
		"wal_level=minimal", "max_wal_senders=0", "max_logical_replication_workers=0",
		// Clients report failed statements; leaving them out keeps the log small.
		"log_min_messages=log", "log_checkpoints=off", "log_autovacuum_min_duration=-1",
	}, platformSettings, s.settings)
	var options []string
	for _, setting := range settings {
		options = append(options, "-c", setting)
	}
	// The context must not kill the process: only an orderly shutdown is safe.
	cmd, closeFiles, err := s.command(context.WithoutCancel(ctx), "postgres", s.clusterDir(), options)
	if err != nil {
		return nil, nil, err
	}
	defer closeFiles()
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		cmd.Wait()
	}()
	return cmd, exited, nil
}

// waitReady waits until Postgres accepts connections to our database.
func (s *Server) waitReady(ctx context.Context, exited <-chan struct{}) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgconn.Connect(ctx, s.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		if isRejection(err) {
			return err
		}
		select {
		case <-exited:
			return errors.New("postgres exited")
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

// shutDown requests a fast shutdown and sends stronger signals if that hangs.
func (s *Server) shutDown(cmd *exec.Cmd, exited <-chan struct{}) {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		cmd.Process.Signal(sig)
		select {
		case <-exited:
			return
		case <-time.After(shutdownPatience):
			s.log.Warn("PostgreSQL is slow to stop", "signal", sig.String())
		}
	}
	<-exited
}

// removeSharedMemory removes the shared memory of a Postgres that was killed before or during Stop.
// Only starting Postgres again on the same cluster removes all of it.
func (s *Server) removeSharedMemory() {
	if recordedPostmaster(s.clusterDir()) == 0 && !s.killed {
		return
	}
	s.log.Info("PostgreSQL was killed; starting it once more to remove its shared memory")
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	cmd, exited, err := s.startAndWait(ctx)
	if err != nil {
		s.log.Warn("PostgreSQL failed to start; its shared memory may remain", "err", err)
		return
	}
	s.shutDown(cmd, exited)
}
