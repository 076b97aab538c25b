package server_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestEphemeralServerEndsWithItsStandardInput checks that the server keeps its data
// in a temporary directory, which it deletes when it ends.
func TestEphemeralServerEndsWithItsStandardInput(t *testing.T) {
	t.Parallel()
	temporary, unused := servertest.DataDir(t), servertest.DataDir(t)
	cmd := servertest.Command(t, "--ephemeral", "TMPDIR="+temporary, "DATA_DIR="+unused, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := servertest.NewProcess(t, cmd)
	t.Cleanup(func() {
		stdin.Close()
		<-p.Exited
	})
	if !p.AwaitReady() {
		t.Fatalf("it exited before it was ready: %s", p.Output)
	}
	p.Server().Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
	if len(entries(t, temporary)) != 1 || len(entries(t, unused)) != 0 {
		t.Errorf("data in the temporary directory %v, in DATA_DIR %v", entries(t, temporary), entries(t, unused))
	}
	stdin.Close()
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if left := entries(t, temporary); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCancelledStartSaysSo checks a server whose standard input has already ended.
func TestCancelledStartSaysSo(t *testing.T) {
	t.Parallel()
	temporary := servertest.DataDir(t)
	p := servertest.NewProcess(t, servertest.Command(t, "--ephemeral", "TMPDIR="+temporary, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0"))
	<-p.Exited
	const want = "server: the start was cancelled: standard input was closed, which stops a server with --ephemeral\n"
	if code := p.Cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(p.Output.String(), want) {
		t.Errorf("exit code %d, output %s", code, p.Output)
	}
	if left := entries(t, temporary); len(left) != 0 {
		t.Errorf("left behind: %v", left)
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
