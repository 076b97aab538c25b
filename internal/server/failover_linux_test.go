package server_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestFailover kills a primary with a synchronous standby while clients submit documents
// to two servers, and promotes the standby.
func TestFailover(t *testing.T) {
	t.Parallel()
	f := newFailover(t)
	f.submit(t)
	f.primary.Stop()
	for _, client := range f.clients {
		for range 10 { // the first ones use up the connections that the primary has closed
			f.accept(t, client.Status(f.acknowledged()[0]))
		}
		got := client.Status(f.acknowledged()[0]).Want(t, http.StatusServiceUnavailable)
		if got.Header.Get("Retry-After") == "" || got.Header.Get("X-Understudy-Hint") == "" {
			t.Errorf("header without a primary: %v", got.Header)
		}
		client.Server.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusServiceUnavailable)
	}
	f.promote(t)
	f.check(t)
}

// TestFailoverOfAFrozenPrimary freezes a primary, which no longer responds on its
// connections but does not close them either, and promotes the standby.
func TestFailoverOfAFrozenPrimary(t *testing.T) {
	t.Parallel()
	f := newFailover(t)
	f.submit(t)
	f.primary.Signal(syscall.SIGSTOP)
	f.promote(t)
	f.check(t)
}

// failover is a primary and its standby, two servers that use them, and clients that
// submit documents until check is called.
type failover struct {
	primary, standby *storagetest.Cluster
	clients          []servertest.Client // of each server
	receiver         *servertest.Receiver

	stop        atomic.Bool
	submitting  sync.WaitGroup
	mu          sync.Mutex
	triggered   []string // submissions whose trigger was acknowledged
	unavailable int      // responses
}

func newFailover(t *testing.T) *failover {
	f := &failover{primary: storagetest.NewCluster(t), receiver: servertest.NewReceiver(t)}
	f.standby = f.primary.NewStandby()
	url := "postgres://app@" + f.primary.Address + "," + f.standby.Address + "/app?sslmode=disable&target_session_attrs=read-write"
	objects := "file://" + t.TempDir()
	for range 2 {
		p := servertest.Start(t, "--database-url", url, "--objects-url", objects, "--data-dir", t.TempDir())
		f.clients = append(f.clients, p.Server().Acme())
	}
	f.clients[0].Subscribe(f.receiver.URL)
	return f
}

func (f *failover) acknowledged() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.triggered
}

// accept reports whether the call has succeeded. The only error that it accepts is that
// the server is unavailable for a moment.
func (f *failover) accept(t *testing.T, response servertest.Response) bool {
	if response.Status == http.StatusOK {
		return true
	}
	if response.Status != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("response %d %v %s", response.Status, response.Header, response.Body)
	}
	f.mu.Lock()
	f.unavailable++
	f.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	return false
}

// submit starts the clients and waits until some submissions are acknowledged.
func (f *failover) submit(t *testing.T) {
	t.Helper()
	for i := range 4 {
		f.submitting.Go(func() {
			for !f.stop.Load() {
				f.submitOne(t, f.clients[i%2], f.clients[(i+1)%2])
			}
		})
	}
	f.awaitSubmissions(t, 20)
}

