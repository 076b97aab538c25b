package delivery_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// repeated returns n events of one name.
func repeated(event string, n int) []string { return slices.Repeat([]string{event}, n) }

// publishMany publishes n events in transactions of a hundred.
func publishMany(s *servertest.Server, n int) {
	s.T.Helper()
	for range n / 100 {
		s.Publish("acme", repeated("a:many", 100)...)
	}
}

// awaitDelivered waits until n deliveries have succeeded.
func awaitDelivered(s *servertest.Server, n int) {
	s.T.Helper()
	servertest.Until(s.T, "all is delivered", func() bool { return s.CountDeliveries("delivered") == n })
}

// TestDelivery checks the headers and the body of a delivery, and its request.
func TestDelivery(t *testing.T) {
	servertest.Proves(t,
		"What the service does: 5 payloads are delivered to a URL of its choice",
		"Webhook subscription, fields: config.url", "Webhook subscription, fields: config.header",
		"Authentication: 7 X-Signature and one static header",
		"Events: 3 header and secret are used",
		"Chosen, events and delivery: the body has id, event, created_at, tenant_id and data",
		"Chosen, events and delivery: the headers of a delivery")
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t)
	hookID := acme.Subscribe(receiver.URL+"/in?a=b", `"secret":"s3cret"`, `"header":"x-my-KEY: let me in"`)
	s.Publish("acme", "quote_request:created")

	sent := receiver.Await(t, 1)[0]
	if !sent.Verify("s3cret") {
		t.Errorf("signature %q does not verify", sent.Header.Get("X-Signature"))
	}
	var body struct {
		ID        string         `json:"id"`
		Event     string         `json:"event"`
		CreatedAt string         `json:"created_at"`
		TenantID  string         `json:"tenant_id"`
		Data      map[string]any `json:"data"`
	}
	decoder := json.NewDecoder(strings.NewReader(sent.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	if body.Event != "quote_request:created" || body.TenantID != "acme" || body.Data["text"] != "naïve <b>&" || body.CreatedAt != s.Shown(0) {
		t.Errorf("body %s", sent.Body)
	}
	servertest.Until(t, "the response is recorded", func() bool { return acme.HookRequests(hookID)[0]["response_status"] == 200.0 })
	request := acme.HookRequests(hookID)[0]
	for name, want := range map[string]string{
		"Content-Type":    "application/json",
		"X-Emperor-Event": "quote_request:created",
		"X-Request-Id":    body.ID,
		"X-Delivery-Id":   request["delivery_id"].(string),
		"X-My-Key":        "let me in",
		"User-Agent":      "Understudy-Webhook/devel",
		"Accept-Encoding": "",
	} {
		if got := sent.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if request["event"] != "quote_request:created" || request["redelivery"] != false || request["hook_id"] != hookID ||
		request["tenant_id"] != s.TenantID("acme").String() || request["response_duration_ms"] == nil {
		t.Errorf("request %v", request)
	}
}

// TestSignatureFormats checks every format of X-Signature.
func TestSignatureFormats(t *testing.T) {
	servertest.Proves(t,
		"Authentication: 7 X-Signature and one static header",
		"Chosen, events and delivery: X-Signature by digest and prefix")
	t.Parallel()
	for name, test := range map[string]struct {
		signature hooks.Signature
		digest    func() hash.Hash
		prefix    string
	}{
		"sha256":                {hooks.Signature{}, sha256.New, "sha256="},
		"sha256 without prefix": {hooks.Signature{NoPrefix: true}, sha256.New, ""},
		"sha1":                  {hooks.Signature{SHA1: true}, sha1.New, "sha1="},
		"sha1 without prefix":   {hooks.Signature{SHA1: true, NoPrefix: true}, sha1.New, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, func(o *servertest.Options) {
				o.Sender = hooks.NewSender(hooks.Network{AllowPrivate: true}, test.signature)
			})
			acme := s.Acme()
			s.RunDispatcher()
			signed, unsigned := servertest.NewReceiver(t), servertest.NewReceiver(t)
			acme.Subscribe(signed.URL, `"secret":"s"`)
			acme.Subscribe(unsigned.URL)
			s.Publish("acme", "carrier:changed")
			sent := signed.Await(t, 1)[0]
			mac := hmac.New(test.digest, []byte("s"))
			mac.Write([]byte(sent.Body))
			if want := test.prefix + hex.EncodeToString(mac.Sum(nil)); sent.Header.Get("X-Signature") != want {
				t.Errorf("signature %q, want %q", sent.Header.Get("X-Signature"), want)
			}
			if sent := unsigned.Await(t, 1)[0]; sent.Header.Get("X-Signature") != "" {
				t.Error("a delivery without a secret is signed")
			}
		})
	}
}

// TestSecretsAreSealed checks that secrets and headers cannot be read in the
// database, and that a secret which was moved to another row cannot be used.
func TestSecretsAreSealed(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the master key seals webhook secrets and headers")
	s := servertest.New(t)
	acme := s.Acme()
	receiver := servertest.NewReceiver(t)
	first := acme.Subscribe(receiver.URL, `"secret":"first"`, `"header":"A: b"`)
	second := acme.Subscribe(receiver.URL, `"secret":"second"`)
	stored := string(servertest.Value[[]byte](s, "select secret || header from hooks where id = $1", first))
	if strings.Contains(stored, "first") || strings.Contains(stored, "A: b") {
		t.Error("the secret or the header is stored in plain text")
	}
	s.Exec(`
		update hooks a
		set secret = b.secret
		from hooks b
		where a.id = $1
		and b.id = $2`, first, second)
	s.RunDispatcher()
	s.Publish("acme", "a:b")
	servertest.Until(t, "both attempts are recorded", func() bool { return servertest.Value[int](s, "select count(*) from attempts") == 2 })
	failure := servertest.Value[string](s, "select failure from attempts where failure is not null")
	if all := receiver.Received(); failure != "unreadable_secret" || len(all) != 1 || !all[0].Verify("second") {
		t.Errorf("failure %q, %d deliveries", failure, len(all))
	}
}

// TestPanickingAttempt checks that an attempt that panics is in the feed as any
// other.
func TestPanickingAttempt(t *testing.T) {
	s := servertest.New(t)
	s.Acme().Subscribe("http://127.0.0.1:1/")
	s.App.Sender.PanicOnSend()
	s.Publish("acme", "a:b")
	s.RunDispatcher()
	servertest.Until(t, "the attempt is recorded", func() bool { return servertest.Value[int](s, "select count(*) from attempt_batches") == 1 })
	if n := servertest.Value[int](s, `
		select count(*)
		from attempt_batches, unnest(attempts)
		where url = 'http://127.0.0.1:1/'
		and delivery_id <> '00000000-0000-0000-0000-000000000000'`); n != 1 {
		t.Error("the attempt has no id or no URL")
	}
}
