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
	"understudy.example/internal/hooks/delivery"
)

// receivers are the webhook receivers, one for each subscription. They verify
// the signature of each delivery and record the first delivery of each event.
type receivers struct {
	servers []*httptest.Server

	mu         sync.Mutex
	receivedAt map[int]time.Time // by event number
	want       int               // number of events to receive
	done       chan struct{}     // closed when all have been received
	invalid    int               // deliveries with an invalid signature or body
}

func newReceivers() *receivers {
	r := &receivers{receivedAt: map[int]time.Time{}, done: make(chan struct{})}
	for range subscriptions {
		r.servers = append(r.servers, httptest.NewServer(http.HandlerFunc(r.handle)))
	}
	return r
}

func (r *receivers) Close() {
	for _, server := range r.servers {
		server.Close()
	}
}

// urlFor returns the URL of the receiver of the n-th event.
func (r *receivers) urlFor(n int) string { return r.servers[n%len(r.servers)].URL }

// expect starts a run of n deliveries, numbered from 0.
func (r *receivers) expect(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receivedAt, r.want, r.done, r.invalid = make(map[int]time.Time, n), n, make(chan struct{}), 0
}

func (r *receivers) handle(w http.ResponseWriter, request *http.Request) {
	arrival := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	var event struct {
		Data struct {
			N int `json:"n"`
		} `json:"data"`
	}
	valid := hmac.Equal([]byte(request.Header.Get("X-Signature")), []byte(sign(body))) && json.Unmarshal(body, &event) == nil
	r.mu.Lock()
	defer r.mu.Unlock()
	if !valid {
		r.invalid++
		return
	}
	if _, duplicate := r.receivedAt[event.Data.N]; duplicate {
		return
	}
	r.receivedAt[event.Data.N] = arrival
	if len(r.receivedAt) == r.want {
		close(r.done)
	}
}

// wait waits until the deliveries of all events have been verified.
func (r *receivers) wait(ctx context.Context) error {
	select {
	case <-r.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(2 * time.Minute):
		r.mu.Lock()
		defer r.mu.Unlock()
		return fmt.Errorf("only %d of %d deliveries arrived within 2 minutes", len(r.receivedAt), r.want)
	}
	if r.invalid > 0 {
		return fmt.Errorf("%d deliveries were invalid", r.invalid)
	}
	return nil
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// payload is the data of an event, about as large as a status response.
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

// eventID is the event ID that the other candidates send.
var eventID = uuid.MustParse("019580c1-7f5e-7c3a-b8a7-0a5f4c3e2d1b")

// newBody returns the body that the other candidates send. It equals the body
// of the server's deliveries, except for the event name and the IDs.
func newBody(n int) []byte {
	body, err := json.Marshal(map[string]any{
		"id": eventID, "event": "bench:completed",
		"created_at": "2026-03-02T09:00:03.623456+00:00", "tenant_id": "acme", "data": newPayload(n),
	})
	if err != nil {
		panic(err) // cannot happen
	}
	return body
}

// poster signs and sends deliveries with the server's own sender.
type poster struct{ sender *hooks.Sender }

func newPoster() poster {
	return poster{hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})}
}

func (p poster) post(ctx context.Context, url string, body []byte) error {
	result := p.sender.Send(ctx, delivery.Message{
		URL: url, Secret: secret, Event: "bench:completed0", EventID: eventID, ID: uuid.New(), Body: body,
	}, time.Now)
	if !result.Succeeded() {
		return fmt.Errorf("delivery failed: status %d %s", result.Status, result.Failure)
	}
	return nil
}
