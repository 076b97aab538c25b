package transfer

import (
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
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
