package server_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestServerEndsWithItsParent kills the shell that has started the server, whose standard
// input stays open. The server stops as on SIGTERM: its PostgreSQL and its temporary data
// directory are gone.
func TestServerEndsWithItsParent(t *testing.T) {
	t.Parallel()
	temporary := servertest.DataDir(t)
	shell := servertest.Command(t, "TMPDIR="+temporary, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0")
	server := shell.Path
	shell.Path, shell.Args = "/bin/sh", []string{"sh", "-c", `exec 3<&0; "$0" --ephemeral --exit-with-parent <&3 & wait`, server}
	stdin, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := servertest.NewProcess(t, shell)
	t.Cleanup(func() {
		stdin.Close()
		<-p.Exited
	})
	if !p.AwaitReady() {
		t.Fatalf("it exited before it was ready: %s", p.Output)
	}
	database := postmaster(t, temporary)
	shell.Process.Kill()
	<-p.Exited // the server has closed its output
	if !strings.Contains(p.Output.String(), "msg=stopping") {
		t.Errorf("output %s, want a graceful stop", p.Output)
	}
	if process, err := os.FindProcess(database); err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Error("PostgreSQL still runs")
	}
	if left := entries(t, temporary); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// postmaster returns the process ID of the PostgreSQL of the ephemeral server whose
// temporary directory this is.
func postmaster(t *testing.T, temporary string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(temporary, "understudy-*", "postgres", "postmaster.pid"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %v, %v, want one", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
