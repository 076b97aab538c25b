package delivery_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/postgres"
	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// masterKey is the one of the servers of servertest.
var masterKey = bytes.Repeat([]byte("k"), 32)

// startProcess starts a server process on the database of s.
func startProcess(t *testing.T, s *servertest.Server) *servertest.Process {
	t.Helper()
	return servertest.Start(t,
		"DATABASE_URL="+s.DB.Config().ConnString(), "DATA_DIR="+t.TempDir(), "OBJECTS_URL=file://"+filepath.Join(s.Files, "objects"),
		"MASTER_KEY="+base64.StdEncoding.EncodeToString(masterKey))
}

// attemptsOf returns how many delivery attempts the process has logged.
func attemptsOf(p *servertest.Process) int {
	return strings.Count(p.Output.String(), `msg="delivery attempt"`)
}

// slowReceiver returns a receiver that takes a while for each delivery, so that
// many wait.
func slowReceiver(t *testing.T, d time.Duration) *servertest.Receiver {
	return servertest.NewReceiver(t, func(http.ResponseWriter, *http.Request) { time.Sleep(d) })
}

// awaitRecovery waits until n deliveries have succeeded, after a crash: leases must
// expire first, and statements may fail meanwhile.
func awaitRecovery(s *servertest.Server, n int) {
	s.T.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for delivered := 0; delivered < n; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.T.Fatalf("timeout: %d deliveries have succeeded, want %d", delivered, n)
		}
		s.DB.QueryRow(context.Background(), "select count(*) from deliveries where state = 'delivered'").Scan(&delivered)
	}
}

// TestServerIsKilled kills a server while it delivers: another one delivers the
// rest, no event is lost, and there are at most as many duplicates as the killed
// server had claimed deliveries.
func TestServerIsKilled(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: every event is delivered at least once")
	s := servertest.New(t, servertest.RealClock)
	receiver := slowReceiver(t, 5*time.Millisecond)
	s.Acme().Subscribe(receiver.URL, `"secret":"s"`)
	first := startProcess(t, s)
	const events = 3000
	publishMany(s, events)
	receiver.Await(t, 300)
	first.Kill()
	claimed := count(s, "deliveries where state = 'pending' and lease_until is not null")
	if claimed == 0 || s.CountDeliveries("delivered") == events {
		t.Fatal("the server was not killed while it delivered")
	}

	startProcess(t, s)
	awaitRecovery(s, events)
	if n := len(receiver.Times()); n != events {
		t.Errorf("%d events were delivered, want %d", n, events)
	}
	if duplicates := len(receiver.Received()) - events; duplicates > claimed {
		t.Errorf("%d duplicates, want at most %d, as many as were claimed when the server was killed", duplicates, claimed)
	}
	for _, sent := range receiver.Received() {
		if !sent.Verify("s") {
			t.Fatalf("signature %q does not verify", sent.Header.Get("X-Signature"))
		}
	}
}

// TestTwoServersShareDeliveries checks that two servers on one database share the
// deliveries, each of which is made once.
func TestTwoServersShareDeliveries(t *testing.T) {
	s := servertest.New(t, servertest.RealClock)
	receiver := slowReceiver(t, 2*time.Millisecond)
	s.Acme().Subscribe(receiver.URL)
	one, two := startProcess(t, s), startProcess(t, s)
	const events = 4000
	publishMany(s, events)
	awaitDelivered(s, events)
	times := receiver.Times()
	if len(times) != events {
		t.Errorf("%d events were delivered, want %d", len(times), events)
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("event %s was delivered %d times", id, n)
		}
	}
	servertest.Until(t, "every attempt is logged", func() bool { return attemptsOf(one)+attemptsOf(two) == events })
	if attemptsOf(one) == 0 || attemptsOf(two) == 0 {
		t.Errorf("one server made %d attempts, the other %d, want a share for each", attemptsOf(one), attemptsOf(two))
	}
}

// TestPostgresIsKilled kills Postgres, which is restarted, while the server
// delivers: no event is lost.
func TestPostgresIsKilled(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: every event is delivered at least once")
	dir := servertest.DataDir(t)
	private, err := postgres.Start(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { private.Stop() })
	s := servertest.New(t, servertest.RealClock, onDatabase(t, private.URL()))
	s.DB = storagetest.Open(t, private.URL())
	s.RunDispatcher()
	receiver := slowReceiver(t, 5*time.Millisecond)
	s.Acme().Subscribe(receiver.URL)
	const events = 2000
	publishMany(s, events)
	receiver.Await(t, 300)
	pidFile, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Fields(string(pidFile))[0])
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitRecovery(s, events)
	if n := len(receiver.Times()); n != events {
		t.Errorf("%d events were delivered, want %d", n, events)
	}
	s.Publish("acme", "a:afterwards")
	awaitDelivered(s, events+1)
}

// onDatabase is an option: the server uses another database than the test's own.
func onDatabase(t *testing.T, url string) func(*servertest.Options) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	db, err := storage.Open(ctx, url, storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := storage.Migrate(ctx, db, storagetest.Environment); err != nil {
		t.Fatal(err)
	}
	keys, err := auth.LoadKeys(ctx, db, storagetest.Environment, masterKey, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.SeedDemos(ctx, db, keys, now); err != nil {
		t.Fatal(err)
	}
	return func(o *servertest.Options) {
		o.DB, o.Keys = servertest.Pools(t, url, storagetest.Environment, servertest.Limits), keys
	}
}
