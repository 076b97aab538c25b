//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
	"understudy.example/internal/postgres"
	"understudy.example/internal/server/servertest"
)

// run is one test: servers, their clients, faults, and a journal of what the clients
// have seen.
type run struct {
	t         *testing.T
	seed      uint64
	random    *rand.Rand // of the test's goroutine
	journal   *journal
	points    points
	receiver  *receiver
	http      *http.Client // checks every response against the OpenAPI documents
	artifacts string       // directory of the servers' logs
	tempDir   string       // TMPDIR of the servers

	nodes        []*node
	proxy        *proxy // in front of the servers; nil = clients choose a server themselves
	controlToken string // "" = control calls need none

	clusterDir string // of the PostgreSQL whose processes may be killed
	objects    string // directory of the uploaded files

	tenants    []*tenant
	documents  atomic.Int64
	mu         sync.Mutex
	submitted  []*submission
	companies  []*company
	disposable []*tenant // tenants that clients made, and partly deleted

	clients    sync.WaitGroup
	background sync.WaitGroup

	killedPostmaster                  int // kills that the servers may not have noticed yet
	restarts, recoveries, orphanTimes durations
	tally                             tally
	postmasters                       map[int]bool    // process ids of all of them
	memory                            map[string]bool // files of shared memory of all of them
}

// newRun returns a run without servers and clients.
func newRun(t *testing.T) *run {
	t.Helper()
	r := &run{
		t: t, seed: seed(t), journal: newJournal(), artifacts: t.ArtifactDir(),
		tempDir: servertest.DataDir(t), postmasters: map[int]bool{}, memory: map[string]bool{},
	}
	r.random = r.newRandom(0)
	r.receiver = newReceiver(t, r.journal, &r.points)
	r.http = &http.Client{
		Timeout:   callLimit,
		Transport: checked(t, &http.Transport{DisableKeepAlives: true}),
	}
	t.Logf("CRASH_SEED=%d", r.seed)
	return r
}

// checked returns a transport that checks every response against the OpenAPI documents.
func checked(t *testing.T, base http.RoundTripper) http.RoundTripper {
	return apitest.New(t, openapi.Document, control.Document).Transport(t, base)
}

// newRandom returns a source of random numbers that follows from the seed.
func (r *run) newRandom(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(r.seed, stream)) }

// startPrivate starts a server with a private database in a new data directory. path is
// the end of that directory's path.
func (r *run) startPrivate(path string, arguments ...string) {
	r.t.Helper()
	r.startIn(filepath.Join(servertest.DataDir(r.t), path), arguments...)
}

// startIn starts a server with a private database in the data directory.
func (r *run) startIn(dataDir string, arguments ...string) {
	r.t.Helper()
	r.clusterDir, r.objects = filepath.Join(dataDir, "postgres"), filepath.Join(dataDir, "objects")
	for i, argument := range arguments {
		if argument == "--objects-url" {
			r.objects = strings.TrimPrefix(arguments[i+1], "file://")
		}
	}
	r.addNode(append(arguments, "--data-dir", dataDir)...)
	r.rememberPostgres()
}

// startShared starts servers on one PostgreSQL, which is restarted when it exits. through
// returns the address at which a server finds the relay to it.
func (r *run) startShared(servers int, through func(*relay) string) {
	r.t.Helper()
	dir := servertest.DataDir(r.t)
	r.clusterDir = filepath.Join(dir, "postgres")
	private, err := postgres.Start(r.t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { private.Stop() })
	r.objects = r.t.TempDir()
	for range servers {
		relay := newRelay(r.t, private.URL(), &r.points)
		relay.node.Store(r.addNode("--database-url", relay.databaseURL(through(relay)), "--objects-url", "file://"+r.objects, "--data-dir", r.t.TempDir()))
	}
	r.rememberPostgres()
}

// rememberPostgres records the process and the shared memory of the running PostgreSQL.
func (r *run) rememberPostgres() {
	pid := postmasterOf(r.clusterDir)
	r.postmasters[pid] = true
	for _, file := range sharedMemoryOf(pid) {
		r.memory[file] = true
	}
}

// recoveryLimit is the time within which a server must be ready again by itself after a
// fault of its database.
const recoveryLimit = time.Minute

