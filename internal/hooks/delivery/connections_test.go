package delivery_test

import (
	"bytes"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestHTTP1 delivers to a receiver that speaks TLS and HTTP/2, too. HTTP/1.1 is used: see
// NewSender.
func TestHTTP1(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	const deliveries = 100
	protocols := make(chan string, deliveries)
	receiver := servertest.NewUnstartedReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		io.WriteString(w, "accepted")
	})
	receiver.EnableHTTP2 = true
	receiver.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(receiver.Certificate())
	s.App.Sender.TrustOnly(roots)
	s.RunDispatcher()
	hookID := acme.Subscribe(receiver.URL, `"secret":"s"`, `"header":"X-Key: v"`)
	s.Publish("acme", repeated("a:b", deliveries)...)
	for _, sent := range receiver.Await(t, deliveries) {
		if !sent.Verify("s") || sent.Header.Get("X-Key") != "v" || sent.Header.Get("X-Emperor-Event") != "a:b" {
			t.Fatalf("headers %v", sent.Header)
		}
	}
	for range deliveries {
		if protocol := <-protocols; protocol != "HTTP/1.1" {
			t.Fatalf("protocol %s, want HTTP/1.1", protocol)
		}
	}
	awaitDelivered(s, deliveries)
	if attempt := awaitAttempt(s); attempt.Status != 200 || !bytes.HasSuffix(attempt.Response, []byte("\r\n\r\naccepted")) || attempt.Address != receiver.Listener.Addr().String() {
		t.Errorf("attempt %+v", attempt)
	}
	if request := acme.HookRequests(hookID)[0]; request["response_status"] != 200.0 {
		t.Errorf("request %v", request)
	}
}

// TestConnectionsAreReused counts the connections of many deliveries.
func TestConnectionsAreReused(t *testing.T) {
	s := servertest.New(t)
	s.RunDispatcher()
	var connections atomic.Int64
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	receiver.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	receiver.Start()
	t.Cleanup(receiver.Close)
	s.Acme().Subscribe(receiver.URL)
	s.Publish("acme", repeated("a:b", 500)...)
	awaitDelivered(s, 500)
	if n := connections.Load(); n > 16 {
		t.Errorf("%d connections for 500 deliveries, 8 at a time, want at most 16", n)
	}
}
