package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// machine holds the processes that are measured: a PostgreSQL, the server and the bare
// server.
type machine struct {
	report
	dir, binary string
	rounds      int
	duration    time.Duration // of each run
	database    *process
	databaseURL string
	db          *pgxpool.Pool
	server      *process
	bare        *process
	bareToken   string
}

// newMachine starts PostgreSQL with durable commits, the server and the bare server.
func newMachine(ctx context.Context, dir, binary string) (*machine, error) {
	m := &machine{dir: dir, binary: binary}
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL may run as another user
		return nil, err
	}
	var err error
	if m.database, m.databaseURL, err = startDatabase(ctx, filepath.Join(dir, "database")); err != nil {
		return m, err
	}
	if m.db, err = pgxpool.New(ctx, m.databaseURL); err != nil {
		return m, err
	}
	if _, err := m.db.Exec(ctx, "create extension pg_stat_statements"); err != nil {
		return m, err
	}
	m.server, err = startProcess(dir, exec.CommandContext(ctx, binary,
		"--database-url", m.databaseURL, "--data-dir", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"), serverReady)
	if err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	m.bare, err = startProcess(dir, exec.CommandContext(ctx, self, "-bare", m.databaseURL), regexp.MustCompile(`ready (\S+) (\S+)`))
	if err != nil {
		return m, err
	}
	m.bareToken = m.bare.found[1]
	return m, nil
}

func (m *machine) close() {
	for _, p := range []*process{m.bare, m.server} {
		if p != nil {
			p.stop()
		}
	}
	if m.db != nil {
		m.db.Close()
	}
	if m.database != nil {
		m.database.stop()
	}
}

// process is a running server.
type process struct {
	command *exec.Cmd
	exited  <-chan struct{}
	found   []string // the groups of the pattern that its line of readiness matches
}

func (p *process) address() string { return p.found[0] }
func (p *process) pid() int        { return p.command.Process.Pid }

func (p *process) endpoints() []endpoint { return []endpoint{{p.address(), p.pid()}} }

var serverReady = regexp.MustCompile(`msg=ready api=http://(\S+) control=(\S+)`)

// startProcess starts the program with a log in the directory, and waits for a line of it
// that the pattern matches.
func startProcess(dir string, command *exec.Cmd, ready *regexp.Regexp) (*process, error) {
	p := &process{command: command}
	p.command.Cancel = func() error { return p.command.Process.Signal(os.Interrupt) }
	p.command.WaitDelay = 5 * time.Second
	log, err := os.CreateTemp(dir, "log-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		command.Wait()
		close(exited)
	}()
	p.exited = exited
	for {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			return nil, err
		}
		if match := ready.FindSubmatch(text); match != nil {
			for _, group := range match[1:] {
				p.found = append(p.found, string(group))
			}
			return p, nil
		}
		select {
		case <-exited:
			return nil, fmt.Errorf("%s did not start:\n%s", command.Path, text)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (p *process) stop() {
	p.command.Process.Signal(os.Interrupt)
	<-p.exited
}
