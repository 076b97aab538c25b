package transfer

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
)

// endless is a body that always has more data.
type endless struct{ read, most atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Add(int64(len(p))) > e.most.Load() {
		return 0, io.EOF
	}
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// TestLongBodiesLetOthersRun checks that a goroutine that reads a body that always has more data
// lets others run after a few kilobytes.
func TestLongBodiesLetOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sent := &endless{}
	sent.most.Store(1 << 30)
	read := make(chan struct{})
	handler := Bodies(Limits{})(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		defer close(read)
		io.Copy(io.Discard, r.Body)
	}))
	r := httptest.NewRequest(http.MethodPut, "/", sent)
	go handler.ServeHTTP(httptest.NewRecorder(), r)
	const turns = 100
	for range turns {
		runtime.Gosched()
	}
	got := sent.read.Load()
	sent.most.Store(0)
	<-read
	if want := int64(turns+1) * 2 * maxUnbroken; got == 0 || got > want {
		t.Errorf("%d bytes were read while others had %d turns, want at most %d", got, turns, want)
	}
}

// endlessConn is a connection that always has more data.
type endlessConn struct {
	net.Conn
	endless
}

func (c *endlessConn) Read(p []byte) (int, error) { return c.endless.Read(p) }

func (c *endlessConn) Close() error { return nil }

// connections is a listener with one connection.
type connections struct {
	net.Listener
	one net.Conn
}

func (c connections) Accept() (net.Conn, error) { return c.one, nil }

// TestConnectionsLetOthersRun checks that a goroutine that reads a connection which always has more
// data lets others run after each read, for example while it reads chunks of one byte.
func TestConnectionsLetOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	local, remote := net.Pipe()
	defer local.Close()
	defer remote.Close()
	sent := &endlessConn{Conn: local}
	sent.most.Store(1 << 30)
	c, err := Listen(connections{one: sent}, Limits{}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(io.Discard, c)
	}()
	const turns = 100
	for range turns {
		runtime.Gosched()
	}
	got := sent.read.Load()
	sent.most.Store(0)
	<-read
	if want := int64(turns+1) * 2 * maxUnbroken; got == 0 || got > want {
		t.Errorf("%d bytes were read while others had %d turns, want at most %d", got, turns, want)
	}
}
