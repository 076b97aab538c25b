package hooks

import (
	"crypto/tls"
	"crypto/x509"
	"time"
)

// Trust has the sender believe the authorities, in place of the system's.
func (s *Sender) Trust(roots *x509.CertPool) {
	s.transport.TLSClientConfig = &tls.Config{RootCAs: roots}
}

// WhenWoken has the dispatcher look for nothing by itself.
func (d *Dispatcher) WhenWoken() { d.idle = time.Hour }
