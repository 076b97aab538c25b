package main_test

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestSecretFlagsAreHidden checks that secrets that are passed as flags are not in the
// process list while the server runs, and that the server still uses them.
func TestSecretFlagsAreHidden(t *testing.T) {
	t.Parallel()
	const key, token = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=", "hush-hush-token"
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(), "--master-key="+key, "--control-token", token, "--environment", "staging")
	for _, warning := range []string{
		"--master-key is a secret, and other users of this machine can read flags: set MASTER_KEY or MASTER_KEY_FILE instead\n",
		"--control-token is a secret, and other users of this machine can read flags: set CONTROL_TOKEN or CONTROL_TOKEN_FILE instead\n",
	} {
		if !strings.Contains(p.Output.String(), "server: warning: "+warning) {
			t.Errorf("no warning %q in %s", warning, p.Output)
		}
	}
	if got := p.Output.String(); strings.Contains(got, key) || strings.Contains(got, token) {
		t.Errorf("a secret is in the output %s", got)
	}
	s := p.Server()
	tenants := servertest.Call{Line: "GET " + p.ControlURL + "/control/v1/tenants"}
	s.DoWith(http.DefaultClient, tenants).Want(t, http.StatusUnauthorized)
	tenants.Token = token
	s.DoWith(http.DefaultClient, tenants).Want(t, http.StatusOK)

	if runtime.GOOS != "linux" {
		t.Skip("the process list is overwritten on Linux only")
	}
	if got := processTitle(t, p.Cmd.Process.Pid); strings.Contains(got, key) || strings.Contains(got, token) || !strings.Contains(got, "--master-key=****") || !strings.Contains(got, "--environment staging") {
		t.Errorf("process list: %s", got)
	}
}

// TestDatabasePasswordIsHidden checks that the server warns of a database URL with a
// password, even if it does not start.
func TestDatabasePasswordIsHidden(t *testing.T) {
	t.Parallel()
	for url, secret := range map[string]bool{
		"postgres://a:hush-hush@127.0.0.1:1/x":        true,
		"host=127.0.0.1 port=1 password=hush-hush":    true,
		"postgres://127.0.0.1:1/x?sslmode=disable":    false,
		"postgres://a@127.0.0.1:1/x?password=hush%2D": true,
	} {
		output := servertest.Refusal(t, "--data-dir", t.TempDir(), "--database-url", url)
		if got := strings.Contains(output, "set DATABASE_URL or DATABASE_URL_FILE instead"); got != secret {
			t.Errorf("%s: got a warning %v, want %v: %s", url, got, secret, output)
		}
	}
}

// processTitle returns the arguments that the process list shows.
func processTitle(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\x00", " ")
}

// TestProxyPasswordIsHidden checks that the server warns of a proxy URL with credentials,
// hides them, and does not print them.
func TestProxyPasswordIsHidden(t *testing.T) {
	t.Parallel()
	for url, secret := range map[string]bool{"http://a:hush-hush@127.0.0.1:1": true, "http://127.0.0.1:1": false} {
		p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir(), "--webhook-proxy", url)
		if got := strings.Contains(p.Output.String(), "set WEBHOOK_PROXY or WEBHOOK_PROXY_FILE instead"); got != secret || strings.Contains(p.Output.String(), "hush-hush") {
			t.Errorf("%s: got a warning %v, want %v: %s", url, got, secret, p.Output)
		}
		if runtime.GOOS == "linux" && strings.Contains(processTitle(t, p.Cmd.Process.Pid), "hush-hush") {
			t.Errorf("%s is in the process list", url)
		}
	}
}

// TestSecretsOfOtherCommands checks the warning about a secret flag of a command that calls
// a server, and that the arguments of the command that `server exec` runs are not flags.
func TestSecretsOfOtherCommands(t *testing.T) {
	t.Parallel()
	const want = "server: warning: --control-token is a secret, and other users of this machine can read flags: set UNDERSTUDY_CONTROL_TOKEN instead\n"
	if _, _, stderr := run(t, "tenants", "--control-url=http://127.0.0.1:1", "--control-token=hush-hush"); !strings.HasPrefix(stderr, want) {
		t.Errorf("output %s, want %q", stderr, want)
	}
	if code, _, stderr := run(t, "exec", "--", "/nonexistent", "--control-token", "hush-hush"); code != 127 || strings.Contains(stderr, "is a secret") {
		t.Errorf("exit code %d, output %s, want no warning", code, stderr)
	}
}
