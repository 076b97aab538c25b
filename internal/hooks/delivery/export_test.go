package delivery

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
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