// recover starts killed servers, and waits until all are ready.
func (r *run) recover() {
	r.t.Helper()
	for _, n := range r.nodes {
		if n.pid() == 0 {
			r.restarts.add(n.start())
		}
	}
	begun, waited := time.Now(), false
	for r.killedPostmaster != 0 && postmasterOf(r.clusterDir) == r.killedPostmaster && time.Since(begun) < recoveryLimit {
		waited = true // the server does not notice at once
		time.Sleep(time.Millisecond)
	}
	r.killedPostmaster = 0
	for _, n := range r.nodes {
		for !r.ready(n) {
			waited = true
			if time.Since(begun) > recoveryLimit {
				r.journal.fail(noRecovery, "", "%s is not ready %v after the fault", n.name, recoveryLimit)
				n.kill()
				r.restarts.add(n.start())
				begun = time.Now()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if waited {
		r.recoveries.add(time.Since(begun))
	}
	r.rememberPostgres()
}

// ready reports whether /readyz of the server returns 200, with all components working.
func (r *run) ready(n *node) bool {
	_, state := r.readyz(n)
	return state == "ok"
}

// readyz returns the status of the response of /readyz, 0 if there is none, and the state
// of the server in its body: ok, degraded or unavailable.
func (r *run) readyz(n *node) (status int, state string) {
	api, _ := n.urls()
	request, err := http.NewRequest(http.MethodGet, api+"/readyz", nil)
	if err != nil {
		r.t.Error(err)
		return 0, ""
	}
	response, err := servertest.Try(r.http, request)
	if err != nil {
		return 0, ""
	}
	var body struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(response.Body), &body); err != nil {
		r.t.Errorf("/readyz: %s: %v", response.Body, err)
	}
	return response.Status, body.Status
}

// finish ends the clients' work, checks everything, stops the servers and prints the
// table. The clients must have been started with ctx, which stop cancels.
func (r *run) finish(stop context.CancelFunc) {
	r.t.Helper()
	stop()
	r.clients.Wait()
	r.recover()
	r.check()
	every(r.nodes, (*node).stop)
	r.background.Wait()
	r.checkFiles()
	r.t.Log(r.table())
	if report := r.journal.report(); report != "" {
		r.t.Errorf("findings, each with its part of the journal:\n%s\nlog lines about errors and PostgreSQL:\n%s", report, r.logLines())
	}
}

// logLines returns the last error lines of the stopped servers' logs, and the last lines about the
// private PostgreSQL.
func (r *run) logLines() string {
	const shown = 60
	var b strings.Builder
	logs, _ := filepath.Glob(filepath.Join(r.artifacts, "*.log"))
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return !strings.Contains(line, "level=ERROR") && !strings.Contains(line, `msg="PostgreSQL`) && !strings.Contains(line, "PostgreSQL of a killed")
		})
		fmt.Fprintf(&b, "%s\n\t%s\n", filepath.Base(path), tail(strings.Join(lines, "\n"), shown))
	}
	return b.String()
}

// checkFiles checks that stopped servers have left nothing behind.
func (r *run) checkFiles() {
	files, err := os.ReadDir(r.tempDir)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, entry := range files {
		r.journal.fail(remains, "", "the file %s in the directory for temporary files", entry.Name())
	}
	sockets, _ := filepath.Glob(filepath.Join(r.clusterDir, ".s.PGSQL*"))
	for _, socket := range sockets {
		if len(r.nodes[0].arguments) > 0 && postmasterOf(r.clusterDir) == 0 {
			r.journal.fail(remains, "", "the socket %s", socket)
		}
	}
	if postmasterOf(r.clusterDir) != 0 {
		return // a shared PostgreSQL, which still runs
	}
	// The kernel frees memory when the last process that has it attached has ended, which can
	// be after PostgreSQL has removed its pid file.
	left := r.sharedMemoryLeft()
	for stopped := time.Now(); len(left) > 0 && time.Since(stopped) < orphanLimit; left = r.sharedMemoryLeft() {
		time.Sleep(5 * time.Millisecond)
	}
	for _, memory := range left {
		r.journal.fail(remains, "", "the shared memory %s", memory)
	}
}

// sharedMemoryLeft returns the shared memory that PostgreSQL of this run has left.
func (r *run) sharedMemoryLeft() []string {
	left := segmentsOf(r.postmasters)
	for file := range r.memory {
		if exists(file) {
			left = append(left, file)
		}
	}
	return left
}

// every calls do for each of the items, several at a time.
func every[T any](items []T, do func(T)) {
	const atATime = 4
	var group sync.WaitGroup
	next := make(chan T)
	for range atATime {
		group.Go(func() {
			for item := range next {
				do(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	group.Wait()
}

// comment returns a text for the journal, cut to a readable length.
func comment(text string) string {
	const longest = 200
	if len(text) > longest {
		return fmt.Sprintf("%s… (%d bytes)", text[:longest], len(text))
	}
	return text
}
