package servertest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
)

// TenantID returns the id of a tenant.
func (s *Server) TenantID(tenant string) uuid.UUID {
	s.T.Helper()
	return Value[uuid.UUID](s, "select id from tenants where name = $1", tenant)
}

// Subscribe creates an active subscription and returns its id. It is subscribed to
// all events, unless the fields, such as `"secret":"s"`, name others.
func (c Client) Subscribe(url string, fields ...string) (hookID string) {
	c.T.Helper()
	all := append([]string{`"url":"` + url + `"`, `"active":true`}, fields...)
	if !strings.Contains(strings.Join(fields, ""), `"events"`) {
		all = append(all, `"events":["*"]`)
	}
	return c.Do("POST /hooks", "{"+strings.Join(all, ",")+"}").Want(c.T, http.StatusCreated).Text(c.T, "id")
}

// HookRequests returns the requests of the subscription, newest first.
func (c Client) HookRequests(hookID string) (requests []map[string]any) {
	c.T.Helper()
	list := c.Do("GET /hooks/"+hookID+"/requests", "").Want(c.T, http.StatusOK)
	if err := json.Unmarshal([]byte(list.Body), &requests); err != nil {
		c.T.Fatal(err)
	}
	return requests
}

// CountDeliveries returns how many deliveries there are in a state.
func (s *Server) CountDeliveries(state string) int {
	s.T.Helper()
	return Value[int](s, "select count(*) from deliveries where state = $1", state)
}

// Publish publishes events of the tenant in one transaction and wakes the
// dispatcher.
func (s *Server) Publish(tenant string, names ...string) {
	s.T.Helper()
	id := s.TenantID(tenant)
	events := make([]hooks.Event, len(names))
	for i, name := range names {
		events[i] = hooks.Event{
			Tenant: auth.Tenant{ID: id, Name: tenant}, Name: name, At: s.Now(),
			Data: map[string]any{"n": i, "text": "naïve <b>&"},
		}
	}
	if err := pgx.BeginFunc(context.Background(), s.DB, func(tx pgx.Tx) error {
		return hooks.Publish(context.Background(), tx, s.Now(), events...)
	}); err != nil {
		s.T.Fatal(err)
	}
	s.App.Dispatcher.Wake()
}

// RunDispatcher runs the server's dispatcher until the test ends. A server with
// the option Background runs it already.
func (s *Server) RunDispatcher() {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.App.Dispatcher.Run(ctx); err != nil {
			s.T.Error(err)
		}
	})
	s.T.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// RecordAttempt records in the tenant's feed that a delivery attempt had a response
// of the status, 0 for none, and returns its X-Delivery-Id.
func (s *Server) RecordAttempt(tenant string, status int) (deliveryID string) {
	s.T.Helper()
	deliveryID = uuid.NewString()
	s.Exec(`
		insert into attempt_batches (tenant_id, attempt_count, attempts)
		values ($1, 1, array[row($2::timestamptz, $3::uuid, $3, $3, 'hook:test', 'http://127.0.0.1', 1, $4::int, '', 1, null)::recorded_attempt])`,
		s.TenantID(tenant), s.Now(), deliveryID, status)
	return deliveryID
}

// Received is a request that a Receiver received.
type Received struct {
	Header http.Header
	Body   string
	At     time.Time // real time
}

// Verify reports whether the request is signed with the secret, by the recipe of
// the README for receivers.
func (r Received) Verify(secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(r.Body))
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(r.Header.Get("X-Signature")), []byte(want))
}

// Receiver is a tenant's own server, which receives deliveries.
type Receiver struct {
	*httptest.Server
	mu       sync.Mutex
	received []Received
}

// NewReceiver returns a receiver that responds with the handler, or with 200 if
// there is none. It closes when the test ends.
func NewReceiver(t testing.TB, handler ...http.HandlerFunc) *Receiver {
	r := NewUnstartedReceiver(t, handler...)
	r.Start()
	return r
}

// NewUnstartedReceiver is NewReceiver for a test that starts the server.
func NewUnstartedReceiver(t testing.TB, handler ...http.HandlerFunc) *Receiver {
	r := &Receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.received = append(r.received, Received{request.Header.Clone(), string(body), time.Now()})
		r.mu.Unlock()
		if len(handler) > 0 {
			handler[0](w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// Received returns the requests so far, in the order of their arrival.
func (r *Receiver) Received() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Received(nil), r.received...)
}

// Await waits until there are n requests, and returns all of them.
func (r *Receiver) Await(t testing.TB, n int) []Received {
	t.Helper()
	Until(t, "the receiver is called", func() bool { return len(r.Received()) >= n })
	return r.Received()
}

// Times returns how often the receiver was sent each event, by the event's id.
func (r *Receiver) Times() map[string]int {
	times := map[string]int{}
	for _, request := range r.Received() {
		times[request.Header.Get("X-Request-Id")]++
	}
	return times
}
