package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestSeedCommand runs the commands that need no server.
func TestSeedCommand(t *testing.T) {
	t.Parallel()
	wrong := filepath.Join(t.TempDir(), "seed.yaml")
	if err := os.WriteFile(wrong, []byte("version: 1\ntenants:\n  - tenant: a\n    settings: {webhooks: never}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{
		{"seed schema", string(seed.Schema)},
		{"seed demo", string(seed.DemoText)},
		{"seed check ../../examples/seed.yaml", ""},
		{"seed check " + wrong, "server: " + wrong + ":4:26: tenants[0].settings.webhooks: want send or collect\n"},
	} {
		out, _ := servertest.Command(t, strings.Fields(c.arguments)...).CombinedOutput()
		if string(out) != c.want {
			t.Errorf("%s: %s", c.arguments, out)
		}
	}
}

// TestExecWithSeed checks that a command gets the credentials of the first client of the
// seed with which its server starts.
func TestExecWithSeed(t *testing.T) {
	t.Parallel()
	out, err := servertest.Command(t, "exec", "TMPDIR="+servertest.DataDir(t), "PG_BIN="+os.Getenv("PG_BIN"), "--server-flag", "seed=../../examples/seed.yaml",
		"--", "sh", "-c", `echo "$UNDERSTUDY_TENANT $UNDERSTUDY_CLIENT_ID $UNDERSTUDY_CLIENT_SECRET $UNDERSTUDY_API_KEY $UNDERSTUDY_COMPANY_PACKAGE_ID"`).Output()
	if want := "northwind northwind-client northwind-secret northwind-api-key northwind-us-c0001\n"; err != nil || string(out) != want {
		t.Errorf("%v, output %s", err, out)
	}
}
