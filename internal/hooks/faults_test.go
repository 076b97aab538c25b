package hooks_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// build builds the server.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/server").CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	return path
}

// process is a server of its own on a test's database.
type process struct {
	*exec.Cmd
	attempts atomic.Int64 // that it has logged
	exited   chan struct{}
}

// startServer starts a server and returns once it is ready.
func startServer(t *testing.T, binary, url string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(binary), exited: make(chan struct{})}
	p.Env = append(os.Environ(),
		"DATABASE_URL="+url, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=", "DATA_DIR="+t.TempDir(),
		"MASTER_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)))
	logged, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(p.exited)
		lines := bufio.NewScanner(logged)
		for lines.Scan() {
			switch {
			case strings.Contains(lines.Text(), "msg=ready"):
				once.Do(func() { close(ready) })
			case strings.Contains(lines.Text(), `msg="delivery attempt"`):
				p.attempts.Add(1)
			}
		}
		p.Wait() // killed
	}()
	t.Cleanup(p.kill)
	select {
	case <-ready:
	case <-p.exited:
		t.Fatal("the server exited")
	}
	return p
}

// kill is kill -9.
func (p *process) kill() {
	p.Process.Signal(syscall.SIGKILL) // it may be gone
	<-p.exited
}

// counted is a receiver that counts how often it was sent each event.
type counted struct {
	*receiver
}

func (c counted) byEvent() map[string]int {
	times := map[string]int{}
	for _, g := range c.all() {
		times[g.Header.Get("X-Request-Id")]++
	}
	return times
}

// publishMany publishes n events in transactions of a hundred.
func (w *world) publishMany(n int) {
	names := make([]string, 100)
	for i := range names {
		names[i] = "a:many"
	}
	for range n / 100 {
		w.publish(names...)
	}
}

func TestKillInTheMiddleOfDeliveries(t *testing.T) {
	t.Parallel()
	binary, url := build(t), storagetest.URL(t)
	w := worldOn(t, openDB(t, url))
	to := counted{newReceiver(t, func(http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) })}
	w.subscribe(to.URL, `"secret":"s"`)
	first := startServer(t, binary, url)
	const events = 3000
	w.publishMany(events)
	to.wait(t, 300)
	first.kill()
	died := time.Now()
	begun, err := w.db.Query(t.Context(), "select event_id from deliveries where state = 'pending' and lease_until is not null")
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := pgx.CollectRows(begun, pgx.RowTo[uuid.UUID])
	if err != nil {
		t.Fatal(err)
	}
	inFlight := map[string]bool{}
	for _, id := range claimed {
		inFlight[id.String()] = true
	}
	if len(claimed) == 0 || w.states()["delivered"] == events {
		t.Fatal("it was not killed in the middle")
	}

	startServer(t, binary, url)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == events })
	t.Logf("all delivered %s after the kill", time.Since(died).Round(time.Millisecond))
	times, twice := to.byEvent(), 0
	if len(times) != events {
		t.Errorf("%d events have arrived, want %d", len(times), events)
	}
	for id, n := range times {
		if n > 1 {
			twice++
			if !inFlight[id] || n > 2 {
				t.Errorf("%s, in flight %v, came %d times", id, inFlight[id], n)
			}
		}
	}
	t.Logf("%d of %d events came twice; %d were claimed", twice, events, len(claimed))
	if twice > 64 { // eight slots, and what was answered but not yet recorded
		t.Errorf("%d events came twice", twice)
	}
	for _, g := range to.all() {
		if !verify("s", g) {
			t.Fatal("a bad signature")
		}
	}
}

func TestTwoServersOnOneDatabase(t *testing.T) {
	t.Parallel()
	binary, url := build(t), storagetest.URL(t)
	w := worldOn(t, openDB(t, url))
	to := counted{newReceiver(t, func(http.ResponseWriter, *http.Request) { time.Sleep(2 * time.Millisecond) })}
	w.subscribe(to.URL)
	w.subscribe(to.URL+"/second", `"events":["none"]`)
	one, two := startServer(t, binary, url), startServer(t, binary, url)
	const events = 4000
	w.publishMany(events)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == events })
	times := to.byEvent()
	for id, n := range times {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
	if len(times) != events {
		t.Errorf("%d events have arrived, want %d", len(times), events)
	}
	eventually(t, "both have worked", func() bool { return one.attempts.Load()+two.attempts.Load() == events })
	if one.attempts.Load() == 0 || two.attempts.Load() == 0 {
		t.Errorf("one server made %d attempts, the other %d", one.attempts.Load(), two.attempts.Load())
	}
}

// TestServersWakeEachOther has two dispatchers that look for nothing by
// themselves. To the one that is told nothing is due, since its clock is
// behind: so what is delivered is so because the other was woken.
func TestServersWakeEachOther(t *testing.T) {
	w := newWorld(t)
	other := worldOn(t, w.db)
	to := newReceiver(t)
	w.subscribe(to.URL)
	for _, each := range []*world{w, other} {
		each.dispatcher.WhenWoken()
		each.deliver()
	}
	sent := 0
	for range 3 { // the first could be found when the other begins to listen
		for _, pair := range [][2]*world{{w, other}, {other, w}} {
			told, woken := pair[0], pair[1]
			told.ahead.Store(-int64(time.Hour))
			woken.ahead.Store(0)
			if err := pgx.BeginFunc(t.Context(), w.db, func(tx pgx.Tx) error {
				return hooks.Publish(t.Context(), tx, woken.now(), hooks.Event{
					TenantID: w.tenants["acme"], TenantName: "acme", Name: "a:b", At: woken.now(),
				})
			}); err != nil {
				t.Fatal(err)
			}
			told.dispatcher.Wake()
			sent++
			to.wait(t, sent)
			eventually(t, "it is recorded", func() bool { return w.states()["delivered"] == sent })
		}
	}
}

func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	postgres, err := storage.StartPostgres(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { postgres.Stop() }) // the test is over
	db := openDB(t, postgres.URL())
	if err := storage.Migrate(t.Context(), db, storagetest.Environment); err != nil {
		t.Fatal(err)
	}
	w := worldOn(t, db)
	w.deliver()
	to := counted{newReceiver(t, func(http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) })}
	w.subscribe(to.URL)
	const events = 2000
	w.publishMany(events)
	to.wait(t, 300)
	file, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Fields(string(file))[0])
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
	eventually(t, "all is delivered", func() bool {
		var n int
		err := db.QueryRow(t.Context(), "select count(*) from deliveries where state = 'delivered'").Scan(&n)
		return err == nil && n == events
	})
	if n := len(to.byEvent()); n != events {
		t.Errorf("%d events have arrived, want %d", n, events)
	}
	t.Logf("%d deliveries of %d events", len(to.all()), events)
	w.publish("a:afterwards")
	to.wait(t, len(to.all())+1)
}

// TestPanicIsTold: the feed names an attempt whose sending panicked as it does
// any other.
func TestPanicIsTold(t *testing.T) {
	w := newWorld(t)
	w.subscribe("http://127.0.0.1:1/")
	w.sender.Panic()
	w.publish("a:b")
	w.deliver()
	eventually(t, "the attempt is told of", func() bool { return w.count("happened where kind = 'delivery'") == 1 })
	if n := w.count("happened where (attempt).url = 'http://127.0.0.1:1/' and (attempt).delivery_id <> '" + uuid.Nil.String() + "'"); n != 1 {
		t.Error("the attempt has no id or no address")
	}
}
