package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

func TestConformFailsOnADifference(t *testing.T) {
	s := servertest.New(t)
	file := filepath.Join(t.TempDir(), "junit.xml")
	command := servertest.Command(t, "conform", "--base-url", s.URL, "--client-id", "nobody", "CONFORM_CLIENT_SECRET=none", "--wait=1s", "--junit", file)
	out, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != 1 || !strings.HasSuffix(string(out), "server: conform: 1 of 6 checks differ\n") {
		t.Errorf("%v, output %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `failures="1"`) {
		t.Errorf("JUnit file %s: %v", text, err)
	}
}

func TestConformRefusesABadURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"127.0.0.1:8080", "localhost", "ftp://localhost", "http://"} {
		command := servertest.Command(t, "conform", "--hooks-url", url)
		out, err := command.CombinedOutput()
		if command.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "--hooks-url") {
			t.Errorf("%s: %v, output %s", url, err, out)
		}
	}
}
