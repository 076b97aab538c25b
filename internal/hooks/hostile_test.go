package hooks_test

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
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

	"understudy.example/internal/hooks"
	"understudy.example/internal/storage/storagetest"
)

// attempt is a kept attempt.
type attempt struct {
	status           int
	failure, address string
	answer           []byte
	took             int
}

// firstAttempt returns the first one that was kept.
func (w *world) firstAttempt() (a attempt) {
	w.t.Helper()
	eventually(w.t, "an attempt is kept", func() bool {
		return w.db.QueryRow(w.t.Context(), `
			select coalesce(status, 0), coalesce(failure, ''), address, answer, duration_ms
			from attempts
			order by at
			limit 1`).Scan(&a.status, &a.failure, &a.address, &a.answer, &a.took) == nil
	})
	return a
}

// listen answers each connection with the function.
func listen(t *testing.T, serve func(net.Conn)) string {
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
				serve(conn)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// heard reads the request's head.
func heard(conn net.Conn) { conn.Read(make([]byte, 64<<10)) } // what comes is enough

func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	var redirected atomic.Bool
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Store(true) }))
	t.Cleanup(inner.Close)
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)

	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	for range 64 {
		packed.Write(make([]byte, 1<<20)) // memory
	}
	packed.Close()

	for name, c := range map[string]struct {
		url     string
		status  int
		failure string
		answer  func([]byte) bool
	}{
		"hangs": {listen(t, func(conn net.Conn) { heard(conn); io.Copy(io.Discard, conn) }), 0, "answer_timeout", nil},
		"a byte a second in the head": {listen(t, func(conn net.Conn) {
			heard(conn)
			for _, b := range []byte("HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 100)) {
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}), 0, "answer_timeout", nil},
		"a byte a second in the body": {listen(t, func(conn net.Conn) {
			heard(conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			for {
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}), 200, "", func(b []byte) bool { return len(b) > 0 && len(b) < 100 }},
		"1 GB": {listen(t, func(conn net.Conn) {
			heard(conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
			chunk := make([]byte, 1<<20)
			for range 1024 {
				if _, err := conn.Write(chunk); err != nil {
					return
				}
			}
		}), 200, "", func(b []byte) bool { return len(b) > 16384 }},
		"gzip bomb": {listen(t, func(conn net.Conn) {
			heard(conn)
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", bomb.Len())
			conn.Write(bomb.Bytes()) // it leaves early
		}), 200, "", func(b []byte) bool { return len(b) > 16384 && bytes.Contains(b, []byte("\r\n\r\n\x1f\x8b")) }},
		"10,000 headers": {listen(t, func(conn net.Conn) {
			heard(conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n")
			for i := range 10_000 {
				fmt.Fprintf(conn, "X-%d: y\r\n", i)
			}
			fmt.Fprint(conn, "\r\n")
		}), 0, "malformed_answer", nil},
		"redirects": {newReceiver(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
		}).URL, 307, "redirect", nil},
		"resets": {listen(t, func(conn net.Conn) {
			heard(conn)
			conn.(*net.TCPConn).SetLinger(0) // it works
		}), 0, "reset", nil},
		"closes":          {listen(t, func(conn net.Conn) { heard(conn) }), 0, "reset", nil},
		"speaks nonsense": {listen(t, func(conn net.Conn) { heard(conn); fmt.Fprint(conn, "220 ready\r\n\r\n") }), 0, "malformed_answer", nil},
		"switches protocols": {listen(t, func(conn net.Conn) {
			heard(conn)
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			io.Copy(io.Discard, conn) // and stays
		}), 0, "malformed_answer", nil},
		"refuses":           {closed.URL, 0, "refused", nil},
		"unknown authority": {tls.URL, 0, "tls", nil},
		"no TLS":            {strings.Replace(inner.URL, "http://", "https://", 1), 0, "tls", nil},
		"no name":           {"http://nothing.invalid", 0, "dns", nil},
		"metadata":          {"http://169.254.169.254/latest", 0, "blocked_address", nil},
		"unspecified":       {"http://0.0.0.0:80", 0, "blocked_address", nil},
		"mapped metadata":   {"http://[::ffff:169.254.169.254]/", 0, "blocked_address", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) { w.network.Answer = 1500 * time.Millisecond })
			w.deliver()
			w.subscribe(c.url)
			w.publish("a:b")
			a := w.firstAttempt()
			if a.status != c.status || a.failure != c.failure || c.answer != nil && !c.answer(a.answer) {
				t.Errorf("kept status %d, failure %q, %d bytes, want %d %q", a.status, a.failure, len(a.answer), c.status, c.failure)
			}
			if c.failure != "dns" && a.address == "" {
				t.Error("the address dialled is not kept")
			}
		})
	}
	t.Cleanup(func() {
		if redirected.Load() {
			t.Error("a redirect was followed")
		}
	})
}

