package certificate

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

// First returns the first certificate of a PEM file, which is that of a server or client
// itself.
func First(file string) (*x509.Certificate, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, missing(file)
}

// Authorities returns the certificate authorities of the system and those of a PEM file.
func Authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("certificate authorities of the system: %w", err)
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, missing(file)
	}
	return pool, nil
}

func missing(file string) error {
	return fmt.Errorf("%s contains no certificate in PEM form", file)
}
