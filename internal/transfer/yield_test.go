package transfer

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// endlessConn is a connection that has more data until most bytes have been read.
type endlessConn struct {
	net.Conn
	read, most atomic.Int64
}

func (c *endlessConn) Read(p []byte) (int, error) {
	if c.read.Add(int64(len(p))) > c.most.Load() {
		return 0, io.EOF
	}
	return len(p), nil
}

// oneConn is a listener with one connection.
type oneConn struct {
	net.Listener
	conn net.Conn
}

func (l oneConn) Accept() (net.Conn, error) { return l.conn, nil }

// TestConnectionsLetOthersRun checks that a goroutine that reads a connection which always has more
// data lets others run after each read: it reads little while another goroutine has 100 turns.
func TestConnectionsLetOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	local, remote := net.Pipe()
	defer local.Close()
	defer remote.Close()
	sent := &endlessConn{Conn: local}
	sent.most.Store(1 << 30)
	c, err := Listen(oneConn{conn: sent}, Limits{}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	const turns, size = 100, 1 << 10
	go func() {
		defer close(ended)
		for buffer := make([]byte, size); err == nil; {
			_, err = c.Read(buffer)
		}
	}()
	for range turns {
		runtime.Gosched()
	}
	got := sent.read.Load()
	sent.most.Store(0)
	<-ended
	if got == 0 || got > 2*(turns+1)*size {
		t.Errorf("%d bytes were read in %d turns, want at most two reads of %d bytes a turn", got, turns, size)
	}
}

// requestsConn is a connection whose client pipelines requests until it is closed.
type requestsConn struct {
	net.Conn
	sent   int
	closed atomic.Bool
}

func (c *requestsConn) Read(p []byte) (int, error) {
	if c.closed.Load() {
		return 0, io.EOF
	}
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for i := range p {
		p[i] = request[c.sent%len(request)]
		c.sent++
	}
	return len(p), nil
}

func (c *requestsConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *requestsConn) SetReadDeadline(time.Time) error  { return nil }
func (c *requestsConn) SetWriteDeadline(time.Time) error { return nil }

// TestPipelinedRequestsLetOthersRun checks that a goroutine that serves requests from its buffer lets others run after
// each of them.
func TestPipelinedRequestsLetOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	local, remote := net.Pipe()
	defer local.Close()
	defer remote.Close()
	sent := &requestsConn{Conn: local}
	l := Listen(oneConn{conn: sent}, Limits{})
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var served atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }), ConnState: l.ConnState}
	conns := make(chan net.Conn, 1)
	conns <- c
	go server.Serve(queuedListener{conns})
	defer server.Close()
	for served.Load() == 0 {
		runtime.Gosched()
	}
	const turns = 100
	before := served.Load()
	for range turns {
		runtime.Gosched()
	}
	got := served.Load() - before
	sent.closed.Store(true)
	if got > 3*turns {
		t.Errorf("%d requests were served in %d turns", got, turns)
	}
}

// queuedListener is a listener with the connections of a channel.
type queuedListener struct{ conns chan net.Conn }

func (l queuedListener) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l queuedListener) Close() error   { close(l.conns); return nil }
func (l queuedListener) Addr() net.Addr { return &net.TCPAddr{} }
