package sandbox

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Receiver is a webhook receiver in the test's process that is subscribed to events of the
// tenant. It verifies the signature of each delivery. If a signature is wrong, the response is
// 401, and the test fails. Its methods are safe for concurrent use, but Wait must be called from
// the goroutine that runs the test.
type Receiver struct {
	URL    string
	Secret string // signs the deliveries
	HookID string // of the subscription

	sandbox        *Sandbox
	server         *httptest.Server
	deactivated    sync.Once
	stopped        sync.Once
	allowsRejected bool

	mu       sync.Mutex
	status   int
	events   []ReceivedEvent
	rejected []ReceivedEvent
	unread   []ReceivedEvent // the events that Wait has not returned yet
	arrived  chan struct{}   // closed and replaced when a delivery arrives
}

// ReceiverOptions configures a Receiver. The zero value is a receiver of all events.
type ReceiverOptions struct {
	Events []string // subjects such as "universal_submit"; nil means all events
	Status int      // of the responses; 0 means 200
	Secret string   // "" means a random one

	// Host is the name of this machine in the URL, for a server in a container. Unless it is
	// "", which means 127.0.0.1, the receiver listens on all interfaces.
	Host string

	AllowWrongSignatures bool // they do not fail the test
}

// ReceivedEvent is a delivery that a Receiver got.
type ReceivedEvent struct {
	ID      string          // X-Request-Id: the same in every delivery of the event
	Event   string          // "subject:action"
	Data    json.RawMessage // nil if the signature is wrong
	Body    []byte          // as it was received
	Headers http.Header
	Status  int // of the receiver's response
}

// Receiver starts a webhook receiver and subscribes it. It ends with the test.
func (s *Sandbox) Receiver(options ReceiverOptions) *Receiver {
	s.t.Helper()
	address := "127.0.0.1:0"
	if options.Host != "" {
		address = ":0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		s.t.Fatalf("understudy: start a receiver: %v", err)
	}
	r := &Receiver{
		Secret: cmp.Or(options.Secret, rand.Text()), sandbox: s, allowsRejected: options.AllowWrongSignatures,
		status: cmp.Or(options.Status, http.StatusOK), arrived: make(chan struct{}),
	}
	r.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(r.respond)}}
	r.server.Start()
	s.mu.Lock()
	s.receivers = append(s.receivers, r)
	s.mu.Unlock()
	s.t.Cleanup(r.deactivate)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	r.URL = "http://" + net.JoinHostPort(cmp.Or(options.Host, "127.0.0.1"), port) + "/"
	events := options.Events
	if len(events) == 0 {
		events = []string{"*"}
	}
	active := true
	r.HookID = s.Subscribe(NewSubscription{URL: &r.URL, Events: events, Secret: &r.Secret, Active: &active}).ID
	return r
}

// maxDelivery is the maximum size of a delivery in bytes. Those of the server are smaller.
const maxDelivery = 64 << 20

func (r *Receiver) respond(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxDelivery))
	if err != nil { // the body is too large, or the server has closed the connection
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	w.WriteHeader(r.receive(body, request.Header))
}

// receive keeps a delivery, and returns the status of the response.
func (r *Receiver) receive(body []byte, headers http.Header) (status int) {
	mac := hmac.New(sha256.New, []byte(r.Secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	valid := hmac.Equal([]byte(headers.Get("X-Signature")), []byte(expected))
	received := ReceivedEvent{
		ID: headers.Get("X-Request-Id"), Event: headers.Get("X-Emperor-Event"), Body: body, Headers: headers, Status: http.StatusUnauthorized,
	}
	if valid {
		var content struct{ Data json.RawMessage }
		if err := json.Unmarshal(body, &content); err != nil {
			r.sandbox.t.Errorf("understudy: delivery of %s: %v, in: %s", received.Event, err, body)
		}
		received.Data = content.Data
	} else if !r.allowsRejected {
		r.sandbox.t.Errorf("understudy: delivery of %s (%s) has the wrong signature: got X-Signature %q, want %q (AllowWrongSignatures in ReceiverOptions permits this)",
			received.Event, received.ID, headers.Get("X-Signature"), expected)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if valid {
		received.Status = r.status
		r.events, r.unread = append(r.events, received), append(r.unread, received)
	} else {
		r.rejected = append(r.rejected, received)
	}
	close(r.arrived)
	r.arrived = make(chan struct{})
	return received.Status
}

// SetStatus sets the status of the responses from now on. The server retries a delivery
// unless it is 2xx.
func (r *Receiver) SetStatus(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Events returns the deliveries with a correct signature so far, in the order of their arrival.
func (r *Receiver) Events() []ReceivedEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Rejected returns the deliveries with a wrong signature so far, in the order of their
// arrival. Unless ReceiverOptions allows them, the test fails if there are any.
func (r *Receiver) Rejected() []ReceivedEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.rejected)
}

// Wait waits for the next delivery of an event, and returns it. The event is
// "subject:action", a subject, or "*". The next delivery is the first that Wait has not
// returned yet, so it can be one that has already arrived. The timeout is in real time. When
// it expires, the test fails and shows the deliveries that arrived instead.
func (r *Receiver) Wait(event string, timeout time.Duration) ReceivedEvent {
	r.sandbox.t.Helper()
	expired := time.After(timeout)
	for {
		received, arrived := r.next(event)
		if arrived == nil {
			return received
		}
		select {
		case <-arrived:
		case <-expired:
			r.sandbox.t.Fatalf("understudy: no delivery of %s within %v; deliveries received:\n%s", event, timeout, r.describe())
		}
	}
}

// next returns the first unread delivery of an event, or a channel that is closed when
// another delivery arrives.
func (r *Receiver) next(event string) (ReceivedEvent, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.unread, func(e ReceivedEvent) bool {
		subject, _, _ := strings.Cut(e.Event, ":")
		return event == "*" || event == e.Event || event == subject
	})
	if i < 0 {
		return ReceivedEvent{}, r.arrived
	}
	found := r.unread[i]
	r.unread = slices.Delete(r.unread, i, i+1)
	return found, nil
}

// describe returns the deliveries so far, one per line.
func (r *Receiver) describe() string {
	var lines strings.Builder
	for _, e := range append(r.Events(), r.Rejected()...) {
		fmt.Fprintf(&lines, "  %s %s, responded %d\n", e.Event, e.ID, e.Status)
	}
	return cmp.Or(lines.String(), "  none")
}

// stop waits up to 5 s for the deliveries that are being received, and closes all
// connections.
func (r *Receiver) stop() {
	r.stopped.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.server.Config.Shutdown(ctx) // fails if a request does not arrive completely
		r.server.CloseClientConnections()
		r.server.Close()
	})
}

// Close deactivates the subscription, and stops the receiver. Both happen at the end of the
// test too.
func (r *Receiver) Close() {
	r.deactivate()
	r.stop()
}

// deactivate deactivates the subscription.
func (r *Receiver) deactivate() {
	r.deactivated.Do(func() {
		s := r.sandbox
		if r.HookID == "" {
			return // not subscribed
		}
		response, err := s.server.call(s.context(), http.MethodPut, s.tenantPath("/hooks/"+url.PathEscape(r.HookID)), map[string]bool{"active": false})
		if err == nil && response.Status != http.StatusNotFound { // deleted, perhaps with its tenant
			err = response.Err()
		}
		if err != nil {
			s.t.Errorf("understudy: deactivate the subscription of a receiver: %v", err)
		}
	})
}
