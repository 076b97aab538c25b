package server_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestWelcomeShowsCredentialsOfTheEnvironment checks a server with another environment
// name.
func TestWelcomeShowsCredentialsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "--environment", "staging", "--data-dir", servertest.DataDir(t))
	for _, shown := range []string{" acme-secret-staging ", " acme-api-key-staging ", " globex-api-key-staging ", "curl -s -u acme-client:acme-secret-staging "} {
		if !strings.Contains(p.Output.String(), shown) {
			t.Errorf("the welcome does not show %q: %s", shown, p.Output)
		}
	}
	basic := servertest.Basic("acme-client", "acme-secret-staging")
	p.Server().Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": basic}}).Want(t, http.StatusOK)
}

// TestStartPrintsWelcomeAndReadyLine checks what a server prints from its start to
// its stop: the demo credentials, a first call that works, one ready line, and no
// secret in a log line.
func TestStartPrintsWelcomeAndReadyLine(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: port 0 picks a free port",
		"Chosen, process: /livez and /readyz on both listeners",
		"Chosen, process: one ready line with both URLs, after both listeners accept")
	t.Parallel()
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t))
	s := p.Server()
	for _, url := range []string{p.API, p.ControlURL} {
		for _, path := range []string{"/livez", "/readyz"} {
			s.Do(servertest.Call{Line: "GET " + url + path}).Want(t, http.StatusOK)
		}
	}
	for _, demo := range seed.Demos() {
		if !strings.Contains(p.Output.String(), demo.ClientID) || !strings.Contains(p.Output.String(), demo.APIKey) {
			t.Errorf("the welcome does not show %s", demo.ClientID)
		}
	}
	curl := regexp.MustCompile(`(?m)^ +(curl .*)$`).FindStringSubmatch(p.Output.String())
	if curl == nil {
		t.Fatal("no curl line")
	}
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", curl[1]).Output()
		var token struct {
			AccessToken string `json:"access_token"`
		}
		if err != nil || json.Unmarshal(out, &token) != nil {
			t.Fatalf("%s: %s, %v", curl[1], out, err)
		}
		s.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: token.AccessToken, Key: "acme-api-key"}).Want(t, http.StatusNotFound)
	}

	p.Cmd.Process.Signal(syscall.SIGINT)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if n := strings.Count(p.Output.String(), "msg=ready"); n != 1 {
		t.Errorf("%d ready lines, want 1", n)
	}
	for _, secret := range []string{"data=", "access_token", "acme-secret:"} {
		for line := range strings.Lines(p.Output.String()) {
			if strings.Contains(line, "level=") && strings.Contains(line, secret) {
				t.Errorf("log line with a secret: %s", line)
			}
		}
	}
}