func TestLoopbackOnlyInside(t *testing.T) {
	w := newWorld(t, func(w *world) { w.network = hooks.Network{} })
	w.deliver()
	to := newReceiver(t)
	w.subscribe(strings.Replace(to.URL, "127.0.0.1", "localhost", 1))
	w.publish("a:b")
	if a := w.firstAttempt(); a.failure != "blocked_address" || len(to.all()) != 0 {
		t.Errorf("kept failure %q, %d deliveries", a.failure, len(to.all()))
	}
}

func TestProxyOfTheEnvironmentIsNotAsked(t *testing.T) {
	proxy := newReceiver(t)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	w := worldOn(t, storagetest.DB(t))
	w.deliver()
	w.subscribe("http://nothing.invalid/")
	w.publish("a:b")
	if a := w.firstAttempt(); a.failure != "dns" || len(proxy.all()) != 0 {
		t.Errorf("kept failure %q, the proxy was asked %d times", a.failure, len(proxy.all()))
	}
}

// TestSlots has a receiver hang with a hundred deliveries due, and another
// subscription served meanwhile.
func TestSlots(t *testing.T) {
	w := newWorld(t, func(w *world) { w.network.Answer = 20 * time.Second })
	w.deliver()
	release := make(chan struct{})
	var inside, most atomic.Int64
	hanging := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		n := inside.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		defer inside.Add(-1)
		<-release
	})
	prompt := newReceiver(t)
	w.subscribe(hanging.URL, `"events":["bad"]`)
	w.subscribe(prompt.URL, `"events":["good"]`)
	bad := make([]string, 100)
	for i := range bad {
		bad[i] = "bad:one"
	}
	w.publish(bad...)
	eventually(t, "the slots are taken", func() bool { return inside.Load() == 8 })
	for i := range 200 {
		w.publish("good:one")
		prompt.wait(t, i+1)
	}
	if inside.Load() != 8 || most.Load() != 8 {
		t.Errorf("%d slots are taken, at most %d were, want 8", inside.Load(), most.Load())
	}
	close(release)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == 300 })
	if most.Load() != 8 {
		t.Errorf("%d slots were taken", most.Load())
	}
}

// TestSlotsOfAReceiver has three subscriptions to one receiver hang, and a
// fourth to the same, which does not, served meanwhile.
func TestSlotsOfAReceiver(t *testing.T) {
	w := newWorld(t, func(w *world) { w.network.Answer = 20 * time.Second })
	w.deliver()
	release := make(chan struct{})
	var inside, most, prompt atomic.Int64
	to := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/prompt" {
			prompt.Add(1)
			return
		}
		n := inside.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		defer inside.Add(-1)
		<-release
	})
	names := make([]string, 0, 150)
	for i, event := range []string{"bad:0", "bad:1", "bad:2"} {
		w.subscribe(fmt.Sprintf("%s/%d", to.URL, i), `"events":["`+event+`"]`)
		for range 50 {
			names = append(names, event)
		}
	}
	w.subscribe(to.URL+"/prompt", `"events":["good"]`)
	w.publish(names...)
	eventually(t, "the slots are taken", func() bool { return inside.Load() >= 8 })
	for i := range 100 {
		w.publish("good:one")
		eventually(t, "the fourth is served", func() bool { return prompt.Load() == int64(i+1) })
	}
	if n := most.Load(); n > 10 { // with one each for those that have none
		t.Errorf("%d slots of one receiver were taken, want 8 and one for each further subscription", n)
	}
	close(release)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == 250 })
}

