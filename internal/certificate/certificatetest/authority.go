// Package certificatetest issues certificates for tests.
package certificatetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority is a certificate authority that nobody else trusts.
type Authority struct {
	Certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority creates an authority.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "Authority " + rand.Text()}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &Authority{}
	a.Certificate, a.key = create(t, template, template, nil)
	return a
}

// Pool returns the pool that contains only this authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate)
	return pool
}

// File writes the authority's certificate to a PEM file and returns its path.
func (a *Authority) File(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "authority.pem")
	write(t, path, "CERTIFICATE", a.Certificate.Raw)
	return path
}

// Files issues a certificate for a server or client with the names, which can be IP
// addresses, and returns the paths of the certificate and of its key.
func (a *Authority) Files(t testing.TB, validFor time.Duration, names ...string) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	a.Replace(t, certFile, keyFile, validFor, names...)
	return certFile, keyFile
}

// Replace is Files for given paths.
func (a *Authority) Replace(t testing.TB, certFile, keyFile string, validFor time.Duration, names ...string) {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(validFor),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	issued, key := create(t, template, a.Certificate, a.key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, keyFile, "PRIVATE KEY", der)
	write(t, certFile, "CERTIFICATE", issued.Raw)
}

// create creates a certificate with a new key. It is signed with that key if signer is
// nil.
func create(t testing.TB, template, issuer *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	created, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return created, key
}

func write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
