package control_test

import (
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
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// probed is what a probe tells.
type probed struct {
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

// probe has the tenant acme's receiver probed.
func (d *servertest.Tenant) probe(url, secret string) (p probed) {
	d.T.Helper()
	got := d.Control("POST /probe", `{"url":"`+url+`","secret":"`+secret+`"}`).Want(d.T, http.StatusOK)
	if err := json.Unmarshal([]byte(got.Body), &p); err != nil {
		d.T.Fatal(err)
	}
	return p
}

// verifies is a receiver that does it right: the HMAC of the raw body, compared
// as a whole.
func verifies(secret string) http.HandlerFunc {
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

// TestProbe: each receiver's mistakes are found, and no others.
func TestProbe(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	const secret = "s3cret"
	right := verifies(secret)
	bad := []string{"tampered", "rewritten", "wrongly signed", "unsigned", "empty signature", "cut signature"}
	good := []string{"good", "good, unusual bytes", "duplicated", "reordered"}
	for name, test := range map[string]struct {
		receive           http.HandlerFunc
		accepted, refused []string // wrongly
	}{
		"right":       {receive: right},
		"accepts all": {receive: func(http.ResponseWriter, *http.Request) {}, accepted: bad},
		"refuses all": {receive: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, refused: good},
		"redirects":   {receive: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) }, refused: good},
		"signed or not at all": {receive: func(w http.ResponseWriter, r *http.Request) {
			if len(r.Header.Values("X-Signature")) > 0 {
				right(w, r)
			}
		}, accepted: []string{"unsigned"}},
		"compares the beginning": {receive: func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(body)
			if !strings.HasPrefix("sha256="+hex.EncodeToString(mac.Sum(nil)), r.Header.Get("X-Signature")) {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}, accepted: []string{"unsigned", "empty signature", "cut signature"}},
		"verifies what it has written again": {receive: func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				ID        json.RawMessage `json:"id"`
				Event     json.RawMessage `json:"event"`
				CreatedAt json.RawMessage `json:"created_at"`
				TenantID  json.RawMessage `json:"tenant_id"`
				Data      any             `json:"data"`
			}
			json.NewDecoder(r.Body).Decode(&body)
			again, _ := json.Marshal(body)
			r.Body = io.NopCloser(strings.NewReader(string(again)))
			right(w, r)
		}, accepted: []string{"rewritten"}, refused: []string{"good, unusual bytes"}},
		"takes an event once": {receive: func() http.HandlerFunc {
			var mu sync.Mutex
			seen := map[string]bool{}
			return func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if id := r.Header.Get("X-Request-Id"); seen[id] {
					w.WriteHeader(http.StatusConflict)
				} else {
					seen[id] = true
					right(w, r)
				}
			}
		}(), refused: []string{"duplicated"}},
		"wants them in order": {receive: func() http.HandlerFunc {
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
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				right(w, r)
			}
		}(), refused: []string{"reordered"}},
	} {
		receiver := httptest.NewServer(test.receive)
		p := d.probe(receiver.URL, secret)
		receiver.Close()
		wrong := map[string]string{}
		for _, c := range test.accepted {
			wrong[c] = "wrongly accepted"
		}
		for _, c := range test.refused {
			wrong[c] = "wrongly refused"
		}
		if len(p.Cases) != len(bad)+len(good) {
			t.Fatalf("%s: %d cases", name, len(p.Cases))
		}
		for _, c := range p.Cases {
			want := wrong[c.Case]
			if want == "" {
				want = "ok"
			}
			if c.Verdict != want {
				t.Errorf("%s: %s is %s, want %s: %+v", name, c.Case, c.Verdict, want, c.Deliveries)
			}
		}
		s := p.Summary
		if s.WronglyAccepted != len(test.accepted) || s.WronglyRefused != len(test.refused) || s.NotJudged != 0 || s.Passed != (len(wrong) == 0) || s.OK != len(p.Cases)-len(wrong) || s.Advice == "" {
			t.Errorf("%s: summary %+v", name, s)
		}
	}
}

// TestProbeSends what it tells of, and says what came back.
func TestProbeSends(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	var came []*http.Request
	var bodies []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came, bodies = append(came, r), append(bodies, string(body))
		w.Header().Set("X-Told", "me")
		io.WriteString(w, "thanks")
	}))
	t.Cleanup(receiver.Close)
	n := 0
	for _, c := range d.probe(receiver.URL+"/here", "s3cret").Cases {
		for _, sent := range c.Deliveries {
			got := came[n]
			if sent.Request.Body != bodies[n] || got.Header.Get("X-Delivery-Id") != sent.DeliveryID || got.Header.Get("X-Request-Id") != sent.EventID {
				t.Errorf("%s: told %+v, sent %v %s", c.Case, sent, got.Header, bodies[n])
			}
			lines := 0
			for _, line := range sent.Request.Headers {
				if line.Name == "Host" {
					got.Header.Set("Host", got.Host)
				}
				if got.Header.Get(line.Name) != line.Value {
					t.Errorf("%s: header %s told %q, sent %q", c.Case, line.Name, line.Value, got.Header.Get(line.Name))
				}
				lines++
			}
			if lines != len(got.Header) {
				t.Errorf("%s: %d headers told, sent %v", c.Case, lines, got.Header)
			}
			if sent.Status != 200 || sent.Response.Body != "thanks" || sent.Response.Headers.Get("X-Told") != "me" || !strings.HasPrefix(receiver.URL, "http://"+sent.Address) {
				t.Errorf("%s: answer %+v", c.Case, sent)
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
	if n != len(came) {
		t.Errorf("%d deliveries told, %d sent", n, len(came))
	}
	// Probing leaves no trace among the deliveries.
	d.Control("GET /deliveries", "").Want(t, http.StatusOK, `{"deliveries":[]}`)
}

// TestProbeUnanswered: who does not answer can't be judged, and who must not be
// dialled is not.
func TestProbeUnanswered(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + listener.Addr().String()
	listener.Close()
	for url, failure := range map[string]string{dead: "refused", "http://169.254.169.254/": "blocked_address"} {
		p := d.probe(url, "s")
		if p.Summary.NotJudged != len(p.Cases) || p.Summary.Passed {
			t.Errorf("%s: summary %+v", url, p.Summary)
		}
		for _, c := range p.Cases {
			if c.Verdict != "could not be judged" || c.Deliveries[0].Failure != failure || c.Deliveries[0].Response != nil {
				t.Errorf("%s: %+v", url, c)
			}
		}
	}
	for body, message := range map[string]string{
		`{"secret":"s"}`:                                   "url: can't be blank",
		`{"url":"ftp://there","secret":"s"}`:               "url: is invalid",
		`{"url":"http://there"}`:                           "secret: can't be blank",
		`{"url":"http://there","secret":"s","colour":"r"}`: `unknown field \"colour\"`,
	} {
		d.Control("POST /probe", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	d.Tenant("nobody").Control("POST /probe", `{"url":"http://there","secret":"s"}`).Want(t, http.StatusNotFound)
}

// TestProbeEnds when its client leaves, however long the receiver would take.
func TestProbeEnds(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	asked, left := make(chan struct{}), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(receiver.Close)
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", d.ControlPath("/probe"), strings.NewReader(`{"url":"`+receiver.URL+`","secret":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answered := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		answered <- err
	}()
	<-asked
	leave()
	if err := <-answered; err == nil {
		t.Error("the probe answered")
	}
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Error("the probe goes on without its client")
	}
}