// TestMovedWhileItHangs changes a subscription's URL while its receiver hangs.
func TestMovedWhileItHangs(t *testing.T) {
	w := newWorld(t, func(w *world) { w.network.Answer = 40 * time.Second })
	w.deliver()
	release := make(chan struct{})
	hanging := newReceiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	prompt := newReceiver(t)
	hookID := w.subscribe(hanging.URL)
	names := make([]string, 50)
	for i := range names {
		names[i] = "a:b"
	}
	w.publish(names...)
	hanging.wait(t, 8)
	w.want(200, "PATCH /hooks/"+hookID, `{"url":"`+prompt.URL+`"}`)
	prompt.wait(t, 42)
	if n := len(hanging.all()); n != 8 {
		t.Errorf("%d deliveries went to the old receiver, want 8", n)
	}
	close(release)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == 50 })
}

// TestHTTP2 delivers to a receiver that speaks TLS and HTTP/2.
func TestHTTP2(t *testing.T) {
	w := newWorld(t)
	protocols := make(chan string, 100)
	to := &receiver{Server: httptest.NewUnstartedServer(nil)}
	to.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		to.mu.Lock()
		to.got = append(to.got, got{r.Header.Clone(), string(body), time.Now()})
		to.mu.Unlock()
		protocols <- r.Proto
		io.WriteString(w, "taken") // it may be gone
	})
	to.EnableHTTP2 = true
	to.StartTLS()
	t.Cleanup(to.Close)
	roots := x509.NewCertPool()
	roots.AddCert(to.Certificate())
	w.sender.Trust(roots)
	w.deliver()
	hookID := w.subscribe(to.URL, `"secret":"s"`, `"header":"X-Key: v"`)
	names := make([]string, cap(protocols))
	for i := range names {
		names[i] = "a:b"
	}
	w.publish(names...)
	for _, sent := range to.wait(t, len(names)) {
		if !verify("s", sent) || sent.Header.Get("X-Key") != "v" || sent.Header.Get("X-Emperor-Event") != "a:b" {
			t.Fatalf("sent %v", sent.Header)
		}
	}
	for range names {
		if spoken := <-protocols; spoken != "HTTP/2.0" {
			t.Fatalf("%s was spoken", spoken)
		}
	}
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == len(names) })
	if a := w.firstAttempt(); a.status != 200 || !bytes.HasSuffix(a.answer, []byte("\r\n\r\ntaken")) || a.address != to.Listener.Addr().String() {
		t.Errorf("kept %+v", a)
	}
	if request := w.requests(hookID)[0]; request["response_status"] != 200.0 {
		t.Errorf("request is %v", request)
	}
}

// TestConnectionsAreReused counts the connections of many deliveries.
func TestConnectionsAreReused(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	var made atomic.Int64
	to := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	to.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	}
	to.Start()
	t.Cleanup(to.Close)
	w.subscribe(to.URL)
	names := make([]string, 500)
	for i := range names {
		names[i] = "a:b"
	}
	w.publish(names...)
	eventually(t, "all is delivered", func() bool { return w.states()["delivered"] == 500 })
	if made.Load() > 16 {
		t.Errorf("%d connections were made for 500 deliveries, 8 at a time", made.Load())
	}
}
