package delivery

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/tracing"
	"understudy.example/internal/version"
)

var userAgent = "Understudy-Webhook/" + strings.TrimPrefix(version.String(), "v")

// MaxResponseBody is the number of bytes of a response's body that are read and
// stored.
const MaxResponseBody = 16 << 10

// Network limits which addresses a Sender may dial and how long it waits. A timeout
// of 0 is the default.
type Network struct {
	AllowPrivate    bool           // also deliver to loopback and private addresses and to this host
	Allow           []netip.Prefix // also deliver to these, except addresses that no setting allows
	ConnectTimeout  time.Duration  // default 5 s
	ResponseTimeout time.Duration  // once connected; default 60 s

	Proxy    *url.URL      // through which all receivers are reached; nil = directly
	TLS      *tls.Config   // for receivers; nil = the default
	Resolver *net.Resolver // nil = the default

	own *ownAddresses
}

// check is a net.Dialer.Control that rejects addresses to which deliveries may not be
// sent.
func (n Network) check(_, address string, _ syscall.RawConn) error {
	dialled, err := netip.ParseAddrPort(address)
	if err != nil || !n.allows(dialled.Addr()) {
		return ErrNotAllowed
	}
	return nil
}

// Sender posts deliveries. It is safe against hostile receivers: it does not follow
// redirects, take a proxy from the environment or decompress responses, it checks the
// address that it dials, and it limits the size and the time of a response.
type Sender struct {
	network   Network
	dialer    *net.Dialer
	transport *http.Transport
	signature Signature
	timeout   time.Duration // of a whole attempt
}

// NewSender returns a sender that signs in the given format.
func NewSender(network Network, signature Signature) *Sender {
	if network.ConnectTimeout == 0 {
		network.ConnectTimeout = 5 * time.Second
	}
	if network.ResponseTimeout == 0 {
		network.ResponseTimeout = 60 * time.Second
	}
	if network.TLS == nil {
		network.TLS = &tls.Config{}
	}
	network.own = &ownAddresses{interfaceAddrs: net.InterfaceAddrs}
	// With HTTP/2, net/http repeats a request each time the receiver refuses the connection
	// (GOAWAY), so that one attempt can send thousands of requests.
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: network.ConnectTimeout, Control: network.check, Resolver: network.Resolver}
	sender := &Sender{
		network: network,
		dialer:  dialer,
		transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        network.TLS,
			TLSHandshakeTimeout:    network.ConnectTimeout,
			ResponseHeaderTimeout:  network.ResponseTimeout,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
			Protocols:              http1,
			MaxIdleConns:           2 * maxInFlight,
			MaxIdleConnsPerHost:    8 * MaxPerReceiver,
			// Shorter than common receivers keep idle connections (Node.js: 5 s), so
			// that a connection is rarely reused while its receiver closes it.
			IdleConnTimeout: 4 * time.Second,
		},
		signature: signature,
		timeout:   network.ConnectTimeout + network.ResponseTimeout,
	}
	if network.Proxy != nil {
		network.useProxy(sender.transport)
	}
	return sender
}

// Timeout returns the maximum duration of an attempt.
func (s *Sender) Timeout() time.Duration { return s.timeout }

// Signature returns the format in which the sender signs.
func (s *Sender) Signature() Signature { return s.signature }

// Message is the content of a delivery.
type Message struct {
	URL     string
	Header  string // the subscription's static header, `Name: Value`; "" for none
	Secret  string // for the signature; "" for no signature
	Event   string
	EventID uuid.UUID
	ID      uuid.UUID // of the attempt: X-Delivery-Id
	Body    []byte
	Faults  []string // kinds of the faults that act on the attempt
}

// Outcome is the result of an attempt.
type Outcome struct {
	Address    string // that was dialled; "" if none was
	Status     int    // 0 = no response
	Failure    string // class of failure; "" if there was a response that is not a redirect
	Final      bool   // a retry would fail too
	Duration   time.Duration
	Response   []byte        // the head and the first 16 KiB of the body; see ParseResponse
	RetryAfter time.Duration // wait that the response requests
}

// Succeeded reports whether the receiver accepted the delivery.
func (o Outcome) Succeeded() bool { return o.Failure == "" && o.Status/100 == 2 }

