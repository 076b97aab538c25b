package control_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// probeReport is the response to a probe.
type probeReport struct {
	Cases []struct {
		Case, Expected, Verdict string
		Deliveries              []struct {
			DeliveryID string `json:"delivery_id"`
			EventID    string `json:"event_id"`
			Sent       bool
			Status     int
			Failure    string
			Address    string
			Request    struct {
				Headers []struct{ Name, Value string }
				Body    string
			}
			Response *struct {
				Headers http.Header
				Body    string
			}
		}
	}
	Summary struct {
		OK              int `json:"ok"`
		WronglyAccepted int `json:"wrongly_accepted"`
		WronglyRefused  int `json:"wrongly_refused"`
		NotJudged       int `json:"could_not_be_judged"`
		Passed          bool
		Advice          string
	}
}

// probe probes the receiver at the URL.
func probe(tenant *servertest.Tenant, url, secret string) (report probeReport) {
	tenant.T.Helper()
	response := tenant.Control("POST /probe", `{"url":"`+url+`","secret":"`+secret+`"}`).Want(tenant.T, http.StatusOK)
	if err := json.Unmarshal([]byte(response.Body), &report); err != nil {
		tenant.T.Fatal(err)
	}
	return report
}

// verifyingReceiver returns a correct receiver: it compares the HMAC of the raw
// body as a whole.
func verifyingReceiver(secret string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if err != nil || !hmac.Equal([]byte(want), []byte(r.Header.Get("X-Signature"))) {
			http.Error(w, "bad signature", http.StatusUnauthorized)
		}
	}
}

// TestProbe checks that a probe finds the mistakes of each receiver, and no others.
func TestProbe(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, subscriptions: a receiver is probed with valid and invalid deliveries")
	tenant := servertest.New(t).Tenant("acme")
	const secret = "s3cret"
	correct := verifyingReceiver(secret)
	bad := []string{"tampered", "rewritten", "wrongly signed", "unsigned", "empty signature", "cut signature"}
	good := []string{"good", "good, unusual bytes", "duplicated", "reordered"}
	for name, test := range map[string]struct {
		receive           http.HandlerFunc
		accepted, refused []string // wrongly
	}{
		"correct":     {receive: correct},
		"accepts all": {receive: func(http.ResponseWriter, *http.Request) {}, accepted: bad},
		"refuses all": {receive: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, refused: good},
		"redirects":   {receive: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) }, refused: good},
		"accepts unsigned": {receive: func(w http.ResponseWriter, r *http.Request) {
			if len(r.Header.Values("X-Signature")) > 0 {
				correct(w, r)
			}
		}, accepted: []string{"unsigned"}},
		"compares a prefix": {receive: func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(body)
			if !strings.HasPrefix("sha256="+hex.EncodeToString(mac.Sum(nil)), r.Header.Get("X-Signature")) {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}, accepted: []string{"unsigned", "empty signature", "cut signature"}},
		"verifies re-encoded JSON": {receive: func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				ID        json.RawMessage `json:"id"`
				Event     json.RawMessage `json:"event"`
				CreatedAt json.RawMessage `json:"created_at"`
				TenantID  json.RawMessage `json:"tenant_id"`
				Data      any             `json:"data"`
			}
			json.NewDecoder(r.Body).Decode(&body)
			encoded, _ := json.Marshal(body)
			r.Body = io.NopCloser(bytes.NewReader(encoded))
			correct(w, r)
		}, accepted: []string{"rewritten"}, refused: []string{"good, unusual bytes"}},
		"refuses duplicates": {receive: func() http.HandlerFunc {
			var mu sync.Mutex
			seen := map[string]bool{}
			return func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if id := r.Header.Get("X-Request-Id"); seen[id] {
					w.WriteHeader(http.StatusConflict)
				} else {
					seen[id] = true
					correct(w, r)
				}
			}
		}(), refused: []string{"duplicated"}},
		"expects events in order": {receive: func() http.HandlerFunc {
			var mu sync.Mutex
			last := ""
			return func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var event struct {
					CreatedAt string `json:"created_at"`
				}
				json.Unmarshal(body, &event)
				mu.Lock()
				defer mu.Unlock()
				if event.CreatedAt < last {
					w.WriteHeader(http.StatusConflict)
					return
				}
				last = event.CreatedAt
				r.Body = io.NopCloser(bytes.NewReader(body))
				correct(w, r)
			}
		}(), refused: []string{"reordered"}},
	} {
		receiver := httptest.NewServer(test.receive)
		report := probe(tenant, receiver.URL, secret)
		receiver.Close()
		wrong := map[string]string{}
		for _, c := range test.accepted {
			wrong[c] = "wrongly accepted"
		}
		for _, c := range test.refused {
			wrong[c] = "wrongly refused"
		}
		if len(report.Cases) != len(bad)+len(good) {
			t.Fatalf("%s: %d cases", name, len(report.Cases))
		}
		for _, c := range report.Cases {
			want := wrong[c.Case]
			if want == "" {
				want = "ok"
			}
			if c.Verdict != want {
				t.Errorf("%s: %s is %s, want %s: %+v", name, c.Case, c.Verdict, want, c.Deliveries)
			}
		}
		s := report.Summary
		if s.WronglyAccepted != len(test.accepted) || s.WronglyRefused != len(test.refused) || s.NotJudged != 0 || s.Passed != (len(wrong) == 0) || s.OK != len(report.Cases)-len(wrong) || s.Advice == "" {
			t.Errorf("%s: summary %+v", name, s)
		}
	}
}

