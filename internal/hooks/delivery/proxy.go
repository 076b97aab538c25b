package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/net/idna"
)

// errProxyRefused means that the proxy did not open a tunnel to the receiver.
var errProxyRefused = errors.New("the proxy refused the connection")

// useProxy makes the transport reach all receivers through the proxy: those of https URLs
// through a tunnel (CONNECT), the others with the whole URL in the request line (RFC 9110
// section 9.3.6, RFC 9112 section 3.2.2). The proxy's own address may be private.
func (n Network) useProxy(transport *http.Transport) {
	dialer := &net.Dialer{Timeout: n.ConnectTimeout, Resolver: n.Resolver}
	transport.Proxy = http.ProxyURL(n.Proxy)
	transport.DialContext = dialer.DialContext
	// Connections to the proxy itself, which gets no client certificate and no offer of
	// HTTP/2: the transport speaks HTTP/1.1 to it.
	transport.DialTLSContext = (&tls.Dialer{NetDialer: dialer, Config: &tls.Config{RootCAs: n.TLS.RootCAs}}).DialContext
	transport.OnProxyConnectResponse = func(ctx context.Context, _ *url.URL, request *http.Request, response *http.Response) error {
		if response.StatusCode == http.StatusOK {
			return nil
		}
		slog.WarnContext(ctx, "the webhook proxy refused a connection", "receiver", request.Host, "status", response.StatusCode)
		return errProxyRefused
	}
}

// connectLimit is how long connecting through a proxy may take, as a multiple of the
// connect timeout: dialling the proxy, its tunnel, and TLS with the receiver.
const connectLimit = 3

// limitConnecting cancels an attempt through a proxy that does not connect in time.
func (s *Sender) limitConnecting(cancel context.CancelCauseFunc, connected func() bool) (stop func()) {
	if s.network.Proxy == nil {
		return func() {}
	}
	timer := time.AfterFunc(connectLimit*s.network.ConnectTimeout, func() {
		if !connected() {
			cancel(context.DeadlineExceeded)
		}
	})
	return func() { timer.Stop() }
}

// checkProxied returns an error if the proxy must not be asked to connect to the host:
// if the host is an address to which deliveries may not be sent, or a name of such an
// address. The proxy resolves the name itself, so one such address is enough. A name
// that cannot be resolved here is left to the proxy. Without a proxy, the dialled
// address is checked instead.
func (s *Sender) checkProxied(ctx context.Context, host string) error {
	if s.network.Proxy == nil {
		return nil
	}
	if err := s.CheckHost(host); err != nil {
		return err
	}
	if _, blocked := s.resolve(ctx, host); len(blocked) > 0 {
		return ErrNotAllowed
	}
	return nil
}

// BlockedAddresses returns the addresses of the host if it is a name that resolves only
// to addresses to which deliveries may not be sent. It returns nil if the host cannot be
// resolved within a second.
func (s *Sender) BlockedAddresses(ctx context.Context, host string) []netip.Addr {
	allowed, blocked := s.resolve(ctx, host)
	if len(allowed) > 0 {
		return nil
	}
	return blocked
}

// lookupTimeout is the maximum duration of a lookup that is not part of dialling.
const lookupTimeout = time.Second

// resolve returns the addresses of the host to which deliveries may be sent, and the
// others; none if the lookup fails.
func (s *Sender) resolve(ctx context.Context, host string) (allowed, blocked []netip.Addr) {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := s.network.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, nil
	}
	for _, ip := range found {
		if s.network.allows(ip) {
			allowed = append(allowed, ip)
		} else {
			blocked = append(blocked, ip.Unmap())
		}
	}
	return allowed, blocked
}
