package transfer_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"understudy.example/internal/transfer"
)

// client is a connection to a server.
type client struct {
	t *testing.T
	net.Conn
	reader *bufio.Reader
}

// send sends a request.
func (c client) send(path string) {
	c.t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		c.t.Fatal(err)
	}
}

// want reads a response with status 200.
func (c client) want() {
	c.t.Helper()
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		c.t.Errorf("response %d, want 200", response.StatusCode)
	}
}

// wantClosed waits until the server closes the connection.
func (c client) wantClosed() {
	c.t.Helper()
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if n, err := c.reader.Read(make([]byte, 1)); n > 0 || err == nil {
		c.t.Errorf("read %d bytes, want a closed connection", n)
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		c.t.Error("the connection is open after 30 s")
	}
}

// TestConnectionsOfListenerAreLimited opens more connections than a listener may have:
// the one that has been idle longest is closed, but none with a request in progress. If
// none is idle, the new one is refused.
func TestConnectionsOfListenerAreLimited(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limited := transfer.Listen(socket, transfer.Limits{Total: 3})
	arrived, release := make(chan struct{}), make(chan struct{})
	idle := make(chan struct{}, 100)
	server := &http.Server{
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				arrived <- struct{}{}
				<-release
			}
		}),
		ConnState: func(c net.Conn, state http.ConnState) {
			limited.ConnState(c, state)
			if state == http.StateIdle {
				idle <- struct{}{}
			}
		},
	}
	go server.Serve(limited)
	defer server.Close()
	dial := func() client {
		connection, err := net.Dial("tcp", socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { connection.Close() })
		return client{t, connection, bufio.NewReader(connection)}
	}
	use := func(c client) {
		t.Helper()
		c.send("/")
		c.want()
		<-idle
	}
	wait := func(c client) {
		t.Helper()
		c.send("/wait")
		<-arrived
	}

	working := dial()
	wait(working)
	first, second := dial(), dial()
	use(first)
	use(second)
	use(first) // so that second has been idle longer
	third := dial()
	use(third)
	second.wantClosed()
	use(first)

	wait(first)
	wait(third)
	dial().wantClosed()
	close(release)
	for _, c := range []client{working, first, third} {
		c.want()
		<-idle
		use(c)
	}
}

// TestOneAddressCannotTakeAllConnections checks that a client whose requests never end,
// on all connections of a listener, loses one of them to each client of another address,
// and that addresses with fewer connections lose none to it.
func TestOneAddressCannotTakeAllConnections(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addresses := &addressedListener{Listener: socket, addresses: make(chan string, 1)}
	limited := transfer.Listen(addresses, transfer.Limits{Total: 4, Exempt: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/28")}})
	idle := make(chan struct{}, 100)
	arrived := make(chan struct{})
	server := &http.Server{
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				arrived <- struct{}{}
				<-r.Context().Done()
			}
		}),
		ConnState: func(c net.Conn, state http.ConnState) {
			limited.ConnState(c, state)
			if state == http.StateIdle {
				idle <- struct{}{}
			}
		},
	}
	go server.Serve(limited)
	defer server.Close()
	dial := func(address string) client {
		t.Helper()
		addresses.addresses <- address
		connection, err := net.Dial("tcp", socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { connection.Close() })
		return client{t, connection, bufio.NewReader(connection)}
	}
	wait := func(address string) client {
		t.Helper()
		c := dial(address)
		c.send("/wait")
		<-arrived
		return c
	}
	use := func(c client) {
		t.Helper()
		c.send("/")
		c.want()
		<-idle
	}

	const greedy, honest, proxy = "192.0.2.100", "192.0.2.101", "192.0.2.1"
	first, second := wait(greedy), wait(greedy)
	wait(greedy)
	wait(greedy)
	one := dial(honest)
	first.wantClosed()
	use(one)
	dial(greedy).wantClosed() // rather than the idle connection of the other address
	use(one)
	behind := dial(proxy)
	second.wantClosed()
	use(behind)
	use(one)
}

// addressedListener gives the accepted connections the client addresses of the channel.
type addressedListener struct {
	net.Listener
	addresses chan string
}

func (l *addressedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return addressedConn{c, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(<-l.addresses), 1))}, nil
}

type addressedConn struct {
	net.Conn
	remote net.Addr
}

func (c addressedConn) RemoteAddr() net.Addr { return c.remote }
