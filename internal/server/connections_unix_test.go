//go:build linux || darwin

package server_test

import (
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// startWithFewFiles starts a server that can open 256 files, so its API accepts 64 connections.
func startWithFewFiles(t *testing.T) *servertest.Process {
	t.Helper()
	cmd := servertest.Command(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(), "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")
	limited := exec.Command("sh", append([]string{"-c", `ulimit -n 256 && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
	limited.Env = cmd.Env
	p := servertest.NewProcess(t, limited)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Log(p.Output)
		}
	})
	if !p.AwaitReady() {
		t.Fatal("it exited before it was ready")
	}
	return p
}

// TestIdleConnectionsLeaveFiles opens more idle connections to both listeners than the
// server can open files: calls of both succeed, and a file can be uploaded.
func TestIdleConnectionsLeaveFiles(t *testing.T) {
	p := startWithFewFiles(t)
	for _, listener := range []string{p.API, p.ControlURL} {
		at, err := url.Parse(listener)
		if err != nil {
			t.Fatal(err)
		}
		for range 400 {
			connection, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
		}
	}
	s := p.Server()
	tenant := s.NewTenant("{}")
	_, uploadURL := tenant.Announce("a.txt")
	tenant.Upload(uploadURL, "a.txt", servertest.Letter).Want(t, http.StatusOK)
}

// TestWaitingCallsOfOneTenant makes more calls of one tenant that wait than the API accepts
// connections: the calls of another tenant with the same address succeed.
func TestWaitingCallsOfOneTenant(t *testing.T) {
	s := startWithFewFiles(t).Server()
	waiting, other := s.NewTenant("{}"), s.NewTenant("{}")
	waiting.Fault(`{"route":"GET /hooks","delay":"1m"}`)
	for range 80 {
		s.Dial("GET /hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + waiting.Token + "\r\n\r\n")
	}
	for range 4 {
		other.Do("GET /hooks", "").Want(t, http.StatusOK)
	}
}
