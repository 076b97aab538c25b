package transfer_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy.example/internal/transfer"
)

// pipes is a listener whose connections are added by the test.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) { return <-p, nil }
func (p pipes) Close() error              { return nil }
func (p pipes) Addr() net.Addr            { return &net.TCPAddr{} }

// pipe is the server's end of a connection from an address.
type pipe struct {
	net.Conn
	address string
}

func (p pipe) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(p.address))
}

// record is a TLS record without content.
var record = []byte{22, 3, 1, 0, 0}

// readRecord reads a record.
func readRecord(c net.Conn) error {
	_, err := io.ReadFull(c, make([]byte, len(record)))
	return err
}

// begun returns the server's end of a connection on which the client has sent a record.
func begun(t *testing.T, from pipes, l *transfer.Listener, address string) net.Conn {
	t.Helper()
	server, client := net.Pipe()
	go client.Write(record)
	go io.Copy(io.Discard, client)
	go func() { from <- pipe{server, address} }()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return c
}

// work stands for handshakes that take a second of CPU time each. It counts how many run at the same
// time.
type work struct{ now, most atomic.Int32 }

func (w *work) do(c net.Conn) error {
	if err := readRecord(c); err != nil {
		return err
	}
	if n := w.now.Add(1); n > w.most.Load() {
		w.most.Store(n)
	}
	time.Sleep(time.Second)
	w.now.Add(-1)
	_, err := c.Write([]byte{1})
	return err
}

// TestHandshakesUseHalfOfTheCores checks that only half of the cores work on handshakes, however many clients connect.
func TestHandshakesUseHalfOfTheCores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pipes)
		l := transfer.Listen(from, transfer.Limits{Handshakes: transfer.NewHandshakes()})
		var w work
		var all sync.WaitGroup
		for range 4 * max(1, runtime.GOMAXPROCS(0)/2) {
			c := begun(t, from, l, "192.0.2.1:1000")
			all.Go(func() {
				if err := w.do(c); err != nil {
					t.Error(err)
				}
				c.Close()
			})
		}
		all.Wait()
		if want := max(1, runtime.GOMAXPROCS(0)/2); int(w.most.Load()) != want {
			t.Errorf("%d handshakes at a time, want %d", w.most.Load(), want)
		}
	})
}

// checkOther checks that a client of another network waits for at most two handshakes before its own.
func checkOther(t *testing.T, w *work, from pipes, l *transfer.Listener) {
	t.Helper()
	start := time.Now()
	other := begun(t, from, l, "192.0.2.1:1000")
	if err := w.do(other); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("handshake of another network: took %v, error %v; want at most 3 s, no error", time.Since(start), err)
	}
	other.Close()
}

// TestHandshakesOfNetworksAlternate checks that a client waits only for those handshakes of another network
// that are in progress or next, however many that network has begun.
func TestHandshakesOfNetworksAlternate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pipes)
		l := transfer.Listen(from, transfer.Limits{Handshakes: transfer.NewHandshakes()})
		var w work
		var all sync.WaitGroup
		for i := range 200 {
			c := begun(t, from, l, fmt.Sprintf("[2001:db8::%x]:1000", i))
			all.Go(func() {
				w.do(c) // fails if it waits longer than a handshake may last
				c.Close()
			})
		}
		synctest.Wait()
		checkOther(t, &w, from, l)
		all.Wait()
	})
}

// TestFewHandshakesComeFirst checks that the client of a network without a recent handshake does not wait for many networks
// with one, and that the networks of a site together count as one.
func TestFewHandshakesComeFirst(t *testing.T) {
	for _, test := range []struct {
		name, address string
		rounds        int
	}{
		{"addresses with a recent handshake", "198.51.100.%d:1000", 2},
		{"networks of a site", "[2001:db8:0:%x::1]:1000", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := make(pipes)
				l := transfer.Listen(from, transfer.Limits{Handshakes: transfer.NewHandshakes()})
				var w work
				var all sync.WaitGroup
				for round := range test.rounds {
					if round > 0 {
						time.Sleep(6 * time.Second) // the handshakes of the first round end
					}
					for i := range 6 * max(1, runtime.GOMAXPROCS(0)/2) {
						c := begun(t, from, l, fmt.Sprintf(test.address, i))
						all.Go(func() {
							w.do(c)
							c.Close()
						})
					}
					synctest.Wait()
				}
				checkOther(t, &w, from, l)
				all.Wait()
			})
		})
	}
}

