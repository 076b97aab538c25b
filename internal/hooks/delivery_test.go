package hooks_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
)

// verify is the recipe of README for receivers.
func verify(secret string, g got) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(g.Body))
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(g.Header.Get("X-Signature")), []byte(want))
}

func TestDelivery(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	to := newReceiver(t)
	hookID := w.subscribe(to.URL+"/in?a=b", `"secret":"s3cret"`, `"header":"x-my-KEY: let me in"`)
	w.publish("quote_request:created")

	sent := to.wait(t, 1)[0]
	if !verify("s3cret", sent) {
		t.Errorf("signature %q does not verify", sent.Header.Get("X-Signature"))
	}
	var body struct {
		ID        string         `json:"id"`
		Event     string         `json:"event"`
		CreatedAt string         `json:"created_at"`
		TenantID  string         `json:"tenant_id"`
		Data      map[string]any `json:"data"`
	}
	if err := json.Unmarshal([]byte(sent.Body), &body); err != nil {
		t.Fatal(err)
	}
	if body.Event != "quote_request:created" || body.TenantID != "acme" || body.Data["text"] != "naïve <b>&" ||
		!strings.HasSuffix(body.CreatedAt, "+00:00") {
		t.Errorf("body is %s", sent.Body)
	}
	eventually(t, "the answer is recorded", func() bool { return w.requests(hookID)[0]["response_status"] == 200.0 })
	request := w.requests(hookID)[0]
	for name, want := range map[string]string{
		"Content-Type":    "application/json",
		"X-Emperor-Event": "quote_request:created",
		"X-Request-Id":    body.ID,
		"X-Delivery-Id":   request["delivery_id"].(string),
		"X-My-Key":        "let me in",
		"User-Agent":      "Understudy-Webhook/1",
	} {
		if got := sent.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if sent.Header.Get("Accept-Encoding") != "" {
		t.Error("it asks for a packed answer")
	}
	if request["event"] != "quote_request:created" || request["redelivery"] != false || request["hook_id"] != hookID ||
		request["tenant_id"] != w.tenants["acme"].String() || request["response_duration_ms"] == nil {
		t.Errorf("request is %v", request)
	}
}

func TestSignatureForms(t *testing.T) {
	t.Parallel()
	sum := func(g got) string {
		mac := hmac.New(sha1.New, []byte("s"))
		mac.Write([]byte(g.Body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	for name, c := range map[string]struct {
		signature hooks.Signature
		prefix    string
	}{
		"sha1":           {hooks.Signature{SHA1: true}, "sha1="},
		"without prefix": {hooks.Signature{SHA1: true, NoPrefix: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) { w.signature = c.signature })
			w.deliver()
			to, open := newReceiver(t), newReceiver(t)
			w.subscribe(to.URL, `"secret":"s"`)
			w.subscribe(open.URL)
			w.publish("carrier:changed")
			if sent := to.wait(t, 1)[0]; sent.Header.Get("X-Signature") != c.prefix+sum(sent) {
				t.Errorf("signature is %q", sent.Header.Get("X-Signature"))
			}
			if sent := open.wait(t, 1)[0]; sent.Header.Get("X-Signature") != "" {
				t.Error("a delivery without a secret is signed")
			}
		})
	}
}

func TestMatching(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	to := map[string]*receiver{}
	for _, entry := range []string{"*", "a", "a:one", "b"} {
		to[entry] = newReceiver(t)
		w.subscribe(to[entry].URL, fmt.Sprintf(`"events":[%q,"never:this"]`, entry))
	}
	both := newReceiver(t)
	w.subscribe(both.URL, `"events":["*","a","a:one"]`)
	off := newReceiver(t)
	w.want(201, "POST /hooks", `{"url":"`+off.URL+`","events":["*"]}`)
	foreign := newReceiver(t)
	w.want(201, "POST /hooks", `{"url":"`+foreign.URL+`","events":["*"],"active":true}`, "globex-client")

	w.publish("a:one", "a:two", "b:one", "ab:one")
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == 4+2+1+1+4 })
	for entry, n := range map[string]int{"*": 4, "a": 2, "a:one": 1, "b": 1} {
		if got := len(to[entry].all()); got != n {
			t.Errorf("subscription to %s got %d deliveries, want %d", entry, got, n)
		}
	}
	if len(both.all()) != 4 || len(off.all()) != 0 || len(foreign.all()) != 0 {
		t.Errorf("got %d, %d, %d deliveries, want 4, 0, 0", len(both.all()), len(off.all()), len(foreign.all()))
	}
}

