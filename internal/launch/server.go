// Package launch starts a server for this process, and runs a program that uses the server. When
// one of them ends, for whatever reason, the others end too.
package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a server that this process has started. It listens on free ports of the
// loopback interface, keeps its data in a temporary directory, and stops when this
// process ends.
type Server struct {
	API     string        // URL
	Control string        // URL of the control listener
	Exited  chan struct{} // closed when the server has exited, and its data is deleted

	process *os.Process
	input   io.Closer

	mu        sync.Mutex
	lastLines []string // of the server's output
	dataDir   string
}

// Patterns of the log lines that this package reads, in text and JSON format.
var (
	readyLine = regexp.MustCompile(`\bmsg"?[=:]"?ready"?[ ,]"?api"?[=:]"?([^\s"]+)"?[ ,]"?control"?[=:]"?([^\s"]+)"?}?\n$`)
	dataLine  = regexp.MustCompile(`\bmsg"?[=:]"temporary data directory"[ ,]"?directory"?[=:]"?([^"]*[/\\]understudy-\d+)"?}?\n$`)
)

// ErrServerExited is the error of Run if the server exits while the program runs.
var ErrServerExited = errors.New("the server has exited while the command was running")

// maxStopTime is longer than a server takes to stop.
const maxStopTime = 30 * time.Second

// Start runs the command, which is a server, with these flags of serve, and returns when the
// server is ready. If ctx ends first, Start stops the server.
func Start(ctx context.Context, command *exec.Cmd, flags ...string) (*Server, error) {
	command.Args = append(command.Args, "--ephemeral", "--exit-with-parent", "--listen=127.0.0.1:0", "--control=127.0.0.1:0")
	command.Args = append(command.Args, flags...)
	command.Env = slices.DeleteFunc(command.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(ServerVariables, name) || strings.HasPrefix(name, "OTEL_")
	})
	// Signals from the terminal are for the program that uses the server.
	command.SysProcAttr = ownGroup()
	// An ephemeral server exits when its standard input is closed, which happens when this
	// process ends. Nothing is written to it.
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s := &Server{Exited: make(chan struct{}), process: command.Process, input: input}
	ready := make(chan []string, 1)
	go func() {
		defer close(s.Exited)
		s.readOutput(output, ready)
		command.Wait()
		s.removeData()
	}()
	select {
	case urls := <-ready:
		s.API, s.Control = urls[0], urls[1]
		return s, nil
	case <-s.Exited:
		return nil, fmt.Errorf("the server did not start:\n%s", s.LastOutput())
	case <-ctx.Done():
		s.Stop()
		return nil, fmt.Errorf("the server was not ready: %w:\n%s", context.Cause(ctx), s.LastOutput())
	}
}

// readOutput reads the server's output until its end, keeps the last lines, and sends
// the URLs of the API and the control listener to ready.
func (s *Server) readOutput(output io.Reader, ready chan<- []string) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if match := readyLine.FindStringSubmatch(line); match != nil {
			select {
			case ready <- match[1:]:
			default: // already sent
			}
		}
		s.mu.Lock()
		if match := dataLine.FindStringSubmatch(line); match != nil && s.dataDir == "" {
			s.dataDir = match[1]
		}
		s.lastLines = append(s.lastLines[max(0, len(s.lastLines)-50):], line)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// LastOutput returns the last lines of the server's log.
func (s *Server) LastOutput() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lastLines, "")
}

// removeData deletes the data directory of a killed server. It first waits for the server's
// PostgreSQL, which deletes its postmaster.pid when it stops.
func (s *Server) removeData() {
	if s.dataDir == "" {
		return
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(s.dataDir, "postgres", "postmaster.pid")); err != nil {
			break
		}
	}
	os.RemoveAll(s.dataDir)
}

// Stop stops the server and returns when it has exited.
func (s *Server) Stop() {
	s.input.Close()
	select {
	case <-s.Exited:
	case <-time.After(maxStopTime):
		s.process.Kill()
		<-s.Exited
	}
}
