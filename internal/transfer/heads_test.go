package transfer_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/transfer"
)

// headServer is a server on a limited listener. It responds with the path and the body of
// a request. The header Caller names the caller.
type headServer struct {
	t       *testing.T
	address string
	dialer  net.Dialer    // of the clients
	closed  chan struct{} // receives a value for each connection that is closed
}

func newHeadServer(t *testing.T) *headServer {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limited := transfer.Listen(socket, transfer.Limits{})
	s := &headServer{t: t, address: socket.Addr().String(), closed: make(chan struct{}, 10_000)}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller := r.Header.Get("Caller"); caller != "" {
				transfer.RequestOf(r.Context(), caller)
			}
			body, err := io.ReadAll(r.Body)
			if err == nil {
				fmt.Fprintf(w, "%s %s", r.URL.Path, body)
			}
		}),
		MaxHeaderBytes: 16 << 10,
		ConnContext:    transfer.ConnContext,
		ConnState: func(c net.Conn, state http.ConnState) {
			limited.ConnState(c, state)
			if state == http.StateClosed { // and the listener has forgotten it
				s.closed <- struct{}{}
			}
		},
	}
	go server.Serve(limited)
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *headServer) dial() net.Conn {
	s.t.Helper()
	return s.dialFrom(&s.dialer)
}

