package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/hooks"
)

// sink is the receivers, one for each subscription: it verifies each delivery
// and counts the different ones.
type sink struct {
	servers []*httptest.Server
	mu      sync.Mutex
	seen    map[int]time.Time
	want    int
	done    chan struct{}
	invalid int
}

func newSink() *sink {
	s := &sink{seen: map[int]time.Time{}, done: make(chan struct{})}
	for range subscriptions {
		s.servers = append(s.servers, httptest.NewServer(http.HandlerFunc(s.take)))
	}
	return s
}

func (s *sink) Close() {
	for _, server := range s.servers {
		server.Close()
	}
}

// url is the receiver of the n-th event.
func (s *sink) url(n int) string { return s.servers[n%len(s.servers)].URL }

// expect starts a run of n deliveries, numbered from 0.
func (s *sink) expect(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen, s.want, s.done, s.invalid = make(map[int]time.Time, n), n, make(chan struct{}), 0
}

func (s *sink) take(w http.ResponseWriter, r *http.Request) {
	first := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var event struct {
		Data struct {
			N int `json:"n"`
		} `json:"data"`
	}
	good := hmac.Equal([]byte(r.Header.Get("X-Signature")), []byte(sign(body))) && json.Unmarshal(body, &event) == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if !good {
		s.invalid++
		return
	}
	if _, twice := s.seen[event.Data.N]; twice {
		return
	}
	s.seen[event.Data.N] = first
	if len(s.seen) == s.want {
		close(s.done)
	}
}

// wait returns when all deliveries of the run have been verified.
func (s *sink) wait(ctx context.Context) error {
	select {
	case <-s.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(2 * time.Minute):
		s.mu.Lock()
		defer s.mu.Unlock()
		return fmt.Errorf("%d of %d deliveries came", len(s.seen), s.want)
	}
	if s.invalid > 0 {
		return fmt.Errorf("%d signatures did not verify", s.invalid)
	}
	return nil
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// payload is the data of an event: about the size of a status answer.
type payload struct {
	N        int    `json:"n"`
	TenantID string `json:"tenant_id"`
	UserID   string `json:"user_id"`
	Start    string `json:"tx_start_time"`
	End      string `json:"tx_end_time"`
	Status   string `json:"status"`
	Company  string `json:"c_report_id"`
	Location string `json:"l_report_id"`
}

func newPayload(n int) payload {
	return payload{
		n, "acme", "8c5a6f0e-3f0b-5d3a-9a55-0d9d4f7b7c11", "2026-03-02T09:00:00.123456+00:00",
		"2026-03-02T09:00:03.623456+00:00", "Completed", "CUS1187A2AAE214E4540", "LUS1187A2AAE214E4541",
	}
}

// eventID is the one that the others send.
var eventID = uuid.MustParse("019580c1-7f5e-7c3a-b8a7-0a5f4c3e2d1b")

// newBody is the body that the others send: what ours would be.
func newBody(n int) []byte {
	body, err := json.Marshal(map[string]any{
		"id": eventID, "event": "bench:completed",
		"created_at": "2026-03-02T09:00:03.623456+00:00", "tenant_id": "acme", "data": newPayload(n),
	})
	if err != nil {
		panic(err) // it is ours
	}
	return body
}

// poster signs and posts without more ado, by the same sender as ours.
type poster struct{ sender *hooks.Sender }

func newPoster() poster {
	return poster{hooks.NewSender(hooks.Network{Inside: true}, hooks.Signature{})}
}

func (p poster) post(ctx context.Context, url string, body []byte) error {
	came := p.sender.Send(ctx, hooks.Message{
		URL: url, Secret: secret, Event: "bench:completed0", EventID: eventID, ID: uuid.New(), Body: body,
	}, time.Now)
	if !came.Succeeded() {
		return fmt.Errorf("answer %d %s", came.Status, came.Failure)
	}
	return nil
}
