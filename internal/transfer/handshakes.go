package transfer

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/turns"
)

const handshakeWait = 10 * time.Second // for a turn; the limit of a handshake

var errGone = errors.New("the client has closed the connection")

// Handshakes limits the CPU time of TLS handshakes. A handshake takes about 1 ms: without a limit,
// calls would wait for all handshakes that clients begin at the same time. At most half of the cores
// work on handshakes, and the networks of the clients take turns.
type Handshakes struct{ queue turns.Queue }

// NewHandshakes returns turns for the handshakes of all listeners with TLS.
func NewHandshakes() *Handshakes {
	return &Handshakes{turns.Queue{Size: max(1, runtime.GOMAXPROCS(0)/2)}}
}

// take waits for a turn of the network.
func (h *Handshakes) take(network netip.Addr) error {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeWait)
	defer cancel()
	return h.queue.Take(ctx, uuid.NewSHA1(uuid.Nil, network.AsSlice()))
}

// handshake is the beginning of a connection, up to its first request. What the server does with the
// bytes that it has read belongs to a turn, which ends when the server reads again, writes, or
// closes the connection.
type handshake struct {
	turns *Handshakes // nil without TLS

	mu      sync.Mutex
	holding bool
	over    bool
}

// begin waits for a turn to process what the connection has read.
func (h *handshake) begin(c net.Conn) error {
	if h.isOver() {
		return nil
	}
	if err := h.turns.take(network(c.RemoteAddr())); err != nil {
		return err
	}
	h.mu.Lock()
	h.holding = true
	over := h.over // the connection was closed meanwhile
	h.mu.Unlock()
	if over || !established(c) {
		h.pass()
		return errGone
	}
	return nil
}

// pass ends the turn, if there is one.
func (h *handshake) pass() {
	if h.turns == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holding {
		h.holding = false
		h.turns.queue.Pass()
	}
}

// end ends the handshake: later reads and writes need no turns.
func (h *handshake) end() {
	h.pass()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

func (h *handshake) isOver() bool {
	if h.turns == nil {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}
