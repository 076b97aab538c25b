package hooks

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"time"
)

// Trust has the sender believe the authorities, in place of the system's.
func (s *Sender) Trust(roots *x509.CertPool) {
	s.transport.TLSClientConfig = &tls.Config{RootCAs: roots}
}

// WhenWoken has the dispatcher look for nothing by itself.
func (d *Dispatcher) WhenWoken() { d.idle = time.Hour }

// Panic has the sender panic, whatever it sends.
func (s *Sender) Panic() {
	s.transport.Proxy = func(*http.Request) (*url.URL, error) { panic("sender") }
}