// TestPartsOfRecordsNeedNoTurn checks that a connection waits for a turn only once it has read a whole record.
func TestPartsOfRecordsNeedNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pipes)
		l := transfer.Listen(from, transfer.Limits{Handshakes: transfer.NewHandshakes()})
		for range max(1, runtime.GOMAXPROCS(0)/2) { // take all turns
			c := begun(t, from, l, "192.0.2.1:1000")
			if err := readRecord(c); err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
		server, client := net.Pipe()
		defer client.Close()
		go func() { from <- pipe{server, "192.0.2.1:1000"} }()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		parts := [][]byte{{22, 3}, {1, 0, 4, 7, 7}, {7}, {7, 22}} // the last one ends the record
		go func() {
			for _, part := range parts {
				client.Write(part)
			}
		}()
		for _, part := range parts[:3] {
			if _, err := io.ReadFull(c, make([]byte, len(part))); err != nil {
				t.Fatal(err)
			}
		}
		read := make(chan error, 1)
		go func() {
			_, err := io.ReadFull(c, make([]byte, 2))
			read <- err
		}()
		synctest.Wait()
		if len(read) > 0 {
			t.Error("a complete record was processed without a turn")
		}
		if err := <-read; err == nil {
			t.Error("got a turn although all turns were taken")
		}
	})
}

// TestTurnsOfHandshakesEnd checks that a turn ends when the server reads again, when it closes the
// connection, when it writes, and when a request arrives. After a request, and after the server's part of a
// handshake, later reads need no turns.
func TestTurnsOfHandshakesEnd(t *testing.T) {
	for name, end := range map[string]func(l *transfer.Listener, c net.Conn){
		"read":    func(_ *transfer.Listener, c net.Conn) { go c.Read(make([]byte, 1)) },
		"write":   func(_ *transfer.Listener, c net.Conn) { c.Write([]byte{1}) },
		"answer":  func(_ *transfer.Listener, c net.Conn) { c.Write(make([]byte, 1000)) },
		"close":   func(_ *transfer.Listener, c net.Conn) { c.Close() },
		"request": func(l *transfer.Listener, c net.Conn) { l.ConnState(c, http.StateActive) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := make(pipes)
				l := transfer.Listen(from, transfer.Limits{Handshakes: transfer.NewHandshakes()})
				var holders []net.Conn
				for range max(1, runtime.GOMAXPROCS(0)/2) { // take all turns
					c := begun(t, from, l, "192.0.2.1:1000")
					if err := readRecord(c); err != nil {
						t.Fatal(err)
					}
					holders = append(holders, c)
				}
				waiting := begun(t, from, l, "192.0.2.1:1000")
				result := make(chan error, 1)
				go func() { result <- readRecord(waiting) }()
				synctest.Wait()
				if len(result) > 0 {
					t.Fatal("a handshake did not wait for its turn")
				}
				end(l, holders[0])
				synctest.Wait()
				if len(result) == 0 {
					t.Fatal("the turn did not end")
				}
				if err := <-result; err != nil {
					t.Error(err)
				}
				if name == "request" || name == "answer" { // then reads need no turn, although all turns are taken
					again := begun(t, from, l, "192.0.2.1:1000")
					end(l, again)
					if err := readRecord(again); err != nil {
						t.Error(err)
					}
					again.Close()
				}
				for _, c := range append(holders, waiting) {
					c.Close()
				}
			})
		})
	}
}

// TestHandshakesOfClosedConnections checks that the server does not work on a handshake whose client has closed
// the connection while it waited for a turn.
func TestHandshakesOfClosedConnections(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not report closed connections")
	}
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	l := transfer.Listen(socket, transfer.Limits{Handshakes: transfer.NewHandshakes()})
	for _, reset := range []bool{false, true} {
		client, err := net.Dial("tcp", socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		client.Write(record)
		if reset {
			client.(*net.TCPConn).SetLinger(0)
		}
		client.Close()
		if err := readRecord(c); err == nil { // the loopback interface delivers the end at once
			t.Errorf("reset %v: read a record, want an error", reset)
		}
		c.Close()
	}
}