func (f *failover) submitOne(t *testing.T, one, two servertest.Client) {
	announced := one.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"letter.txt"}`)
	if !f.accept(t, announced) {
		return
	}
	txID, upload := announced.Text(t, "tx_id"), announced.Text(t, "upload_url")
	upload = two.URL + upload[strings.Index(upload, "/file-transfer"):]
	if f.accept(t, two.Upload(upload, "letter.txt", servertest.Letter)) && f.accept(t, one.Trigger(txID)) {
		f.mu.Lock()
		f.triggered = append(f.triggered, txID)
		f.mu.Unlock()
	}
}

// awaitSubmissions waits until that many more submissions are acknowledged.
func (f *failover) awaitSubmissions(t *testing.T, more int) {
	t.Helper()
	before := len(f.acknowledged())
	servertest.Until(t, "submissions are acknowledged", func() bool { return len(f.acknowledged()) >= before+more })
}

// promote promotes the standby and waits until a call succeeds at each server.
func (f *failover) promote(t *testing.T) {
	t.Helper()
	f.standby.Promote()
	promoted := time.Now()
	var waiting sync.WaitGroup
	for i, client := range f.clients {
		waiting.Go(func() {
			for !f.accept(t, client.Status(f.acknowledged()[0])) {
				if time.Since(promoted) > 2*time.Minute {
					t.Errorf("server %d: no call succeeds", i+1)
					return
				}
			}
			t.Logf("server %d: the first call succeeded %v after the promotion", i+1, time.Since(promoted).Round(time.Millisecond))
		})
	}
	waiting.Wait()
}

// check checks that each acknowledged submission ends once and that its events are
// delivered.
func (f *failover) check(t *testing.T) {
	t.Helper()
	f.awaitSubmissions(t, 20)
	f.stop.Store(true)
	f.submitting.Wait()
	t.Logf("%d submissions, %d responses with 503", len(f.triggered), f.unavailable)
	rows := rowsOf(t, "postgres://app@"+f.standby.Address+"/app?sslmode=disable")
	for i, txID := range f.triggered {
		f.clients[i%2].AwaitStatus(txID, "Completed")
		if got := rows.Timeline(txID); got != "Submission_in_progress Scheduled Started Completed" {
			t.Errorf("%s: timeline %s", txID, got)
		}
		if got := servertest.Value[int](rows, "select count(*) from reports where tx_id = $1", txID); got != 1 {
			t.Errorf("%s: %d reports, want 1", txID, got)
		}
	}
	// All deliveries succeed: the receiver accepts every one.
	servertest.Until(t, "all events are delivered", func() bool { return rows.CountDeliveries("pending") == 0 })
	events := servertest.Value[[]string](rows, "select array_agg(id::text) from events")
	times := f.receiver.Times()
	for _, id := range events {
		if times[id] == 0 {
			t.Errorf("event %s was not delivered", id)
		}
	}
	if len(events) < 4*len(f.triggered) {
		t.Errorf("%d events of %d submissions, want 4 of each", len(events), len(f.triggered))
	}
}

// TestCommitsWaitForTheStandby checks that a commit which the synchronous standby does not
// have is not acknowledged, even if an administrator cancels the wait for the standby.
func TestCommitsWaitForTheStandby(t *testing.T) {
	t.Parallel()
	primary := storagetest.NewCluster(t)
	pool, err := storage.Open(t.Context(), "postgres://app@"+primary.Address+"/app?sslmode=disable", "public")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	primary.Exec("alter system set synchronous_standby_names = 'none'")
	primary.Exec("select pg_reload_conf()")
	committed := make(chan error)
	go func() {
		// Commits do not wait until the checkpointer has read the new configuration.
		var err error
		for err == nil {
			_, err = pool.Exec(t.Context(), "comment on schema public is 'changed'")
		}
		committed <- err
	}()
	const waiting = "from pg_stat_activity where wait_event = 'SyncRep'"
	servertest.Until(t, "the commit waits for the standby", func() bool { return primary.Query("select count(*)::text "+waiting) == "1" })
	primary.Query("select pg_cancel_backend(pid)::text " + waiting)
	if err := <-committed; !storage.Unavailable(err) {
		t.Errorf("commit without the standby: %v, want that the database is unavailable", err)
	}
}

// TestReadOnlyConnectionsAreClosed checks that a connection to a database that no longer
// accepts changes does not return to the pool.
func TestReadOnlyConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	pool, err := storage.Open(t.Context(), storagetest.URL(t), storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "set default_transaction_read_only = on"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "delete from call_batches"); !storage.Unavailable(err) {
		t.Errorf("change: %v, want that the database is unavailable", err)
	}
	if !conn.Conn().IsClosed() {
		t.Error("the connection is still open")
	}
	conn.Release()
	if _, err := pool.Exec(t.Context(), "delete from call_batches"); err != nil {
		t.Error(err)
	}
}
