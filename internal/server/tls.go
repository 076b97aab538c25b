package server

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"

	"understudy.example/internal/certificate"
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
	return &tls.Config{
		// Almost every client has one of the first three. P-384 is for clients that must not use
		// the others. P-521 would need three times the CPU time.
		CurvePreferences: []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256, tls.CurveP384},
		GetCertificate:   func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.Certificate(), nil },
	}, nil
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
