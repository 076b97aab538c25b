package main_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/certificate/certificatetest"
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

// TestHealthcheckOfATLSServer checks that the command trusts the configured certificate,
// whoever issued it, and no other.
func TestHealthcheckOfATLSServer(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "api.example")
	otherCert, _ := authority.Files(t, time.Hour, "127.0.0.1")
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(), "TLS_CERT="+certFile, "TLS_KEY="+keyFile)
	listen := "--listen=" + strings.TrimPrefix(p.API, "https://")
	if out, err := servertest.Command(t, "healthcheck", listen, "TLS_CERT="+certFile).CombinedOutput(); err != nil {
		t.Errorf("%v, %s", err, out)
	}
	for argument, want := range map[string]string{
		"TLS_CERT=":               "not ready: 400 Bad Request",
		"TLS_CERT=" + otherCert:   "the server's certificate is not the one in TLS_CERT",
		"--tls-cert=" + keyFile:   "TLS_CERT: " + keyFile + " contains no certificate",
		"--tls-cert=/nonexistent": "TLS_CERT: /nonexistent",
	} {
		if out, err := servertest.Command(t, "healthcheck", listen, argument).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, output %s, want %q", argument, err, out, want)
		}
	}
}
