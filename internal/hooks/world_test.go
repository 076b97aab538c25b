package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

func TestMain(m *testing.M) {
	if os.Getenv("TEST_LOG") == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	storagetest.Main(m)
}

// world is the webhook endpoints and a dispatcher on a real database.
type world struct {
	t       *testing.T
	db      *pgxpool.Pool
	keys    *auth.Keys
	seal    *hooks.Seal
	gate    *auth.Gate
	routes  http.Handler
	tenants map[string]uuid.UUID
	tokens  sync.Map

	network    hooks.Network
	signature  hooks.Signature
	sender     *hooks.Sender
	dispatcher *hooks.Dispatcher
	ahead      atomic.Int64 // how far the world's clock is ahead of the real one
}

func newWorld(t *testing.T, change ...func(*world)) *world {
	t.Parallel()
	return worldOn(t, storagetest.DB(t), change...)
}

func worldOn(t *testing.T, db *pgxpool.Pool, change ...func(*world)) *world {
	t.Helper()
	w := &world{t: t, db: db, network: hooks.Network{Inside: true}}
	var err error
	if w.keys, err = auth.LoadKeys(t.Context(), db, storagetest.Environment, bytes.Repeat([]byte("k"), 32), time.Now()); err != nil {
		t.Fatal(err)
	}
	if w.tenants, err = auth.SeedDemos(t.Context(), db, w.keys, time.Now()); err != nil {
		t.Fatal(err)
	}
	w.seal = hooks.NewSeal(w.keys.Sealing)
	w.gate = auth.NewGate(db, w.keys, w.now)
	for _, c := range change {
		c(w)
	}
	w.sender = hooks.NewSender(w.network, w.signature)
	w.dispatcher = hooks.NewDispatcher(db, storagetest.Environment, w.seal, w.sender, w.now)
	mux := http.NewServeMux()
	handle := func(pattern string, h api.Handler) {
		mux.Handle(pattern, api.Serve(api.HookErrors, storage.Unavailable, h))
	}
	mux.Handle("/auth/token", api.Serve(api.OAuthErrors, storage.Unavailable, auth.Token(w.gate)))
	handle("GET /hooks", hooks.List(db, w.gate, w.seal))
	handle("POST /hooks", hooks.Create(db, w.gate, w.seal))
	handle("GET /hooks/{hook_id}", hooks.Get(db, w.gate, w.seal))
	handle("PUT /hooks/{hook_id}", hooks.Update(db, w.gate, w.seal))
	handle("PATCH /hooks/{hook_id}", hooks.Update(db, w.gate, w.seal))
	handle("DELETE /hooks/{hook_id}", hooks.Delete(db, w.gate))
	handle("GET /hooks/{hook_id}/requests", hooks.Requests(db, w.gate))
	handle("POST /hooks/{hook_id}/requests/{request_id}/redeliver", hooks.Redeliver(db, w.gate, w.dispatcher.Wake))
	w.routes = mux
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// pass moves the world's clock once nothing is under way: a lease would end.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	eventually(w.t, "nothing is under way", func() bool {
		var held int
		err := w.db.QueryRow(w.t.Context(), "select count(*) from deliveries where lease_until is not null").Scan(&held)
		return err == nil && held == 0
	})
	w.ahead.Add(int64(d))
	w.dispatcher.Wake()
}

// deliver runs the dispatcher until the test ends.
func (w *world) deliver() {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.dispatcher.Run(ctx) }) // nothing is delivered then
	w.t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// call makes a request of the client, `acme-client` unless told otherwise.
func (w *world) call(line, body string, client ...string) (int, string) {
	w.t.Helper()
	name := "acme-client"
	if len(client) > 0 {
		name = client[0]
	}
	method, path, _ := strings.Cut(line, " ")
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+w.token(name))
	answer := httptest.NewRecorder()
	w.routes.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