// TestProbeShowsItsRequests checks that a probe shows each request as it was sent,
// and the response to it.
func TestProbeShowsItsRequests(t *testing.T) {
	tenant := servertest.New(t).Tenant("acme")
	var received []*http.Request
	var bodies []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received, bodies = append(received, r), append(bodies, string(body))
		w.Header().Set("X-Receiver", "me")
		io.WriteString(w, "thanks")
	}))
	t.Cleanup(receiver.Close)
	n := 0
	for _, c := range probe(tenant, receiver.URL+"/here", "s3cret").Cases {
		for _, sent := range c.Deliveries {
			got := received[n]
			if sent.Request.Body != bodies[n] || got.Header.Get("X-Delivery-Id") != sent.DeliveryID || got.Header.Get("X-Request-Id") != sent.EventID {
				t.Errorf("%s: shown %+v, sent %v %s", c.Case, sent, got.Header, bodies[n])
			}
			lines := 0
			for _, line := range sent.Request.Headers {
				if line.Name == "Host" {
					got.Header.Set("Host", got.Host)
				}
				if got.Header.Get(line.Name) != line.Value {
					t.Errorf("%s: header %s is shown as %q, sent as %q", c.Case, line.Name, line.Value, got.Header.Get(line.Name))
				}
				lines++
			}
			if lines != len(got.Header) {
				t.Errorf("%s: %d headers shown, sent %v", c.Case, lines, got.Header)
			}
			if sent.Status != 200 || sent.Response.Body != "thanks" || sent.Response.Headers.Get("X-Receiver") != "me" || !strings.HasPrefix(receiver.URL, "http://"+sent.Address) {
				t.Errorf("%s: response %+v", c.Case, sent)
			}
			n++
		}
		switch ids := c.Deliveries; c.Case {
		case "duplicated":
			if ids[0].EventID != ids[1].EventID || ids[0].DeliveryID == ids[1].DeliveryID || ids[0].Request.Body != ids[1].Request.Body {
				t.Errorf("duplicated %+v", ids)
			}
		case "reordered":
			if ids[0].EventID == ids[1].EventID {
				t.Errorf("reordered %+v", ids)
			}
		}
	}
	if n != len(received) {
		t.Errorf("%d deliveries shown, %d sent", n, len(received))
	}
	// The deliveries of a probe are not stored.
	tenant.Control("GET /deliveries", "").Want(t, http.StatusOK, `{"deliveries":[]}`)
}

