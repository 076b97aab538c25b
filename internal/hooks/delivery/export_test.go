package delivery

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// TrustOnly makes the sender trust the certificate authorities, instead of the
// system's.
func (s *Sender) TrustOnly(roots *x509.CertPool) {
	s.transport.TLSClientConfig = &tls.Config{RootCAs: roots}
}

// Timeouts returns how long the sender waits for a connection and for a response.
func (s *Sender) Timeouts() (connect, response time.Duration) {
	return s.network.ConnectTimeout, s.network.ResponseTimeout
}

// PanicOnSend makes every attempt panic.
func (s *Sender) PanicOnSend() {
	s.transport.Proxy = func(*http.Request) (*url.URL, error) { panic("sender") }
}

// DisablePolling makes the dispatcher look for deliveries only when it is woken.
func (d *Dispatcher) DisablePolling() { d.pollInterval = time.Hour }

// Allows reports whether the sender dials the address.
func (s *Sender) Allows(ip netip.Addr) bool {
	return s.dialer.Control("tcp", netip.AddrPortFrom(ip, 80).String(), nil) == nil
}

// SetInterfaceAddrs replaces the function that returns the addresses of the host.
func (s *Sender) SetInterfaceAddrs(interfaceAddrs func() ([]net.Addr, error)) {
	own := s.network.own
	own.mu.Lock()
	defer own.mu.Unlock()
	own.interfaceAddrs, own.readAt = interfaceAddrs, time.Time{}
}
