package transfer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/turns"
)

const (
	handshakeWait    = 10 * time.Second // maximum wait for a turn, and maximum duration of a handshake
	firstHandshake   = 5 * time.Second  // a network without a turn for this long goes ahead of those with a recent one; see turns.Queue
	handshakeNetwork = 48               // prefix length of an IPv6 site; all clients of a site share their turns
)

var (
	errGone   = errors.New("the client has closed the connection")
	errNoTurn = fmt.Errorf("no turn for the TLS handshake within %v", handshakeWait)
)

// Handshakes limits the CPU time of TLS handshakes. A handshake takes about 1 ms: without a limit,
// calls would wait for all handshakes that clients begin at the same time. At most half of the cores
// work on handshakes. The networks of the clients take turns, and those without a recent handshake go
// ahead of the others.
type Handshakes struct{ queue turns.Queue }

// NewHandshakes returns the Handshakes that all listeners with TLS share.
func NewHandshakes() *Handshakes {
	return &Handshakes{turns.Queue{Size: max(1, runtime.GOMAXPROCS(0)/2), First: firstHandshake}}
}

// take waits for a turn for the network.
func (h *Handshakes) take(network netip.Addr) error {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeWait)
	defer cancel()
	if h.queue.Take(ctx, uuid.NewSHA1(uuid.Nil, network.AsSlice())) != nil {
		return errNoTurn
	}
	return nil
}

// handshake is the state of a connection until its first request. Until the server has sent its part of the TLS
// handshake, each TLS record needs a turn before it is processed. The turn ends when the server reads again, writes,
// or closes the connection.
type handshake struct {
	turns *Handshakes // nil without TLS

	header []byte // what has been read of the header of a record
	left   int    // bytes of the record that have not been read

	mu      sync.Mutex
	holding bool
	over    bool
	written int // bytes
}

// retryRequest is a size in bytes that a HelloRetryRequest does not reach. After a HelloRetryRequest, the client
// begins the handshake again. Once the server has written more, the expensive part of the handshake is over, and
// the rest needs no turn.
const retryRequest = 150

// begin waits for a turn to process what the connection has read, if that completes a record.
func (h *handshake) begin(c net.Conn, read []byte) error {
	if !h.needsTurn() || !h.completes(read) {
		return nil
	}
	if err := h.turns.take(network(c.RemoteAddr(), handshakeNetwork)); err != nil {
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

// completes reports whether the bytes, which follow those of earlier calls, end a record.
func (h *handshake) completes(read []byte) (completed bool) {
	for len(read) > 0 {
		if h.left > 0 {
			n := min(h.left, len(read))
			h.left, read = h.left-n, read[n:]
			completed = completed || h.left == 0
			continue
		}
		h.header, read = append(h.header, read[0]), read[1:]
		if len(h.header) == recordHeader {
			h.left = int(h.header[3])<<8 | int(h.header[4])
			completed = completed || h.left == 0
			h.header = h.header[:0]
		}
	}
	return completed
}

const recordHeader = 5 // bytes: the type, two of the version, two of the length

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

func (h *handshake) needsTurn() bool {
	if h.turns == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.over && h.written < retryRequest
}

// wrote ends the turn, if there is one, before the server writes bytes.
func (h *handshake) wrote(bytes int) {
	h.pass()
	if h.turns == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written = min(h.written+bytes, retryRequest)
}
