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

// Message is what is to be sent.
type Message struct {
	URL     string
	Header  string // the subscription's own: `Name: Value`; "" for none
	Secret  string // signs; "" for no signature
	Event   string
	EventID uuid.UUID
	ID      uuid.UUID // the attempt's
	Body    []byte
}

// Outcome is what came of an attempt.
type Outcome struct {
	Address  string // dialled
	Status   int    // 0: no answer
	Failure  string // class; "" when an answer came that is no redirect
	Duration time.Duration
	Answer   []byte        // its head, and the first 16 KB of its body
	Wait     time.Duration // that the receiver asks for
}

// Succeeded tells whether the receiver has taken the delivery.
func (o Outcome) Succeeded() bool { return o.Failure == "" && o.Status/100 == 2 }

// Send makes one attempt. An answer counts from its head on; what of the body
// comes in time is kept.
func (s *Sender) Send(ctx context.Context, m Message, now func() time.Time) (result Outcome) {
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
		result.Duration = now().Sub(begun)
		result.Address, _ = dialled.Load().(string)
	}()
	request, err := s.request(ctx, m)
	if err != nil {
		return Outcome{Failure: failedURL}
	}
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		return Outcome{Failure: classify(err, connected.Load())}
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusOK {
		// After 101 the connection is the caller's, and no deadline holds it.
		return Outcome{Failure: failedMalformed}
	}
	result.Status = response.StatusCode
	result.Wait = retryAfter(response.StatusCode, response.Header, now())
	if response.StatusCode/100 == 3 {
		result.Failure = failedRedirect
	}
	result.Answer = keptOf(response)
	return result
}

func (s *Sender) request(ctx context.Context, m Message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	header := request.Header
	if m.Header != "" {
		name, value := splitHeader(m.Header)
		header[name] = []string{value} // spelled as the tenant did
		switch http.CanonicalHeaderKey(name) {
		case "Idempotency-Key", "X-Idempotency-Key":
			request.GetBody = nil // or net/http would send it again by itself
		}
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", userAgent)
	header.Set("X-Emperor-Event", m.Event)
	header.Set("X-Request-Id", m.EventID.String())
	header.Set("X-Delivery-Id", m.ID.String())
	if m.Secret != "" {
		header.Set("X-Signature", s.signature.sign(m.Secret, m.Body))
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
