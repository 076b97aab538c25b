package servertest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
)

// Binary returns the path of the server's binary, which is built once per test
// process, beside the test's own binary: `go test` removes both.
var Binary = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(self), "server-to-test")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "server")
	out, err := exec.Command("go", "build", "-o", path, "understudy.example/cmd/server").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// Process is a running server process.
type Process struct {
	T          testing.TB
	Cmd        *exec.Cmd
	API        string // URL, once it is ready
	ControlURL string // URL of the control listener, once it is ready
	Output     *Output
	Exited     chan struct{}

	Roots *x509.CertPool // that clients of Server trust; nil = those of the system
}

// Output is what a process writes, to be read while it writes.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and replaced with every write
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(p)
}

func (o *Output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.more
}

func (o *Output) String() string {
	text, _ := o.read()
	return text
}

// Command returns the server's binary with the arguments. An argument NAME=value
// is an environment variable. With -short the test is skipped: the race detector, for
// which -short is used, finds nothing in a binary that is built without it.
func Command(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("the server's binary is tested without -short")
	}
	path, err := Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for _, argument := range arguments {
		if name, _, found := strings.Cut(argument, "="); found && name == strings.ToUpper(name) {
			cmd.Env = append(cmd.Env, argument)
		} else {
			cmd.Args = append(cmd.Args, argument)
		}
	}
	return cmd
}

// Launch starts a server on free ports without waiting for it.
func Launch(t testing.TB, arguments ...string) *Process {
	t.Helper()
	p := NewProcess(t, Command(t, append(arguments, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")...))
	t.Cleanup(func() {
		p.Cmd.Process.Signal(syscall.SIGTERM)
		<-p.Exited
		if t.Failed() {
			t.Log(p.Output)
		}
	})
	return p
}

// NewProcess starts the command.
func NewProcess(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{T: t, Cmd: cmd, Output: &Output{more: make(chan struct{})}, Exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Output, p.Output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.Exited)
		cmd.Wait()
	}()
	return p
}

// readyLine matches the log line of a server that is ready, as text and as JSON.
var readyLine = regexp.MustCompile(`(?m)\bmsg"?[=:]"?ready"?[ ,]"?api"?[=:]"?([^\s"]+)"?[ ,]"?control"?[=:]"?([^\s"]*)"?}?$`)

// AwaitReady waits until the server is ready; false if it exits first.
func (p *Process) AwaitReady() bool {
	for {
		text, more := p.Output.read()
		if found := readyLine.FindStringSubmatch(text); found != nil {
			p.API, p.ControlURL = found[1], found[2]
			return true
		}
		select {
		case <-more:
		case <-p.Exited:
			return false
		}
	}
}

// Start starts a server and waits until it is ready.
func Start(t testing.TB, arguments ...string) *Process {
	t.Helper()
	p := Launch(t, arguments...)
	if !p.AwaitReady() {
		t.Fatal("it exited before it was ready")
	}
	return p
}

// Kill ends the server as a crash would.
func (p *Process) Kill() {
	p.Cmd.Process.Kill()
	<-p.Exited
}

// Refusal starts a server that must refuse to start, and returns its output.
func Refusal(t testing.TB, arguments ...string) string {
	t.Helper()
	p := Launch(t, arguments...)
	if p.AwaitReady() {
		t.Fatal("it started")
	}
	if code := p.Cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	return p.Output.String()
}

// DataDir returns a data directory that the user of PostgreSQL can reach.
func DataDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "data-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Server returns the server as its clients see it: only its API and its control API can
// be used.
func (p *Process) Server() *Server {
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: p.Roots}}
	return &Server{
		T: p.T, URL: p.API, Client: checked(p.T, openapi.Document, transport),
		ControlURL: p.ControlURL + route.ControlBase, ControlClient: checked(p.T, control.Document, transport),
	}
}

// Slow skips the test if the flag -short is set, as in make test, which uses the race
// detector. It is for tests that take too long with the race detector, and in which a
// single client makes one call after another.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
}
