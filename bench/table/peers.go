package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// peer is another server that imitates an API. It must be in PATH to be measured.
type peer struct {
	name, program string
	goal          float64 // the requests/s of a status call in proportion to the peer's
	arguments     func(m *machine, port string) ([]string, error)
	path          string
	headers       []string
}

var peers = []peer{
	{"WireMock without its journal", "wiremock", 1.3, wireMock, "/status/1", nil},
	{
		"Prism", "prism", 2, prism, "/universal/v2/universal-submit/status/01a1fc02-6c63-7e62-899d-76dbc92c035e",
		[]string{"Authorization: Bearer token", "X-Api-Key: key"},
	},
	{"stripe-mock", "stripe-mock", 0.65, func(_ *machine, port string) ([]string, error) {
		return []string{"-http-port", port}, nil
	}, "/v1/charges/ch_123", []string{"Authorization: Bearer sk_test_123"}},
}

// wireMock returns arguments that turn off the features that WireMock's documentation
// recommends to turn off under load.
func wireMock(m *machine, port string) ([]string, error) {
	dir := filepath.Join(m.dir, "wiremock")
	if err := os.MkdirAll(filepath.Join(dir, "mappings"), 0o755); err != nil {
		return nil, err
	}
	mapping := `{"request":{"method":"GET","urlPath":"/status/1"},"response":{"status":200,"headers":{"Content-Type":"application/json"},"jsonBody":{"tx_id":"1","status":"Completed"}}}`
	err := os.WriteFile(filepath.Join(dir, "mappings", "status.json"), []byte(mapping), 0o644)
	return []string{"--port", port, "--root-dir", dir, "--no-request-journal", "--disable-request-logging", "--disable-banner"}, err
}

// prism returns arguments with the server's own OpenAPI document.
func prism(m *machine, port string) ([]string, error) {
	response, err := http.Get("http://" + m.server.address() + "/openapi.yaml")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(m.dir, "openapi.yaml")
	return []string{"mock", "-p", port, "-h", "127.0.0.1", "-v", "fatal", path}, os.WriteFile(path, document, 0o644)
}

// startPeers starts the peers that are installed, and returns them as targets with their
// goals.
func (m *machine) startPeers(ctx context.Context) (targets []target, goals []float64, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var running []<-chan struct{}
	stop = func() {
		cancel()
		for _, ended := range running {
			<-ended
		}
	}
	for _, peer := range peers {
		if _, err := exec.LookPath(peer.program); err != nil {
			m.printf("\n%s is not installed: skipped.\n", peer.program)
			continue
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, stop, err
		}
		address := listener.Addr().String()
		listener.Close()
		_, port, _ := net.SplitHostPort(address)
		arguments, err := peer.arguments(m, port)
		if err != nil {
			return nil, nil, stop, err
		}
		command := exec.CommandContext(ctx, peer.program, arguments...)
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // wiremock is a script that starts another process
		command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
		if err := command.Start(); err != nil {
			return nil, nil, stop, err
		}
		ended := make(chan struct{})
		running = append(running, ended)
		go func() {
			command.Wait()
			close(ended)
		}()
		t := target{name: peer.name, processes: []endpoint{{address, command.Process.Pid}}, request: get(peer.path, peer.headers...), status: "200", peer: true}
		if err := m.awaitResponse(ctx, t); err != nil {
			m.printf("\n%s does not respond as expected: skipped. %s\n", peer.program, strings.TrimSpace(err.Error()))
			continue
		}
		targets, goals = append(targets, t), append(goals, peer.goal)
	}
	return targets, goals, stop, nil
}

// awaitResponse waits until the target responds.
func (m *machine) awaitResponse(ctx context.Context, t target) (err error) {
	for range 150 {
		if _, err = t.send(ctx, t.processes[0].address, time.Now().Add(time.Millisecond)); err == nil {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return err
}
