package storagetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/postgres"
)

// Cluster is a PostgreSQL of a test's own, which listens on a TCP port of this machine.
type Cluster struct {
	T       testing.TB
	Address string // host and port
	dir     string
	cmd     *exec.Cmd
	exited  chan struct{}
}

// NewCluster starts a PostgreSQL with a database "app", which the role "app" owns.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{T: t, dir: clusterDir(t)}
	c.run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions", "-D", c.dir)
	c.start("primary")
	c.Exec("create role app login")
	c.Exec("create database app owner app")
	return c
}

// NewStandby starts a synchronous standby of the cluster: from now on, a commit is
// acknowledged when the standby has it too.
func (c *Cluster) NewStandby() *Cluster {
	c.T.Helper()
	standby := &Cluster{T: c.T, dir: clusterDir(c.T)}
	host, port, _ := net.SplitHostPort(c.Address)
	c.run("pg_basebackup", "-h", host, "-p", port, "-U", "postgres", "-D", standby.dir, "--write-recovery-conf",
		"--create-slot", "--slot=standby", "--checkpoint=fast", "--no-sync")
	standby.start("standby")
	c.Exec("alter system set synchronous_standby_names = 'standby'")
	c.Exec("select pg_reload_conf()")
	for c.Query("select coalesce(max(sync_state), '') from pg_stat_replication") != "sync" {
		time.Sleep(10 * time.Millisecond)
	}
	return standby
}

// Promote makes the standby the primary.
func (c *Cluster) Promote() {
	c.T.Helper()
	c.run("pg_ctl", "promote", "-D", c.dir)
}

// Signal sends the signal to all processes of the cluster.
func (c *Cluster) Signal(signal syscall.Signal) {
	c.T.Helper()
	c.cmd.Process.Signal(syscall.SIGSTOP) // so that it starts no process while they are listed
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", c.cmd.Process.Pid))
	if err != nil {
		c.T.Fatal(err)
	}
	c.cmd.Process.Signal(signal)
	for field := range strings.FieldsSeq(string(children)) {
		if pid, err := strconv.Atoi(field); err == nil {
			syscall.Kill(pid, signal)
		}
	}
}

// Exec runs a statement as superuser.
func (c *Cluster) Exec(sql string) {
	c.T.Helper()
	conn := c.connect()
	defer conn.Close(c.T.Context())
	if _, err := conn.Exec(c.T.Context(), sql); err != nil {
		c.T.Fatal(err)
	}
}

// Query returns the only value of a query, a text, which it runs as superuser.
func (c *Cluster) Query(sql string) (text string) {
	c.T.Helper()
	conn := c.connect()
	defer conn.Close(c.T.Context())
	if err := conn.QueryRow(c.T.Context(), sql).Scan(&text); err != nil {
		c.T.Fatal(err)
	}
	return text
}

func (c *Cluster) connect() *pgx.Conn {
	c.T.Helper()
	conn, err := pgx.Connect(c.T.Context(), "postgres://postgres@"+c.Address+"/postgres?sslmode=disable")
	if err != nil {
		c.T.Fatal(err)
	}
	return conn
}

// start starts PostgreSQL on a free port and waits until it accepts connections.
func (c *Cluster) start(name string) {
	c.T.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.T.Fatal(err)
	}
	c.Address = listener.Addr().String()
	listener.Close()
	_, port, _ := net.SplitHostPort(c.Address)
	c.cmd = c.command("postgres", "-D", c.dir, "-c", "port="+port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "cluster_name="+name, "-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=150", "-c", "jit=off")
	c.cmd.SysProcAttr.Setpgid = true // a terminal's SIGINT would stop it
	log, err := os.Create(c.dir + ".log")
	if err != nil {
		c.T.Fatal(err)
	}
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		c.T.Fatal(err)
	}
	c.exited = make(chan struct{})
	go func() {
		defer close(c.exited)
		c.cmd.Wait()
		log.Close()
	}()
	c.T.Cleanup(func() {
		c.Stop()
		if content, err := os.ReadFile(log.Name()); err == nil && c.T.Failed() {
			c.T.Logf("%s: %s", name, content)
		}
	})
	for {
		conn, err := pgx.Connect(c.T.Context(), "postgres://postgres@"+c.Address+"/postgres?sslmode=disable")
		if err == nil {
			conn.Close(c.T.Context())
			return
		}
		select {
		case <-c.exited:
			c.T.Fatalf("PostgreSQL does not start: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop ends all processes of the cluster as a crash of the machine would.
func (c *Cluster) Stop() {
	c.T.Helper()
	select {
	case <-c.exited:
	default:
		c.Signal(syscall.SIGKILL)
		<-c.exited
	}
}

// run runs a PostgreSQL program to its end.
func (c *Cluster) run(program string, arguments ...string) {
	c.T.Helper()
	if output, err := c.command(program, arguments...).CombinedOutput(); err != nil {
		c.T.Fatalf("%s: %v: %s", program, err, output)
	}
}

func (c *Cluster) command(program string, arguments ...string) *exec.Cmd {
	c.T.Helper()
	binDir, credential, err := postgres.Programs(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(binDir, program), arguments...)
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	return cmd
}

// clusterDir returns the path of a new directory that PostgreSQL's user can create.
func clusterDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "data")
}