// TestEventsOfTwoTenants: published together under one name, each goes to its
// own tenant alone.
func TestEventsOfTwoTenants(t *testing.T) {
	w := newWorld(t)
	own, foreign := newReceiver(t), newReceiver(t)
	w.subscribe(own.URL)
	w.want(201, "POST /hooks", `{"url":"`+foreign.URL+`","events":["*"],"active":true}`, "globex-client")
	if err := pgx.BeginFunc(t.Context(), w.db, func(tx pgx.Tx) error {
		return hooks.Publish(t.Context(), tx, w.now(),
			hooks.Event{TenantID: w.tenants["globex"], TenantName: "globex", Name: "a:b", At: w.now()},
			hooks.Event{TenantID: w.tenants["acme"], TenantName: "acme", Name: "a:b", At: w.now()})
	}); err != nil {
		t.Fatal(err)
	}
	w.deliver()
	eventually(t, "all is delivered", func() bool { return w.states()["pending"] == 0 })
	for name, to := range map[string]*receiver{"acme": own, "globex": foreign} {
		if all := to.all(); len(all) != 1 || !strings.Contains(string(all[0].Body), `"tenant_id":"`+name+`"`) {
			t.Errorf("%s got %v", name, all)
		}
	}
}

func TestAnEventThatWasRolledBackNeverHappened(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	to := newReceiver(t)
	w.subscribe(to.URL)
	tx, err := w.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := hooks.Publish(t.Context(), tx, w.now(), hooks.Event{TenantID: w.tenants["acme"], TenantName: "acme", Name: "a:undone", At: w.now()}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.publish("a:done")
	if all := to.wait(t, 1); len(all) != 1 || all[0].Header.Get("X-Emperor-Event") != "a:done" {
		t.Errorf("got %v", all)
	}
}

// TestRetriesUntilDead moves the clock from retry to retry.
func TestRetriesUntilDead(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	var good atomic.Bool
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !good.Load() {
			http.Error(w, strings.Repeat("no", 20_000), http.StatusTeapot)
		}
	})
	hookID := w.subscribe(to.URL, `"secret":"s"`)
	w.publish("a:b")
	for n := range 26 {
		all := to.wait(t, n+1)
		var wait time.Duration
		if n < 25 {
			eventually(t, "the attempt is recorded", func() bool {
				var done bool
				err := w.db.QueryRow(t.Context(), `
					select attempt = $1 and lease_until is null, due_at - updated_at
					from deliveries`, n+1).Scan(&done, &wait)
				return err == nil && done
			})
			least := time.Duration(n*n*n*n+15) * time.Second
			most := least + time.Duration(9*(n+1))*time.Second
			if wait < least-5*time.Second || wait > most { // updated_at is a little later than the attempt
				t.Fatalf("wait before retry %d is %s, want %s to %s", n, wait, least, most)
			}
			w.pass(wait)
		}
		if last := all[n]; last.Body != all[0].Body || !verify("s", last) || n > 0 && last.Header.Get("X-Delivery-Id") == all[n-1].Header.Get("X-Delivery-Id") {
			t.Fatalf("attempt %d: other bytes, a bad signature or an old delivery id", n+1)
		}
	}
	eventually(t, "it is dead", func() bool { return w.states()["dead"] == 1 })
	w.pass(365 * 24 * time.Hour)
	w.tokens.Clear()
	var attempts, short int
	if err := w.db.QueryRow(t.Context(), `
		select count(*), count(*) filter (where octet_length(answer) > 16384 and status = 418 and address <> '' and failure is null)
		from attempts`).Scan(&attempts, &short); err != nil {
		t.Fatal(err)
	}
	if attempts != 26 || short != 26 {
		t.Errorf("%d attempts are kept, %d of them whole, want 26", attempts, short)
	}

	good.Store(true)
	dead := w.requests(hookID)[0]
	again := w.want(201, "POST /hooks/"+hookID+"/requests/"+dead["id"].(string)+"/redeliver", "")
	if again["redelivery"] != true || again["id"] == dead["id"] || again["response_status"] != nil || again["event"] != "a:b" {
		t.Errorf("redelivery is %v", again)
	}
	all := to.wait(t, 27)
	if all[26].Body != all[0].Body || !verify("s", all[26]) || all[26].Header.Get("X-Request-Id") != all[0].Header.Get("X-Request-Id") {
		t.Error("the redelivery is not of the same event")
	}
	eventually(t, "the redelivery is recorded", func() bool { return w.requests(hookID)[0]["response_status"] == 200.0 })
	if list := w.requests(hookID); len(list) != 2 || list[0]["id"] != again["id"] || list[1]["response_status"] != 418.0 {
		t.Errorf("requests are %v", list)
	}
}

func TestRetryAfterIsAFloor(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	w.subscribe(to.URL)
	w.publish("a:b")
	to.wait(t, 1)
	var wait time.Duration
	eventually(t, "the attempt is recorded", func() bool {
		return w.db.QueryRow(t.Context(), "select due_at - updated_at from deliveries where lease_until is null and attempt = 1").Scan(&wait) == nil
	})
	if wait < 590*time.Second || wait > 600*time.Second {
		t.Errorf("the next attempt is in %s, want 10 minutes", wait)
	}
}

