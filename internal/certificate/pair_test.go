package certificate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/certificate"
	"understudy.example/internal/certificate/certificatetest"
)

// serial returns the serial number of the pair's certificate.
func serial(p *certificate.Pair) string { return p.Certificate().Leaf.SerialNumber.String() }

// TestRenewedPairIsUsed checks that a pair whose files change is read again, and that the
// earlier certificate stays in use while the files do not match or are missing.
func TestRenewedPairIsUsed(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "a.example")
	newCert, newKey := authority.Files(t, time.Hour, "b.example")
	pair, err := certificate.Load(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	first := serial(pair)
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(newCert, certFile)
	if got := serial(pair); got != first {
		t.Error("a certificate without its key is used")
	}
	move(keyFile, keyFile+".old")
	if got := serial(pair); got != first {
		t.Error("the certificate is gone with the file of its key")
	}
	move(newKey, keyFile)
	if got := pair.Certificate().Leaf.DNSNames[0]; got != "b.example" {
		t.Errorf("the certificate is for %s, want b.example", got)
	}
	if second := serial(pair); second == first || serial(pair) != second {
		t.Error("the certificate was not renewed once")
	}
}

// TestUnusableFiles checks the errors for files that are missing or contain something
// else.
func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "a.example")
	_, otherKey := authority.Files(t, time.Hour, "a.example")
	missing := filepath.Join(t.TempDir(), "missing.pem")
	load := func(certFile, keyFile string) error {
		_, err := certificate.Load(certFile, keyFile)
		return err
	}
	authorities := func(file string) error {
		_, err := certificate.Authorities(file)
		return err
	}
	first := func(file string) error {
		_, err := certificate.First(file)
		return err
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{load(certFile, missing), "open " + missing},
		{load(certFile, otherKey), "private key does not match public key"},
		{load(keyFile, certFile), keyFile},
		{authorities(missing), "open " + missing},
		{authorities(keyFile), keyFile + " contains no certificate"},
		{first(missing), "open " + missing},
		{first(keyFile), keyFile + " contains no certificate"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", test.err, test.want)
		}
	}
}
