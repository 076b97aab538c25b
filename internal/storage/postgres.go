//go:build linux || darwin

package storage

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

// Postgres is a Postgres server that this process started for itself. It
// listens on a unix socket only, and it is started again should it ever stop
// by itself.
type Postgres struct {
	dir      string // the data directory, absolute
	bin      string // where initdb and postgres are
	cred     *syscall.Credential
	settings []string
	log      *slog.Logger
	lock     *os.File
	socket   string // the directory the socket is in

	cancel context.CancelFunc
	done   chan struct{} // closed when Postgres is down for good
}

const (
	// socketPort is part of the socket's name only: no TCP port is opened.
	socketPort = "5432"
	socketFile = ".s.PGSQL." + socketPort
	// superuser owns the cluster, and the database of the same name.
	superuser = "understudy"
	// recovery bounds one start, the replay of a crash included.
	recovery     = time.Minute
	shortestWait = 50 * time.Millisecond
	longestWait  = 5 * time.Second
)

// StartPostgres starts the machine's own Postgres with its data in
// dir/postgres, made on the first start, and returns once it answers. The
// directory belongs to one running server at a time. Each of settings is a
// Postgres setting in the form name=value and wins over ours.
func StartPostgres(ctx context.Context, dir string, log *slog.Logger, settings ...string) (*Postgres, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	// Others may pass through but not look: Postgres may run as another user.
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	lock, oldSocket, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir, settings: settings, log: log, lock: lock, done: make(chan struct{})}
	if err := p.prepare(ctx, oldSocket); err != nil {
		removeSocketDirectory(p.socket)
		unlockDirectory(lock)
		return nil, err
	}

	// It runs until Stop, but a cancelled start ends it too.
	var running context.Context
	running, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, p.cancel)
	ready := make(chan error, 1)
	go p.supervise(running, ready)
	if err := <-ready; err != nil {
		p.Stop()
		return nil, err
	}
	if !forget() {
		p.Stop()
		return nil, context.Cause(ctx)
	}
	return p, nil
}

// prepare settles what a start needs: who runs it, which binaries, the socket.
func (p *Postgres) prepare(ctx context.Context, oldSocket string) error {
	version, err := p.version()
	if err != nil {
		return err
	}
	if p.cred, err = runAs(p.cluster()); err != nil {
		return err
	}
	p.bin, err = findPostgres(ctx, version, p.cred, p.log)
	if ctx.Err() != nil { // nothing was found, but for another reason
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	removeSocketDirectory(oldSocket)
	if p.socket, err = p.socketDirectory(); err != nil {
		return err
	}
	if err := writeLock(p.lock, p.socket); err != nil {
		return err
	}
	return os.WriteFile(p.logFile(), nil, 0o600)
}

func (p *Postgres) cluster() string { return filepath.Join(p.dir, "postgres") }
func (p *Postgres) logFile() string { return filepath.Join(p.dir, "postgres.log") }

// URL is where to connect; pgxpool and psql take it.
func (p *Postgres) URL() string { return p.url(superuser) }

func (p *Postgres) url(database string) string {
	query := url.Values{"host": {p.socket}, "port": {socketPort}, "sslmode": {"disable"}}
	// Connection strings know %20 only: to them a plus is a plus.
	return "postgres://" + superuser + "@/" + database + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// Stop ends all connections, shuts Postgres down and waits for it. Stopping
// twice is harmless.
func (p *Postgres) Stop() error {
	p.cancel()
	<-p.done
	removeSocketDirectory(p.socket)
	return unlockDirectory(p.lock)
}

// supervise keeps Postgres running until ctx ends, and tells ready how the
// first start went. The kernel stops Postgres when the thread that started it
// ends, so all is started from one thread that lives as long as this.
func (p *Postgres) supervise(ctx context.Context, ready chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	err := p.initialise(ctx)
	var cmd *exec.Cmd
	var exited <-chan struct{}
	if err == nil {
		cmd, exited, err = p.launch(ctx)
	}
	ready <- err
	if err != nil {
		return
	}
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		if err == nil {
			stable := time.NewTimer(time.Minute)
			select {
			case <-exited:
			case <-ctx.Done():
				p.shutDown(cmd, exited)
				return
			}
			if !stable.Stop() {
				wait = shortestWait
			}
			p.log.Error("Postgres stopped by itself; starting it again", "state", cmd.ProcessState.String(), "log", p.logFile())
		} else {
			p.log.Error("Postgres does not start; trying again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		cmd, exited, err = p.launch(ctx)
		if ctx.Err() != nil && err != nil {
			return
		}
	}
}

// launch starts Postgres and waits until it answers. What an earlier one left
// on its way down (lock file, shared memory) goes away by itself, so then it
// tries again.
func (p *Postgres) launch(ctx context.Context) (*exec.Cmd, <-chan struct{}, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, recovery, fmt.Errorf("no answer within %v", recovery))
	defer cancel()
	for {
		if err := p.stopPrevious(ctx); err != nil {
			return nil, nil, fmt.Errorf("start Postgres: %w", err)
		}
		cmd, exited, err := p.start(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("start Postgres: %w", err)
		}
		if err = p.await(ctx, exited); err == nil {
			return cmd, exited, nil
		}
		p.shutDown(cmd, exited)
		tail := p.logTail()
		if !strings.Contains(tail, "is still in use") && !strings.Contains(tail, `"postmaster.pid" already exists`) {
			return nil, nil, fmt.Errorf("start Postgres: %w%s", err, tail)
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("start Postgres: %w%s", err, tail)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// start runs postgres; the channel closes when it has exited.
func (p *Postgres) start(ctx context.Context) (*exec.Cmd, <-chan struct{}, error) {
	socket := p.socket
	if socket == p.cluster() {
		socket = "." // which holds for any path, and for a user who can't walk it
	}
	settings := slices.Concat([]string{
		"listen_addresses=", "port=" + socketPort,
		"unix_socket_directories=" + socket, "unix_socket_permissions=0700",
		"cluster_name=understudy", "timezone=UTC", "log_timezone=UTC",
		"shared_buffers=64MB", "max_connections=100", "max_wal_size=256MB", "jit=off",
		// Nobody replicates from it, so the log need only serve recovery.
		"wal_level=minimal", "max_wal_senders=0",
		// A failed statement is the client's to report; without them the log
		// stays small.
		"log_min_messages=log", "log_checkpoints=off", "log_autovacuum_min_duration=-1",
	}, p.settings)
	var args []string
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	// The context does not kill it: only a shutdown in order is safe.
	cmd, closeFiles, err := p.command(context.WithoutCancel(ctx), "postgres", p.cluster(), args...)
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

// await returns when Postgres answers a query in our database.
func (p *Postgres) await(ctx context.Context, exited <-chan struct{}) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := p.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return errors.New("it exited")
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

func (p *Postgres) ping(ctx context.Context) error {
	conn, err := pgconn.Connect(ctx, p.url(superuser))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "3D000" { // no such database yet
		if conn, err = pgconn.Connect(ctx, p.url("postgres")); err != nil {
			return err
		}
		err = conn.Exec(ctx, "create database "+superuser).Close()
	}
	if conn != nil {
		conn.Close(ctx)
	}
	return err
}

// shutDown asks for a fast shutdown, and insists when that hangs.
func (p *Postgres) shutDown(cmd *exec.Cmd, exited <-chan struct{}) {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		cmd.Process.Signal(sig)
		select {
		case <-exited:
			return
		case <-time.After(10 * time.Second):
			p.log.Warn("Postgres is slow to stop", "after", sig.String())
		}
	}
	<-exited
}