func (w *world) token(client string) string {
	w.t.Helper()
	if known, ok := w.tokens.Load(client); ok {
		return known.(string)
	}
	request := httptest.NewRequest("POST", "/auth/token?grant_type=client_credentials", nil)
	request.SetBasicAuth(client, strings.TrimSuffix(client, "client")+"secret")
	answer := httptest.NewRecorder()
	w.routes.ServeHTTP(answer, request)
	var body struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || body.AccessToken == "" {
		w.t.Fatalf("no token: %s", answer.Body)
	}
	w.tokens.Store(client, body.AccessToken)
	return body.AccessToken
}

// want makes the call and fails the test unless the answer has this status.
func (w *world) want(status int, line, body string, client ...string) map[string]any {
	w.t.Helper()
	got, answer := w.call(line, body, client...)
	if got != status {
		w.t.Fatalf("%s %s answered %d %s, want %d", line, body, got, answer, status)
	}
	var object map[string]any
	json.Unmarshal([]byte(answer), &object) // an array or nothing
	return object
}

// subscribe makes an active subscription and returns its id.
func (w *world) subscribe(url string, more ...string) string {
	w.t.Helper()
	var fields strings.Builder
	fields.WriteString(`"url":"` + url + `","active":true`)
	if !strings.Contains(strings.Join(more, ""), `"events"`) {
		fields.WriteString(`,"events":["*"]`)
	}
	for _, m := range more {
		fields.WriteString("," + m)
	}
	return w.want(201, "POST /hooks", "{"+fields.String()+"}")["id"].(string)
}

// publish publishes the named events of tenant acme in one transaction.
func (w *world) publish(names ...string) {
	w.t.Helper()
	events := make([]hooks.Event, len(names))
	for i, name := range names {
		events[i] = hooks.Event{
			TenantID: w.tenants["acme"], TenantName: "acme", Name: name, At: w.now(),
			Data: map[string]any{"n": i, "text": "naïve <b>&"},
		}
	}
	if err := pgx.BeginFunc(w.t.Context(), w.db, func(tx pgx.Tx) error {
		return hooks.Publish(w.t.Context(), tx, w.now(), events...)
	}); err != nil {
		w.t.Fatal(err)
	}
	w.dispatcher.Wake()
}

// requests are the subscription's, as the endpoint shows them.
func (w *world) requests(hookID string) []map[string]any {
	w.t.Helper()
	status, body := w.call("GET /hooks/"+hookID+"/requests", "")
	var list []map[string]any
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != 200 {
		w.t.Fatalf("requests answered %d %s", status, body)
	}
	return list
}

// states counts the deliveries in each state.
func (w *world) states() map[string]int {
	w.t.Helper()
	rows, err := w.db.Query(w.t.Context(), "select state, count(*) from deliveries group by state")
	if err != nil {
		w.t.Fatal(err)
	}
	counts := map[string]int{}
	var state string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { counts[state] = n; return nil }); err != nil {
		w.t.Fatal(err)
	}
	return counts
}

// eventually waits until it is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// got is a request that a receiver was sent.
type got struct {
	Header http.Header
	Body   string
	At     time.Time
}

// receiver is a tenant's own server.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []got
}

// openDB connects to a database.
func openDB(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	db, err := storage.Open(t.Context(), url, storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// newReceiver answers with the handler, 200 when there is none.
func newReceiver(t *testing.T, answer ...http.HandlerFunc) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.got = append(r.got, got{request.Header.Clone(), string(body), time.Now()})
		r.mu.Unlock()
		if len(answer) > 0 {
			answer[0](w, request)
		}
	}))
	t.Cleanup(r.Server.Close)
	return r
}

func (r *receiver) all() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got(nil), r.got...)
}

// wait returns the requests once there are n.
func (r *receiver) wait(t *testing.T, n int) []got {
	t.Helper()
	eventually(t, "a receiver is called", func() bool { return len(r.all()) >= n })
	return r.all()
}
