//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/server/servertest"
)

// Migrations of two releases after the present one.
var (
	expansion = map[string]string{"9001_expand.sql": `
-- +goose Up
alter table tenants add column note text not null default '';
alter table submissions add column note text not null default '';
alter table deliveries add column note text not null default '';
-- +goose Down
alter table tenants drop column note;
alter table submissions drop column note;
alter table deliveries drop column note;
`}
	contraction = map[string]string{"9002_contract.sql": `
-- +goose Up
alter table tenants drop column note;
alter table submissions drop column note;
alter table deliveries drop column note;
update schema_requirements set oldest_server = 9001;
-- +goose Down
`}
)

// TestTeamIsUpgraded rolls a team to a newer release and to the one after that, while
// clients work. The first server of each release migrates the database while older
// servers use it. No call fails, and nothing is lost or repeated. A release can be rolled
// back, but not two.
func TestTeamIsUpgraded(t *testing.T) {
	t.Parallel()
	if _, long := teamRounds(t); !long {
		t.Skip("make team runs this test, which builds two servers")
	}
	next := buildServer(t, expansion)
	afterNext := buildServer(t, expansion, contraction)
	r := newRun(t)
	r.startTeam()
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	for _, n := range r.nodes {
		r.rollTo(next, n)
	}
	r.rollTo("", r.nodes[0])
	r.rollTo(next, r.nodes[0])
	for _, n := range r.nodes {
		r.rollTo(afterNext, n)
	}
	r.rollTo(next, r.nodes[0])
	r.refuseOldServer()
	r.finish(stop)
}

// buildServer returns the path of a server that knows more migrations.
func buildServer(t *testing.T, newer ...map[string]string) string {
	t.Helper()
	list, err := exec.Command("go", "list", "-f", "{{.Dir}}", "understudy.example/migrations").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, replaced := t.TempDir(), map[string]string{}
	for _, files := range newer {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			replaced[filepath.Join(strings.TrimSpace(string(list)), name)] = path
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Beside the test's own binary, as servertest.Binary is: worker processes of another
	// user can run it.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(newer[len(newer)-1]))
	path := filepath.Join(filepath.Dir(self), "server-"+strings.TrimSuffix(names[0], ".sql"))
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", path, "understudy.example/cmd/server").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// rollTo stops the server and starts the program in its place; "" is the one that is
// built from the sources.
func (r *run) rollTo(binary string, n *node) {
	r.t.Helper()
	n.binary = binary
	r.journal.write(everybody, "--- %s becomes %s", n.name, filepath.Base(binary))
	r.roll(n)
}

// refuseOldServer checks that the present release does not start, because the database
// serves only the two that follow.
func (r *run) refuseOldServer() {
	r.t.Helper()
	cmd := servertest.Command(r.t, slices.Concat(r.nodes[0].arguments, []string{"LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0"})...)
	old := servertest.NewProcess(r.t, cmd)
	if old.AwaitReady() {
		old.Cmd.Process.Signal(syscall.SIGTERM)
		r.t.Error("a server that is two releases old has started")
	}
	<-old.Exited
	const want = `environment "` + teamEnvironment + `" has version 9002, which needs a server that knows version 9001 or later`
	if code := old.Cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(old.Output.String(), want) {
		r.t.Errorf("a server that is two releases old: exit code %d, output %s; want 1 and %s", code, old.Output, want)
	}
}
