package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/certificate/certificatetest"
	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestDoctor checks the findings on this machine, and that the command changes nothing.
func TestDoctor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := servertest.Command(t, "doctor", "--json", "--data-dir", filepath.Join(dir, "new"), "PG_BIN="+os.Getenv("PG_BIN")).Output()
	if err != nil {
		t.Fatalf("%v, output %s", err, out)
	}
	var findings []server.Finding
	if err := json.Unmarshal(out, &findings); err != nil {
		t.Fatal(err)
	}
	states := map[string]server.FindingState{}
	for _, finding := range findings {
		t.Log(finding)
		states[finding.Check] = finding.State
	}
	want := []string{"configuration", "data directory", "PostgreSQL", "worker sandbox: limits"}
	if runtime.GOOS == "linux" {
		want = append(want, "worker sandbox: seccomp", "worker sandbox: no_new_privs", "worker sandbox: unprivileged user")
	}
	for _, check := range want {
		if states[check] != server.OK {
			t.Errorf("%s: got state %q, want ok", check, states[check])
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the command left %v, %v", left, err)
	}
}

// TestDoctorNamesWhatFails checks the exit status and the sentences of failed checks.
func TestDoctorNamesWhatFails(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "file", "")
	for want, arguments := range map[string][]string{
		"failed   data directory: " + file + "/data cannot be used: ":                              {"--data-dir", file + "/data"},
		"failed   PostgreSQL: PostgreSQL was not found in PG_BIN=/nonexistent\n":                   {"--data-dir", t.TempDir(), "PG_BIN=/nonexistent"},
		"failed   configuration: profile uat refuses to start:\n  - MASTER_KEY is not set":         {"--data-dir", t.TempDir(), "--profile=uat"},
		"warning  memory: The machine has ":                                                        {"--data-dir", t.TempDir(), "READ_MEMORY_BYTES=99999999999999", "PG_BIN=/nonexistent"},
		"failed   configuration: MASTER_KEY: want 32 bytes":                                        {"--data-dir", t.TempDir(), "MASTER_KEY=abc"},
		"failed   configuration: READ_MEMORY_TOTAL_BYTES is 1000: ":                                {"--data-dir", t.TempDir(), "READ_MEMORY_TOTAL_BYTES=1000"},
		"failed   PostgreSQL: the database at 127.0.0.1:1 cannot be reached: connection refused: ": {"--data-dir", t.TempDir(), "DATABASE_URL=postgres://127.0.0.1:1/x"},
	} {
		command := servertest.Command(t, append([]string{"doctor"}, arguments...)...)
		out, err := command.CombinedOutput()
		if command.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), want) || !strings.Contains(string(out), "checks failed\n") {
			t.Errorf("%v: %v, output %s, want %q", arguments, err, out, want)
		}
	}
}

// TestDoctorChecksCertificates checks the findings about certificates that are valid, have
// expired, will expire soon, or do not belong to their keys.
func TestDoctorChecksCertificates(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	const day = 24 * time.Hour
	for want, validFor := range map[string]time.Duration{
		"ok       TLS certificate: The certificate of a.example, 10.0.0.1 is valid from ": 30 * day,
		". Renew it.\n": day,
		". Clients reject it now: renew it, or set the clock.\n": -time.Hour,
	} {
		certFile, keyFile := authority.Files(t, validFor, "a.example", "10.0.0.1")
		out, _ := servertest.Command(t, "doctor", "--data-dir", t.TempDir(), "PG_BIN=/nonexistent", "--tls-cert", certFile, "--tls-key", keyFile).CombinedOutput()
		if !strings.Contains(string(out), want) || strings.Contains(string(out), "webhook client certificate") {
			t.Errorf("output %s, want %q", out, want)
		}
	}
	certFile, _ := authority.Files(t, day, "a.example")
	_, otherKey := authority.Files(t, day, "a.example")
	out, err := servertest.Command(t, "doctor", "--data-dir", t.TempDir(), "--webhook-client-cert", certFile, "--webhook-client-key", otherKey).CombinedOutput()
	if want := "failed   webhook client certificate: WEBHOOK_CLIENT_CERT and WEBHOOK_CLIENT_KEY: certificate " + certFile; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, output %s, want %q", err, out, want)
	}
}
