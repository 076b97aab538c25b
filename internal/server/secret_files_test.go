package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// secretFile writes a secret to a file, with a final newline, and returns the file's path.
func secretFile(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSecretsAreReadFromFiles checks that every secret flag can also be set by a file.
func TestSecretsAreReadFromFiles(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: a control token is required if set",
		"Chosen, process: secrets are read from files too")
	t.Parallel()
	url := storagetest.URL(t)
	p := servertest.Start(t, "--data-dir", t.TempDir(), "--database-url-file", secretFile(t, url),
		"MASTER_KEY_FILE="+secretFile(t, masterKey), "CONTROL_TOKEN_FILE="+secretFile(t, "t0ken"))
	s := p.Server()
	tenants := servertest.Call{Line: "GET " + p.ControlURL + "/control/v1/tenants"}
	s.DoWith(http.DefaultClient, tenants).Want(t, http.StatusUnauthorized)
	tenants.Token = "t0ken"
	s.DoWith(http.DefaultClient, tenants).Want(t, http.StatusOK)
	p.Kill()
	servertest.Start(t, "--data-dir", t.TempDir(), "DATABASE_URL="+url, "MASTER_KEY="+masterKey)
}

func TestBadSecretFilesAreRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, process: secrets are read from files too")
	t.Parallel()
	for name, secret := range map[string]string{"DATABASE_URL": "postgres://a:hush-hush@127.0.0.1:1/x", "MASTER_KEY": masterKey, "CONTROL_TOKEN": "hush-hush", "WEBHOOK_PROXY": "http://a:hush-hush@127.0.0.1:1"} {
		for file, want := range map[string]string{
			secretFile(t, secret):                 name + " and " + name + "_FILE are both set: set one of them",
			filepath.Join(t.TempDir(), "nothing"): "",
			secretFile(t, ""):                     "",
		} {
			arguments := []string{"--data-dir", t.TempDir(), name + "_FILE=" + file}
			if want != "" {
				arguments = append(arguments, name+"="+secret)
			} else {
				want = name + "_FILE: "
			}
			output := servertest.Refusal(t, arguments...)
			if !strings.Contains(output, want) || strings.Contains(output, "hush-hush") {
				t.Errorf("%s_FILE=%s: output %s, want %q", name, file, output, want)
			}
		}
	}
}

// TestBadListsAreRefused checks flags whose values are lists.
func TestBadListsAreRefused(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]string{
		"TRUSTED_PROXIES=10.0.0.0/8,proxy":           `--trusted-proxies: netip.ParsePrefix("proxy")`,
		"TRUSTED_PROXIES=10.0.0.1":                   `--trusted-proxies: netip.ParsePrefix("10.0.0.1")`,
		"CORS_ORIGINS=https://a.example,app.example": `CORS_ORIGINS "app.example": want origins`,
		"CORS_ORIGINS=https://a.example/":            `CORS_ORIGINS "https://a.example/": want origins`,
	} {
		if output := servertest.Refusal(t, "--data-dir", t.TempDir(), argument); !strings.Contains(output, want) {
			t.Errorf("%s: output %s, want %q", argument, output, want)
		}
	}
}
