//go:build linux

package crashtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/postgres"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest/s3test"
)

// teamSize is the number of servers that share a database and an object store.
const teamSize = 3

// teamRounds returns how often each server has a fault, and whether `make team` runs the
// tests, which sets the environment variable TEAM_ROUNDS.
func teamRounds(t *testing.T) (n int, long bool) {
	t.Helper()
	text, long := os.LookupEnv("TEAM_ROUNDS")
	if !long {
		return 1, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("TEAM_ROUNDS=%q: want a number above 0", text)
	}
	return n, true
}

// teamEnvironment is the name of the team's environment.
const teamEnvironment = "uat"

// startTeam starts servers of the profile uat behind a proxy, and returns the URL of their
// database.
func (r *run) startTeam() (databaseURL string) {
	r.t.Helper()
	// Addresses of their own, which no other process takes while a server restarts.
	network := fmt.Sprintf("127.%d.%d.", 64+r.random.IntN(64), r.random.IntN(256))
	var apiAddresses, controlAddresses []string
	for i := range teamSize {
		apiAddresses = append(apiAddresses, fmt.Sprintf("%s%d:8080", network, i+1))
		controlAddresses = append(controlAddresses, fmt.Sprintf("%s%d:8081", network, i+1))
	}
	r.proxy = r.startProxy(apiAddresses, controlAddresses)
	r.controlToken = strings.Repeat("t", 32)

	dir := servertest.DataDir(r.t)
	private, err := postgres.Start(r.t.Context(), dir, slog.New(slog.DiscardHandler), "max_connections=200")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { private.Stop() })
	r.clusterDir = filepath.Join(dir, "postgres")
	const prefix = "team"
	s3 := s3test.Start(r.t)
	r.objects = filepath.Join(s3.Dir, s3test.Bucket, prefix)
	for i := range teamSize {
		r.addNode(append(s3test.Environment(),
			"PROFILE=uat", "ENVIRONMENT="+teamEnvironment, "DATABASE_URL="+private.URL(), "OBJECTS_URL="+s3.ObjectsURL(prefix), "DATA_DIR="+r.t.TempDir(),
			"LISTEN_ADDR="+apiAddresses[i], "CONTROL_ADDR="+controlAddresses[i], "PUBLIC_URL="+r.proxy.api, "STOP_DELAY=2s",
			"CONTROL_TOKEN="+r.controlToken, "MASTER_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)),
			"WEBHOOK_ALLOW=127.0.0.1/32")...)
	}
	r.proxy.awaitUp()
	r.rememberPostgres()
	return private.URL()
}

// TestTeamIsRolled stops and starts the servers of a team one by one while clients work.
// The clients notice nothing: no call fails, and nothing is lost or repeated.
func TestTeamIsRolled(t *testing.T) {
	t.Parallel()
	rounds, long := teamRounds(t)
	r := newRun(t)
	r.startTeam()
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	rolled := r.nodes
	if !long {
		rolled = rolled[:1]
	}
	for range rounds {
		for _, n := range rolled {
			r.roll(n)
		}
	}
	r.finish(stop)
	r.wantServedByAll()
}

// roll stops the server as an administrator does, and starts it again.
func (r *run) roll(n *node) {
	r.t.Helper()
	pause(r.t.Context(), time.Second) // so that the clients make progress
	r.journal.write(everybody, "--- SIGTERM of %s", n.name)
	stopped := time.Now()
	n.stop()
	if code := n.process.Cmd.ProcessState.ExitCode(); code != 0 {
		r.t.Errorf("%s: exit code %d after SIGTERM, want 0", n.name, code)
	}
	took := time.Since(stopped)
	r.restarts.add(n.start())
	r.proxy.awaitUp()
	r.tally.note("%s rolled: it stopped in %.1f s", n.name, took.Seconds())
}

// wantServedByAll checks that every server has served calls.
func (r *run) wantServedByAll() {
	r.t.Helper()
	for _, n := range r.nodes {
		if r.journal.counts["served by "+n.proxied()] == 0 {
			r.t.Errorf("%s has served no calls", n.name)
		}
	}
}

// TestTeamSurvivesFaults kills each server of a team, and freezes one that is parsing a
// document past its leases, while clients work. Only calls that were sent to the faulty server fail, and nothing is
// lost or repeated.
func TestTeamSurvivesFaults(t *testing.T) {
	t.Parallel()
	rounds, long := teamRounds(t)
	if !long {
		t.Skip("make team runs this test, which takes a minute")
	}
	r := newRun(t)
	r.startTeam()
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i, tenant := range r.tenants[:2] { // a clock cannot be advanced past work that a frozen server holds
		r.startClient(ctx, uint64(10+2*i), tenant, (*client).work)
		r.startClient(ctx, uint64(11+2*i), tenant, (*client).work)
	}
	for range rounds {
		for _, n := range r.nodes {
			r.killOne(n)
		}
		if !r.whileParsing(func(at place) { r.freezeOne(r.parentOf(at.pid)) }, 1) {
			t.Error("no server was frozen while it parsed a document")
		}
	}
	r.finish(stop)
	r.wantServedByAll()
}

// killOne kills the server and starts it again.
func (r *run) killOne(n *node) {
	r.t.Helper()
	pause(r.t.Context(), time.Duration(500+r.random.IntN(1000))*time.Millisecond)
	r.proxy.begin(n)
	r.kill(server, place{point: atRandom, node: n})
	pause(r.t.Context(), 2*time.Second) // while the others serve
	r.restarts.add(n.start())
	r.proxy.awaitUp()
	r.proxy.end(n)
}

// parentOf returns the server of the worker process.
func (r *run) parentOf(worker int) *node {
	at := slices.IndexFunc(r.nodes, func(n *node) bool {
		return slices.ContainsFunc(n.workers(), func(p process) bool { return p.pid == worker })
	})
	return r.nodes[max(at, 0)]
}

// freezeOne stops the server until its leases are over, and lets it continue.
func (r *run) freezeOne(n *node) {
	r.t.Helper()
	r.proxy.begin(n)
	r.journal.write(everybody, "--- SIGSTOP of %s", n.name)
	begun := time.Now()
	n.signal(syscall.SIGSTOP)
	other := r.nodes[(slices.Index(r.nodes, n)+1)%len(r.nodes)]
	r.awaitOther(other, begun.Add(freezeLimit))
	r.tally.note("%s frozen: after %.1f s the others had ended everything", n.name, time.Since(begun).Seconds())
	pause(r.t.Context(), time.Until(begun.Add(lease+time.Second)))
	r.journal.write(everybody, "--- SIGCONT of %s", n.name)
	n.signal(syscall.SIGCONT)
	r.proxy.awaitUp()
	r.proxy.end(n)
}
