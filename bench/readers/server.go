package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// server is a running server process.
type server struct {
	command *exec.Cmd
	input   io.Closer
	url     string
}

var ready = regexp.MustCompile(`msg=ready api=(\S+)`)

// startServer starts a server with a private PostgreSQL.
func startServer(ctx context.Context, binary string) (*server, error) {
	s := &server{command: exec.CommandContext(ctx, binary, "--ephemeral", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0")}
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	input, err := s.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.input = input
	log, err := s.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	var lines strings.Builder
	scanner := bufio.NewScanner(log)
	for scanner.Scan() {
		if match := ready.FindStringSubmatch(scanner.Text()); match != nil {
			s.url = match[1]
			go io.Copy(io.Discard, log)
			return s, nil
		}
		fmt.Fprintln(&lines, scanner.Text())
	}
	return nil, errors.New("the server did not start:\n" + lines.String())
}

// stop ends the server.
func (s *server) stop() {
	s.input.Close()
	s.command.Wait()
}

// resetPeak resets the value that peak returns. Both need Linux.
func (s *server) resetPeak() {
	os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.command.Process.Pid), []byte("5"), 0)
}

// peak returns the largest resident memory since resetPeak, in bytes.
func (s *server) peak() int { return s.resident("VmHWM:") }

// memory returns the resident memory now, in bytes.
func (s *server) memory() int { return s.resident("VmRSS:") }

// resident returns a size in the status of the process; 0 on systems without /proc.
func (s *server) resident(name string) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	_, rest, _ := strings.Cut(string(status), name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.Atoi(fields[0])
	return kilobytes << 10
}
