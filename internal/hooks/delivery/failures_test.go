package delivery_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// recordedAttempt is a row of the view attempts.
type recordedAttempt struct {
	Status   int
	Failure  string
	Address  string
	Response []byte
}

// awaitAttempt waits until an attempt is recorded, and returns the first one.
func awaitAttempt(s *servertest.Server) (attempt recordedAttempt) {
	s.T.Helper()
	servertest.Until(s.T, "an attempt is recorded", func() bool {
		rows, err := s.DB.Query(context.Background(), `
			select coalesce(status, 0) as status, coalesce(failure, '') as failure, address, response
			from attempts
			order by at
			limit 1`)
		if err != nil {
			s.T.Fatal(err)
		}
		attempt, err = pgx.CollectOneRow(rows, pgx.RowToStructByName[recordedAttempt])
		return err == nil
	})
	return attempt
}

// responseTimeout is an option: attempts wait that long for a response.
func responseTimeout(d time.Duration) func(*servertest.Options) {
	return func(o *servertest.Options) {
		o.Sender = hooks.NewSender(hooks.Network{AllowPrivate: true, ResponseTimeout: d}, hooks.Signature{})
	}
}

// listen serves each connection with the function, after it has read the request,
// and returns the URL.
func listen(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 64<<10)) // a part of the request is enough
				serve(conn)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// drip writes the text byte by byte, one in each 100 ms, until the client leaves.
func drip(conn net.Conn, text string) {
	for _, b := range []byte(text) {
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestFailures checks the failure class of each way in which an attempt can fail,
// and that a hostile receiver can neither hold an attempt nor fill memory.
func TestFailures(t *testing.T) {
	servertest.Proves(t,
		"Chosen, events and delivery: redirects are not followed",
		"Chosen, events and delivery: the IP address that is dialled is checked, not only the URL")
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	var redirected atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Store(true) }))
	t.Cleanup(target.Close)
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)

	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	for range 64 {
		packed.Write(make([]byte, 1<<20))
	}
	packed.Close()

	isLarge := func(response []byte) bool { return len(response) > 16<<10 && len(response) < 32<<10 }
	for name, test := range map[string]struct {
		url      string
		status   int
		failure  string
		response func([]byte) bool
	}{
		"hangs":     {listen(t, func(conn net.Conn) { io.Copy(io.Discard, conn) }), 0, "answer_timeout", nil},
		"slow head": {listen(t, func(conn net.Conn) { drip(conn, "HTTP/1.1 200 OK\r\n"+strings.Repeat("A: b\r\n", 100)) }), 0, "answer_timeout", nil},
		"slow body": {listen(t, func(conn net.Conn) {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			drip(conn, strings.Repeat("x", 1000))
		}), 200, "", func(response []byte) bool { return len(response) > 0 && len(response) < 1000 }},
		"body of 1 GB": {listen(t, func(conn net.Conn) {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
			chunk := make([]byte, 1<<20)
			for range 1024 {
				if _, err := conn.Write(chunk); err != nil {
					return
				}
			}
		}), 200, "", isLarge},
		"gzip bomb": {listen(t, func(conn net.Conn) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", bomb.Len())
			conn.Write(bomb.Bytes()) // fails when the client leaves
		}), 200, "", func(response []byte) bool {
			return isLarge(response) && bytes.Contains(response, []byte("\r\n\r\n\x1f\x8b"))
		}},
		"10,000 headers": {listen(t, func(conn net.Conn) {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n")
			for i := range 10_000 {
				fmt.Fprintf(conn, "X-%d: y\r\n", i)
			}
			fmt.Fprint(conn, "\r\n")
		}), 0, "malformed_answer", nil},
		"redirects": {servertest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
		}).URL, 307, "redirect", nil},
		"resets":           {listen(t, func(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0) }), 0, "reset", nil},
		"closes":           {listen(t, func(net.Conn) {}), 0, "reset", nil},
		"another protocol": {listen(t, func(conn net.Conn) { fmt.Fprint(conn, "220 ready\r\n\r\n") }), 0, "malformed_answer", nil},
		"switches protocols": {listen(t, func(conn net.Conn) {
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			io.Copy(io.Discard, conn) // does not close the connection
		}), 0, "malformed_answer", nil},
		"refuses":           {closed.URL, 0, "refused", nil},
		"unknown authority": {untrusted.URL, 0, "tls", nil},
		"no TLS":            {strings.Replace(target.URL, "http://", "https://", 1), 0, "tls", nil},
		"unknown host":      {"http://nothing.invalid", 0, "dns", nil},
		"metadata":          {"http://169.254.169.254/latest", 0, "blocked_address", nil},
		"unspecified":       {"http://0.0.0.0:80", 0, "blocked_address", nil},
		"link-local":        {"http://169.254.10.10/", 0, "blocked_address", nil},
		"multicast":         {"http://224.0.0.1/", 0, "blocked_address", nil},
		"mapped metadata":   {"http://[::ffff:169.254.169.254]/", 0, "blocked_address", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, responseTimeout(1500*time.Millisecond))
			s.Acme().Subscribe("http://127.0.0.1:9")
			s.Exec("update hooks set url = $1", test.url) // the API refuses some
			s.RunDispatcher()
			s.Publish("acme", "a:b")
			attempt := awaitAttempt(s)
			if attempt.Status != test.status || attempt.Failure != test.failure || test.response != nil && !test.response(attempt.Response) {
				t.Errorf("status %d, failure %q, %d bytes of the response, want %d, %q", attempt.Status, attempt.Failure, len(attempt.Response), test.status, test.failure)
			}
			if test.failure != "dns" && attempt.Address == "" {
				t.Error("the dialled address is not recorded")
			}
		})
	}
	t.Cleanup(func() {
		if redirected.Load() {
			t.Error("a redirect was followed")
		}
	})
}

// TestDefaultTimeouts checks how long an attempt waits unless an option says otherwise.
func TestDefaultTimeouts(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: 5 s to connect, 60 s to respond")
	t.Parallel()
	sender := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	if connect, response := sender.Timeouts(); connect != 5*time.Second || response != time.Minute || sender.Timeout() != 65*time.Second {
		t.Errorf("an attempt waits %s for a connection, %s for a response, %s in all", connect, response, sender.Timeout())
	}
}

// TestPrivateAddressesAreBlocked checks that loopback is not dialled, not even by
// name, unless private addresses are allowed.
func TestPrivateAddressesAreBlocked(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: the IP address that is dialled is checked, not only the URL")
	s := servertest.New(t, func(o *servertest.Options) { o.Sender = hooks.NewSender(hooks.Network{}, hooks.Signature{}) })
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t)
	s.Acme().Subscribe(strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1))
	s.Publish("acme", "a:b")
	if attempt := awaitAttempt(s); attempt.Failure != "blocked_address" || len(receiver.Received()) != 0 {
		t.Errorf("failure %q, %d deliveries, want blocked_address and none", attempt.Failure, len(receiver.Received()))
	}
}

// TestProxyIsNotUsed checks that the proxy of the environment is not used.
func TestProxyIsNotUsed(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: no proxy is taken from the environment")
	proxy := servertest.NewReceiver(t)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	s := servertest.Open(t)
	s.RunDispatcher()
	s.Acme().Subscribe("http://nothing.invalid/")
	s.Publish("acme", "a:b")
	if attempt := awaitAttempt(s); attempt.Failure != "dns" || len(proxy.Received()) != 0 {
		t.Errorf("failure %q, the proxy was called %d times, want dns and 0", attempt.Failure, len(proxy.Received()))
	}
}
