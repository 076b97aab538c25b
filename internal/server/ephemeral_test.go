package server_test

import (
	"net/http"
	"os"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestEphemeral: the server ends in order when its standard input does, and
// its data directory with it.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	temporary := servertest.DataDir(t)
	kept := servertest.DataDir(t)
	cmd := servertest.Command(t, "--ephemeral", "TMPDIR="+temporary, "DATA_DIR="+kept, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")
	p := &process{t: t, cmd: cmd, out: &transcript{more: make(chan struct{})}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Output, p.Output
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	go func() {
		defer close(p.Exited)
		cmd.Wait()
	}()
	if !p.AwaitReady() {
		t.Fatal("it ended before it was ready")
	}
	p.Server().Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
	if len(entries(t, temporary)) != 1 || len(entries(t, kept)) != 0 {
		t.Errorf("it keeps its data elsewhere: %v, %v", entries(t, temporary), entries(t, kept))
	}
	stdin.Close()
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if left := entries(t, temporary); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