// TimedOut reports whether the receiver did not accept a connection, or did not respond,
// in time.
func (o Outcome) TimedOut() bool { return o.Failure == failedConnect || o.Failure == failedResponse }

// Send makes one attempt. The status is known as soon as the head of the response has
// arrived; the part of the body that arrives in time is stored.
func (s *Sender) Send(ctx context.Context, m Message, now func() time.Time) (outcome Outcome) {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
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
		outcome.Duration = now().Sub(begun)
		outcome.Address, _ = dialled.Load().(string)
	}()
	request, err := s.newRequest(ctx, m)
	if err != nil {
		return Outcome{Failure: failedURL}
	}
	defer s.limitConnecting(abort, connected.Load)()
	host, response := request.URL.Hostname(), (*http.Response)(nil)
	if err = s.checkProxied(ctx, host); err == nil {
		response, err = s.transport.RoundTrip(request)
	}
	if err != nil {
		failure := classify(err, connected.Load())
		return Outcome{Failure: failure, Final: failure == failedBlocked && s.blocksForGood(host)}
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusOK {
		// After a 101 net/http hands the connection over, without a deadline.
		return Outcome{Failure: failedMalformed}
	}
	outcome.Status = response.StatusCode
	outcome.RetryAfter = retryAfter(response.StatusCode, response.Header, now())
	if response.StatusCode/100 == 3 {
		outcome.Failure = failedRedirect
	}
	outcome.Response = formatResponse(response)
	return outcome
}

func (s *Sender) newRequest(ctx context.Context, m Message) (*http.Request, error) {
	body, secret := m.Body, m.Secret
	if slices.Contains(m.Faults, truncateFault) {
		body = body[:len(body)/2]
	}
	if slices.Contains(m.Faults, wrongSignatureFault) {
		secret = "not " + secret
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	header := request.Header
	if m.Header != "" {
		name, value := SplitHeader(m.Header)
		header[name] = []string{value} // keeps the tenant's spelling
		switch http.CanonicalHeaderKey(name) {
		case "Idempotency-Key", "X-Idempotency-Key":
			request.GetBody = nil // otherwise net/http could resend the request by itself
		}
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", userAgent)
	header.Set("X-Emperor-Event", m.Event)
	header.Set("X-Request-Id", m.EventID.String())
	header.Set("X-Delivery-Id", m.ID.String())
	if trace := tracing.Traceparent(ctx); trace != "" && !hasOwnTraceparent(m.Header) {
		header.Set("Traceparent", trace)
	}
	if secret != "" {
		header.Set("X-Signature", s.signature.Sign(secret, m.Body))
	}
	return request, nil
}

// hasOwnTraceparent reports whether the subscription's static header is a traceparent,
// which takes precedence.
func hasOwnTraceparent(header string) bool {
	name, _ := SplitHeader(header)
	return strings.EqualFold(name, "traceparent")
}

// SplitHeader returns the parts of `Name: Value`.
func SplitHeader(header string) (name, value string) {
	name, value, _ = strings.Cut(header, ":")
	return name, strings.TrimSpace(value)
}

// Classes of failure, as attempts show them.
const (
	failedDNS       = "dns"
	failedRefused   = "refused"
	failedReset     = "reset"
	failedTLS       = "tls"
	failedConnect   = "connect_timeout"
	failedResponse  = "answer_timeout"
	failedBlocked   = "blocked_address"
	failedRedirect  = "redirect"
	failedReach     = "unreachable"
	failedMalformed = "malformed_answer"
	failedURL       = "invalid_url"
	failedSealed    = "unreadable_secret"
	failedProxy     = "proxy" // it could not be reached, or did not connect to the receiver
	failedByFault   = "fault" // a fault made a 2xx response not count
)

// classify returns the class of failure of an error that left an attempt without a
// response.
func classify(err error, connected bool) string {
	var dns *net.DNSError
	var network net.Error
	var operation *net.OpError
	switch {
	case errors.Is(err, ErrNotAllowed):
		return failedBlocked
	case errors.Is(err, ErrInvalidHost):
		return failedURL
	case errors.Is(err, errProxyRefused), errors.As(err, &operation) && operation.Op == "proxyconnect":
		return failedProxy
	case errors.As(err, &dns) && !dns.IsTimeout:
		return failedDNS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		if connected {
			return failedResponse
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
	return failedTLS // no other error occurs while connecting
}
