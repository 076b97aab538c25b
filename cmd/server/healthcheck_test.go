package main_test

import (
	"net"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

func TestHealthcheckTellsWhetherTheServerIsReady(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())
	address := strings.TrimPrefix(p.API, "http://")
	_, port, _ := net.SplitHostPort(address)
	for _, listen := range []string{address, ":" + port, "0.0.0.0:" + port} {
		for _, argument := range []string{"--listen=" + listen, "LISTEN_ADDR=" + listen} {
			if out, err := servertest.Command(t, "healthcheck", argument).CombinedOutput(); err != nil {
				t.Errorf("%s: %v, %s", argument, err, out)
			}
		}
	}
	p.Kill()
	for _, listen := range []string{address, "nonsense", "127.0.0.1:99999"} {
		command := servertest.Command(t, "healthcheck", "--listen", listen)
		if out, err := command.CombinedOutput(); err == nil || command.ProcessState.ExitCode() != 1 || len(out) == 0 {
			t.Errorf("%s: %v, exit code %d, output %q, want exit code 1 and a reason", listen, err, command.ProcessState.ExitCode(), out)
		}
	}
}
