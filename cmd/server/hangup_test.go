package main_test

import (
	"os/signal"
	"syscall"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestHangupStopsTheServer checks that the server stops as on SIGTERM when its terminal is closed.
func TestHangupStopsTheServer(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the signal is ignored, as under nohup")
	}
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())
	p.Cmd.Process.Signal(syscall.SIGHUP)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
