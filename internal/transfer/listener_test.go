package transfer_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
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

// limited is a server whose clients have chosen addresses. Its paths: / responds at once,
// /wait never responds, /body awaits the body of a request without credentials, and /body/x
// that of a request of the caller x.
type limited struct {
	t         *testing.T
	addresses *addressedListener
	arrived   chan struct{} // a request for /wait or /body has arrived
	idle      chan struct{} // a connection has become idle after a response
}

func newLimited(t *testing.T, limits transfer.Limits) *limited {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &limited{t, &addressedListener{Listener: socket, addresses: make(chan string, 1)}, make(chan struct{}), make(chan struct{}, 100)}
	listener := transfer.Listen(l.addresses, limits)
	server := &http.Server{
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/wait":
				l.arrived <- struct{}{}
				<-r.Context().Done()
			case "/body/a", "/body/b":
				transfer.RequestOf(r.Context(), r.URL.Path)
				l.arrived <- struct{}{}
				io.Copy(io.Discard, r.Body)
			case "/body":
				done := transfer.AwaitBody(r.Context())
				l.arrived <- struct{}{}
				io.Copy(io.Discard, r.Body)
				done()
			}
		}),
		ConnContext: transfer.ConnContext,
		ConnState: func(c net.Conn, state http.ConnState) {
			listener.ConnState(c, state)
			if state == http.StateIdle {
				l.idle <- struct{}{}
			}
		},
	}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return l
}

// dial connects from the address.
func (l *limited) dial(address string) client {
	l.t.Helper()
	l.addresses.addresses <- address
	connection, err := net.Dial("tcp", l.addresses.Addr().String())
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { connection.Close() })
	return client{l.t, connection, bufio.NewReader(connection)}
}

// wait connects from the address and sends a request that gets no response.
func (l *limited) wait(address string) client {
	l.t.Helper()
	c := l.dial(address)
	c.send("/wait")
	<-l.arrived
	return c
}

// stall connects from the address and sends a request without its body. If caller is
// given, it follows /body in the path.
func (l *limited) stall(address string, caller ...string) client {
	l.t.Helper()
	c := l.dial(address)
	if _, err := io.WriteString(c, "POST /body"+strings.Join(caller, "")+" HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"); err != nil {
		l.t.Fatal(err)
	}
	<-l.arrived
	return c
}

func (l *limited) use(c client) {
	l.t.Helper()
	c.send("/")
	c.want()
	<-l.idle
}

// TestOneAddressCannotTakeAllConnections checks that a client whose requests never end,
// on all connections of a listener, loses one of them to each client of another address,
// and that addresses with fewer connections lose none to it.
func TestOneAddressCannotTakeAllConnections(t *testing.T) {
	t.Parallel()
	l := newLimited(t, transfer.Limits{Total: 4, Exempt: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/28")}})
	const greedy, honest, proxy = "192.0.2.100", "192.0.2.101", "192.0.2.1"
	first, second := l.wait(greedy), l.wait(greedy)
	l.wait(greedy)
	l.wait(greedy)
	one := l.dial(honest)
	first.wantClosed()
	l.use(one)
	l.dial(greedy).wantClosed() // rather than the idle connection of the other address
	l.use(one)
	behind := l.dial(proxy)
	second.wantClosed()
	l.use(behind)
	l.use(one)
}

// TestNetworkCountsAsOneAddress checks that the addresses of an IPv6 network of 64 bits
// count as one.
func TestNetworkCountsAsOneAddress(t *testing.T) {
	t.Parallel()
	l := newLimited(t, transfer.Limits{Total: 2})
	first := l.wait("2001:db8::1")
	l.wait("2001:db8::ffff:2")
	other := l.dial("2001:db8:0:1::1")
	first.wantClosed()
	l.use(other)
}

// TestAwaitedBodyYields checks that a client that sends the body of its request slowly,
// before it has shown that it may make the call, loses its connection to a new one.
func TestAwaitedBodyYields(t *testing.T) {
	t.Parallel()
	l := newLimited(t, transfer.Limits{Total: 3})
	working := l.wait("192.0.2.1")
	first, second := l.stall("192.0.2.2"), l.stall("192.0.2.3")
	one := l.dial("192.0.2.4")
	first.wantClosed()
	l.use(one)
	if _, err := io.WriteString(second, "hello"); err != nil {
		t.Fatal(err)
	}
	second.want()
	<-l.idle
	l.use(second)
	l.use(one)
	third := l.wait("192.0.2.5") // instead of second, which has been idle longest
	second.wantClosed()
	l.use(one)
	third.Close()
	working.Close()
}

// TestRequestsOfOneCallerYield checks that a new connection displaces the connection with
// the oldest request of a caller that has many requests in progress from the same address,
// which may be the address of a proxy. A caller with a single request loses none, and requests
// that have ended do not count.
func TestRequestsOfOneCallerYield(t *testing.T) {
	t.Parallel()
	proxy := netip.MustParseAddr("192.0.2.1")
	for _, address := range []string{"192.0.2.100", proxy.String()} {
		l := newLimited(t, transfer.Limits{Total: 4, Exempt: []netip.Prefix{netip.PrefixFrom(proxy, 32)}})
		other, arrived, first := l.stall(address, "/b"), l.stall(address, "/a"), l.stall(address, "/a")
		if _, err := io.WriteString(arrived, "hello"); err != nil {
			t.Fatal(err)
		}
		arrived.want()
		<-l.idle
		arrived.send("/wait")
		<-l.arrived
		second := l.stall(address, "/a")
		l.wait(address)
		first.wantClosed()
		l.dial(address).wantClosed() // each caller has one request
		for _, c := range []client{other, second} {
			if _, err := io.WriteString(c, "hello"); err != nil {
				t.Fatal(err)
			}
			c.want()
			<-l.idle
		}
	}
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