func (s *headServer) dialFrom(dialer *net.Dialer) net.Conn {
	s.t.Helper()
	c, err := dialer.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// hold opens connections that send the text and then wait, until the server has closed
// one of them for its successors.
func (s *headServer) hold(text string) (held []net.Conn) {
	s.t.Helper()
	for range 5000 {
		select {
		case <-s.closed:
			return held
		default:
		}
		c := s.dial()
		io.WriteString(c, text)
		held = append(held, c)
	}
	s.t.Fatalf("no connection of %d was closed", len(held))
	return nil
}

// want reads a response, which must be 200 with the body.
func (s *headServer) want(answers *bufio.Reader, body string) {
	s.t.Helper()
	response, err := http.ReadResponse(answers, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK || string(got) != body {
		s.t.Fatalf("got %d %.100q, %v; want %q", response.StatusCode, got, err, body)
	}
}

// fill is a header of the size in bytes.
func fill(bytes int) string { return "X-Fill: " + strings.Repeat("x", bytes-10) + "\r\n" }

// ordinary makes calls with a head of 6 KB that arrives in three parts, on one connection.
func (s *headServer) ordinary() {
	s.t.Helper()
	c := s.dial()
	answers := bufio.NewReader(c)
	for _, path := range []string{"/first", "/second"} {
		for _, part := range []string{"POST " + path + " HTTP/1.1\r\n" + fill(3000), fill(3000) + "Content-Le", "ngth: 8\r\nHost: x\r\n\r\nthe body"} {
			if _, err := io.WriteString(c, part); err != nil {
				s.t.Fatal(err)
			}
		}
		s.want(answers, path+" the body")
	}
}

// TestHeadsAreLimited sends heads without an end on many connections, of the size that
// net/http reads at once and larger: once they are too large in all, the one that has
// waited longest loses its connection, and the requests of others get their responses.
func TestHeadsAreLimited(t *testing.T) {
	t.Parallel()
	for _, size := range []int{4000, 12_000} {
		s := newHeadServer(t)
		kept := s.dial()
		answers := bufio.NewReader(kept)
		io.WriteString(kept, "GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
		s.want(answers, "/before ")
		held := s.hold("GET / HTTP/1.1\r\nHost: x\r\n" + fill(size))
		if least := 8 << 20 / (size + 100); len(held) < least {
			t.Errorf("a connection was closed after %d heads of %d bytes, want at least %d", len(held), size, least)
		}
		io.WriteString(kept, "GET /during HTTP/1.1\r\nHost: x\r\n\r\n")
		s.want(answers, "/during ")
		s.ordinary()
		if n, err := io.Copy(io.Discard, held[0]); n > 0 || err == nil {
			t.Errorf("the first connection got %d bytes, %v; want that it was closed without a response", n, err)
		}
	}
}

// TestHeadsOfCallersAreLimited sends requests of one caller whose bodies do not arrive: as
// soon as their heads are too large in all, the caller loses connections, and the requests
// of others get their responses.
func TestHeadsOfCallersAreLimited(t *testing.T) {
	t.Parallel()
	s := newHeadServer(t)
	other := s.dial()
	answers := bufio.NewReader(other)
	io.WriteString(other, "POST /other HTTP/1.1\r\nHost: x\r\nCaller: b\r\nContent-Length: 4\r\n\r\n")
	s.hold("POST / HTTP/1.1\r\nHost: x\r\nCaller: a\r\nContent-Length: 10\r\n" + fill(4000) + "\r\n")
	s.ordinary()
	io.WriteString(other, "body")
	s.want(answers, "/other body")
}

// TestHeadsBehindRequestsAreLimited sends a whole request together with a part of the head
// of the next one, on many connections: the parts count, although net/http reads them
// with the first request.
func TestHeadsBehindRequestsAreLimited(t *testing.T) {
	t.Parallel()
	s := newHeadServer(t)
	held := s.hold("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n" + fill(3500))
	if len(held) > 8<<20/3500+500 {
		t.Errorf("a connection was closed only after %d", len(held))
	}
	s.ordinary()
}

// TestForgottenHeadsDoNotCount closes connections with heads, and then opens as many
// again: none is closed for the heads of the first ones.
func TestForgottenHeadsDoNotCount(t *testing.T) {
	t.Parallel()
	s := newHeadServer(t)
	for range 3 {
		var held []net.Conn
		for range 8 << 20 / 15_000 * 2 / 3 {
			c := s.dial()
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n"+fill(12_000))
			held = append(held, c)
		}
		s.ordinary()
		for _, c := range held {
			c.SetReadDeadline(time.Now().Add(time.Millisecond)) // all are still open
			if _, err := c.Read(make([]byte, 1)); err == nil || !err.(net.Error).Timeout() {
				t.Fatalf("a connection was closed: %v", err)
			}
			c.Close()
		}
		for range held {
			<-s.closed
		}
	}
}

// TestHeadsOfManyAddressesAreLimited sends incomplete heads from so many addresses that none of them has large
// heads: the connection that has waited longest is closed, although its address does not have the most bytes.
func TestHeadsOfManyAddressesAreLimited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has only one loopback address")
	}
	t.Parallel()
	s := newHeadServer(t)
	const addresses = 20
	var first net.Conn
	for n := 0; len(s.closed) == 0 && n < 2000; n++ {
		for range 1 + n%2 { // every second address sends twice as much as the first one
			c := s.dialFrom(&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+n%addresses))}})
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n"+fill(12_000))
			if first == nil {
				first = c
			}
		}
	}
	first.SetReadDeadline(time.Now().Add(30 * time.Second))
	n, err := first.Read(make([]byte, 1))
	if timeout, ok := err.(net.Error); n > 0 || err == nil || ok && timeout.Timeout() {
		t.Errorf("the first connection got %d bytes, %v; want that it was closed", n, err)
	}
}

// TestHeadsOfOneAddressAreLimited sends incomplete heads from one address while the head of a client at
// another address arrives slowly. The first address loses connections, and the slow client gets its
// response.
func TestHeadsOfOneAddressAreLimited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has only one loopback address")
	}
	t.Parallel()
	s := newHeadServer(t)
	slow := s.dial()
	io.WriteString(slow, "GET /slow HTTP/1.1\r\n")
	s.dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}
	for range 3 {
		s.hold("GET / HTTP/1.1\r\nHost: x\r\n" + fill(12_000))
	}
	io.WriteString(slow, "Host: x\r\n\r\n")
	s.want(bufio.NewReader(slow), "/slow ")
}
