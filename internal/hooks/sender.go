package hooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// userAgent names us to receivers.
const userAgent = "Understudy-Webhook/1"

// keptAnswer is how much of an answer's body is read and kept, in bytes.
const keptAnswer = 16 << 10

// Network is what a Sender may do. Zero times are the defaults.
type Network struct {
	Inside  bool          // deliver to loopback and private addresses too
	Connect time.Duration // longest wait for a connection; 5 s
	Answer  time.Duration // longest wait for an answer after that; 60 s
}

// Sender posts deliveries. Nothing that a receiver does turns it against us:
// it follows no redirect, asks no proxy, judges the address that it dials,
// unpacks nothing, reads a bounded answer in bounded time.
type Sender struct {
	transport *http.Transport
	signature Signature
	deadline  time.Duration
}

// NewSender returns a sender that signs in the given way.
func NewSender(network Network, signature Signature) *Sender {
	if network.Connect == 0 {
		network.Connect = 5 * time.Second
	}
	if network.Answer == 0 {
		network.Answer = 60 * time.Second
	}
	dialer := &net.Dialer{
		Timeout: network.Connect,
		Control: func(_, address string, _ syscall.RawConn) error {
			dialled, err := netip.ParseAddrPort(address)
			if err != nil {
				return errBlocked
			}
			return checkAddress(dialled.Addr(), network.Inside)
		},
	}
	return &Sender{
		transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    network.Connect,
			ResponseHeaderTimeout:  network.Answer,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           2 * maxSending,
			MaxIdleConnsPerHost:    8 * maxSlots,
			// Shorter than common receivers keep theirs (Node: 5 s), so that a
			// delivery doesn't meet a connection that is just being closed.
			IdleConnTimeout: 4 * time.Second,
		},
		signature: signature,
		deadline:  network.Connect + network.Answer,
	}
}

// message is what is to be sent.
type message struct {
	url     string
	header  string // the subscription's own
	secret  string
	event   string
	eventID uuid.UUID
	id      uuid.UUID // the attempt's
	body    []byte
}

// outcome is what came of an attempt.
type outcome struct {
	address  string // dialled
	status   int    // 0: no answer
	failure  string // class; "" when an answer came that is no redirect
	duration time.Duration
	answer   []byte
	wait     time.Duration // that the receiver asks for
}

// succeeded tells whether the receiver has taken the delivery.
func (o outcome) succeeded() bool { return o.failure == "" && o.status/100 == 2 }

// Send makes one attempt. An answer counts from its head on; what of the body
// comes in time is kept.
func (s *Sender) Send(ctx context.Context, m message, now func() time.Time) (result outcome) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	begun := now()
	var dialled atomic.Value
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectStart: func(_, address string) { dialled.Store(address) },
		GotConn: func(info httptrace.GotConnInfo) {
			dialled.Store(info.Conn.RemoteAddr().String())
			connected.Store(true)
		},
	})
	defer func() {
		result.duration = now().Sub(begun)
		result.address, _ = dialled.Load().(string)
	}()
	request, err := s.request(ctx, m)
	if err != nil {
		return outcome{failure: failedURL}
	}
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		return outcome{failure: classify(err, connected.Load())}
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusOK {
		// After 101 the connection is the caller's, and no deadline holds it.
		return outcome{failure: failedMalformed}
	}
	result.status = response.StatusCode
	result.wait = retryAfter(response.StatusCode, response.Header, now())
	if response.StatusCode/100 == 3 {
		result.failure = failedRedirect
	}
	result.answer = keptOf(response)
	return result
}

func (s *Sender) request(ctx context.Context, m message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return nil, err
	}
	header := request.Header
	if m.header != "" {
		name, value := splitHeader(m.header)
		header[name] = []string{value} // spelled as the tenant did
		switch http.CanonicalHeaderKey(name) {
		case "Idempotency-Key", "X-Idempotency-Key":
			request.GetBody = nil // or net/http would send it again by itself
		}
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", userAgent)
	header.Set("X-Emperor-Event", m.event)
	header.Set("X-Request-Id", m.eventID.String())
	header.Set("X-Delivery-Id", m.id.String())
	if m.secret != "" {
		header.Set("X-Signature", s.signature.sign(m.secret, m.body))
	}
	return request, nil
}

// Classes of failure.
const (
	failedDNS       = "dns"
	failedRefused   = "refused"
	failedReset     = "reset"
	failedTLS       = "tls"
	failedConnect   = "connect_timeout"
	failedAnswer    = "answer_timeout"
	failedBlocked   = "blocked_address"
	failedRedirect  = "redirect"
	failedReach     = "unreachable"
	failedMalformed = "malformed_answer"
	failedURL       = "invalid_url"
	failedSealed    = "unreadable_secret"
)

// classify tells what kept an answer from coming.
func classify(err error, connected bool) string {
	var dns *net.DNSError
	var network net.Error
	var operation *net.OpError
	switch {
	case errors.Is(err, errBlocked):
		return failedBlocked
	case errors.As(err, &dns) && !dns.IsTimeout:
		return failedDNS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		if connected {
			return failedAnswer
		}
		return failedConnect
	case errors.Is(err, syscall.ECONNREFUSED):
		return failedRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return failedReach
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failedReset
	case connected:
		return failedMalformed
	case errors.As(err, &operation) && operation.Op == "dial":
		return failedReach
	}
	return failedTLS // what is left of making a connection
}
