package server

import (
	"bytes"
	"context"
	"crypto"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/certificate"
	"understudy.example/internal/transfer"
	"understudy.example/internal/turns"
)

// TLSFiles are the files with which both listeners serve TLS.
type TLSFiles struct {
	TLSCert string `env:"TLS_CERT" help:"PEM file with the certificate of both listeners, followed by its intermediate certificates. Empty serves HTTP without TLS."`
	TLSKey  string `env:"TLS_KEY" help:"PEM file with the private key of --tls-cert."`
}

// listenerTLS returns the TLS configuration of both listeners; nil without TLS.
func (f TLSFiles) listenerTLS() (*tls.Config, error) {
	pair, err := loadPair("TLS_CERT", f.TLSCert, "TLS_KEY", f.TLSKey)
	if pair == nil {
		return nil, err
	}
	handshakes := newHandshakes()
	return &tls.Config{
		// Almost every client has one of the first three. P-384 is for clients that must not use
		// the others. P-521 would need three times the CPU time.
		CurvePreferences: []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256, tls.CurveP384},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			certificate := *pair.Certificate()
			certificate.PrivateKey = signer{certificate.PrivateKey.(crypto.Signer), handshakes, transfer.Network(hello.Conn.RemoteAddr())}
			return &certificate, nil
		},
	}, nil
}

const (
	handshakeWait = 10 * time.Second // for a signature; the limit of a handshake
	maxHandshakes = 100              // of one network that wait for their signatures
)

// handshakes limits the signatures that TLS handshakes need. An RSA signature takes more than 1 ms of
// CPU time: without a limit, calls would wait for all handshakes that clients begin at the same time. At most
// half of the cores make signatures, and the networks of the clients take turns.
type handshakes struct {
	queue turns.Queue

	mu      sync.Mutex
	waiting map[netip.Addr]int
}

func newHandshakes() *handshakes {
	return &handshakes{queue: turns.Queue{Size: max(1, runtime.GOMAXPROCS(0)/2)}, waiting: map[netip.Addr]int{}}
}

var errManyHandshakes = errors.New("too many TLS handshakes from one network at the same time")

// enter counts a handshake that waits.
func (h *handshakes) enter(network netip.Addr) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[network] >= maxHandshakes {
		return errManyHandshakes
	}
	h.waiting[network]++
	return nil
}

// leave undoes enter.
func (h *handshakes) leave(network netip.Addr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[network]--; h.waiting[network] == 0 {
		delete(h.waiting, network)
	}
}

// signer is a private key for the handshake of a client.
type signer struct {
	crypto.Signer
	handshakes *handshakes
	network    netip.Addr // of the client
}

// Sign implements crypto.Signer.
func (s signer) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	if err := s.handshakes.enter(s.network); err != nil {
		return nil, err
	}
	defer s.handshakes.leave(s.network)
	ctx, cancel := context.WithTimeout(context.Background(), handshakeWait)
	defer cancel()
	if err := s.handshakes.queue.Take(ctx, uuid.NewSHA1(uuid.Nil, s.network.AsSlice())); err != nil {
		return nil, err
	}
	defer s.handshakes.queue.Pass()
	return s.Signer.Sign(random, digest, options)
}

// loadPair reads a certificate with its key, whose flags have the given names; nil if
// neither is set.
func loadPair(certName, certFile, keyName, keyFile string) (*certificate.Pair, error) {
	switch {
	case certFile == "" && keyFile == "":
		return nil, nil
	case certFile == "":
		return nil, fmt.Errorf("%s is set and %s is not: set both", keyName, certName)
	case keyFile == "":
		return nil, fmt.Errorf("%s is set and %s is not: set both", certName, keyName)
	}
	pair, err := certificate.Load(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", certName, keyName, err)
	}
	return pair, nil
}

// errOtherCertificate is the error of Pinned for a server with another certificate.
var errOtherCertificate = errors.New("the server's certificate is not the one in TLS_CERT")

// Pinned returns the TLS configuration of a client that accepts one server only: that
// with the first certificate of the PEM file. The name and the issuer of the certificate
// do not matter, because the client knows the certificate itself.
func Pinned(certFile string) (*tls.Config, error) {
	pinned, err := certificate.First(certFile)
	if err != nil {
		return nil, fmt.Errorf("TLS_CERT: %w", err)
	}
	return &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection does more
		VerifyConnection: func(state tls.ConnectionState) error {
			if !bytes.Equal(state.PeerCertificates[0].Raw, pinned.Raw) {
				return errOtherCertificate
			}
			return nil
		},
	}, nil
}