func TestOffMeansOff(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	var good atomic.Bool
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !good.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	witness := newReceiver(t)
	hookID := w.subscribe(to.URL)
	w.subscribe(witness.URL)
	w.publish("a:first") // fails, and is to be retried
	to.wait(t, 1)
	w.want(200, "PATCH /hooks/"+hookID, `{"active":false}`)
	w.publish("a:while_off")
	witness.wait(t, 2)
	w.want(200, "PATCH /hooks/"+hookID, `{"active":true}`)
	good.Store(true)
	w.pass(time.Hour)
	w.publish("a:after")
	to.wait(t, 2)
	eventually(t, "the retry is dropped", func() bool { return w.states()["dropped"] == 1 })
	for _, g := range to.all()[1:] {
		if event := g.Header.Get("X-Emperor-Event"); event != "a:after" {
			t.Errorf("%s was delivered", event)
		}
	}

	// While it is off, nothing starts a second after the 200, however much waits.
	good.Store(false)
	w.want(200, "PATCH /hooks/"+hookID, `{"active":false}`)
	stopped := time.Now()
	names := make([]string, 300)
	for i := range names {
		names[i] = "a:many"
	}
	w.publish(names...)
	eventually(t, "the witness has all", func() bool { return len(witness.all()) == 303 })
	for _, g := range to.all() {
		if g.At.After(stopped.Add(time.Second)) {
			t.Errorf("%s was delivered %s after the end", g.Header.Get("X-Emperor-Event"), g.At.Sub(stopped))
		}
	}
	if status, body := w.call("POST /hooks/"+hookID+"/requests/"+w.requests(hookID)[0]["id"].(string)+"/redeliver", ""); status != 422 || body != `{"active":["subscription is not active"]}` {
		t.Errorf("redelivery of a subscription that is off answered %d %s", status, body)
	}
}

// TestOffStopsWhatWaits turns a subscription off while hundreds wait for it.
func TestOffStopsWhatWaits(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	to := newReceiver(t, func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) })
	hookID := w.subscribe(to.URL)
	names := make([]string, 2000) // eight at a time, they would take five seconds
	for i := range names {
		names[i] = "a:many"
	}
	w.publish(names...)
	to.wait(t, 50)
	w.want(200, "PUT /hooks/"+hookID, `{"active":false}`)
	stopped := time.Now()
	eventually(t, "none is pending", func() bool { return w.states()["pending"] == 0 })
	for _, g := range to.all() {
		if g.At.After(stopped.Add(time.Second)) {
			t.Fatalf("a delivery started %s after the 200", g.At.Sub(stopped))
		}
	}
	if n := len(to.all()); n == 2000 {
		t.Error("all were delivered")
	}
}

func TestSwappedSecretsDoNotOpen(t *testing.T) {
	w := newWorld(t)
	to := newReceiver(t)
	first := w.subscribe(to.URL, `"secret":"first"`, `"header":"A: b"`)
	second := w.subscribe(to.URL, `"secret":"second"`)
	var stored []byte
	if err := w.db.QueryRow(t.Context(), "select secret || header from hooks where id = $1", first).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(stored), "first") || strings.Contains(string(stored), "A: b") {
		t.Error("secret or header can be read in the database")
	}
	if _, err := w.db.Exec(t.Context(), `
		update hooks a
		set secret = b.secret
		from hooks b
		where a.id = $1
		and b.id = $2`, first, second); err != nil {
		t.Fatal(err)
	}
	w.deliver()
	w.publish("a:b")
	eventually(t, "both attempts are recorded", func() bool { return w.states()["delivered"] == 1 && len(w.requests(first)) == 1 })
	var failure string
	eventually(t, "the failure is kept", func() bool {
		return w.db.QueryRow(t.Context(), "select failure from attempts where failure is not null").Scan(&failure) == nil
	})
	if failure != "unreadable_secret" || len(to.all()) != 1 || !verify("second", to.all()[0]) {
		t.Errorf("failure %q, %d deliveries", failure, len(to.all()))
	}
}

// TestDeliveryIDs looks at ids that are made in the database.
func TestDeliveryIDs(t *testing.T) {
	w := newWorld(t)
	to := newReceiver(t)
	hooks := []string{w.subscribe(to.URL), w.subscribe(to.URL)}
	w.publish("a:1", "a:2", "a:3", "a:4")
	seen := map[string]bool{}
	for _, hookID := range hooks {
		for i, request := range w.requests(hookID) {
			if want := fmt.Sprintf("a:%d", 4-i); request["event"] != want {
				t.Errorf("request %d is of %s, want %s", i, request["event"], want)
			}
			for _, field := range []string{"id", "delivery_id"} {
				id, err := uuid.Parse(request[field].(string))
				if err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 || seen[id.String()] {
					t.Errorf("%s %v is not a fresh UUID of version 7", field, request[field])
				}
				seen[id.String()] = true
			}
		}
	}
}