// TestProbeWithoutResponses checks that a receiver which does not respond is not
// judged, and that a URL whose host is a forbidden address is refused.
func TestProbeWithoutResponses(t *testing.T) {
	tenant := servertest.New(t).Tenant("acme")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + listener.Addr().String()
	listener.Close()
	report := probe(tenant, refusing, "s")
	if report.Summary.NotJudged != len(report.Cases) || report.Summary.Passed {
		t.Errorf("summary %+v", report.Summary)
	}
	for _, c := range report.Cases {
		if c.Verdict != "could not be judged" || c.Deliveries[0].Failure != "refused" || c.Deliveries[0].Response != nil {
			t.Errorf("%+v", c)
		}
	}
	for body, message := range map[string]string{
		`{"secret":"s"}`:                                   "url: can't be blank",
		`{"url":"ftp://there","secret":"s"}`:               "url: is invalid",
		`{"url":"http://169.254.169.254/","secret":"s"}`:   "url: is not allowed",
		`{"url":"http://there"}`:                           "secret: can't be blank",
		`{"url":"http://there","secret":"s","colour":"r"}`: `unknown field \"colour\"`,
	} {
		tenant.Control("POST /probe", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	tenant.Tenant("nobody").Control("POST /probe", `{"url":"http://there","secret":"s"}`).Want(t, http.StatusNotFound)
}

// TestProbeEndsWithItsClient checks that a probe ends when its client leaves, even
// while the receiver hangs.
func TestProbeEndsWithItsClient(t *testing.T) {
	tenant := servertest.New(t).Tenant("acme")
	called, left := make(chan struct{}), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(called)
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(receiver.Close)
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", tenant.ControlPath("/probe"), strings.NewReader(`{"url":"`+receiver.URL+`","secret":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	ended := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		ended <- err
	}()
	<-called
	leave()
	if err := <-ended; err == nil {
		t.Error("the probe has a response")
	}
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Error("the probe continues without its client")
	}
}

// TestProbesDoNotWait checks that a tenant has two slots for probes and that further probes
// of it are refused at once, while those of another tenant run, until a slot is free.
func TestProbesDoNotWait(t *testing.T) {
	s := servertest.New(t)
	acme, globex := s.Tenant("acme"), s.Tenant("globex")
	called, respond := make(chan struct{}), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case called <- struct{}{}:
			<-respond
		case <-respond:
		}
	}))
	t.Cleanup(hanging.Close)
	good := httptest.NewServer(verifyingReceiver("s"))
	t.Cleanup(good.Close)
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			acme.Control("POST /probe", `{"url":"`+hanging.URL+`","secret":"s"}`).Want(t, http.StatusOK)
		})
		<-called
	}
	busy := acme.Control("POST /probe", `{"url":"`+good.URL+`","secret":"s"}`).Want(t, http.StatusServiceUnavailable)
	if busy.Header.Get("Retry-After") == "" || !strings.HasPrefix(busy.Header.Get("X-Understudy-Hint"), "Too many probes") {
		t.Errorf("header %v", busy.Header)
	}
	if report := probe(globex, good.URL, "s"); !report.Summary.Passed {
		t.Errorf("while probes of another tenant run: %+v", report.Summary)
	}
	close(respond)
	running.Wait()
	if report := probe(acme, good.URL, "s"); !report.Summary.Passed {
		t.Errorf("once slots are free: %+v", report.Summary)
	}
}

// TestProbeStopsWithoutResponse checks that a probe sends nothing more to a receiver that
// did not respond in time.
func TestProbeStopsWithoutResponse(t *testing.T) {
	tenant := servertest.New(t, func(o *servertest.Options) {
		o.Sender = hooks.NewSender(hooks.Network{AllowPrivate: true, ResponseTimeout: 100 * time.Millisecond}, hooks.Signature{})
	}).Tenant("acme")
	var calls atomic.Int64
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	report := probe(tenant, hanging.URL, "s")
	if n := calls.Load(); n != 1 || report.Summary.NotJudged != len(report.Cases) {
		t.Errorf("%d deliveries were sent, want 1: %+v", n, report.Summary)
	}
	for i, c := range report.Cases {
		for j, d := range c.Deliveries {
			if d.Sent != (i == 0 && j == 0) {
				t.Errorf("%s: delivery %d was sent: %t", c.Case, j, d.Sent)
			}
		}
	}
}
