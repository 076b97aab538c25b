// Package certificate reads certificates, private keys and certificate authorities from
// PEM files. It does not know what they are used for.
package certificate

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// Pair is a certificate in one PEM file with its private key in another. It notices when
// the files change, so that a renewed certificate is used without a restart.
type Pair struct {
	certFile, keyFile string

	mu      sync.Mutex
	read    [2]version // of both files
	current *tls.Certificate
}

// version tells the contents of a file at one time from those at another.
type version struct {
	modified int64 // nanoseconds since 1970
	size     int64
}

// Load reads the pair. The error names the file that cannot be used.
func Load(certFile, keyFile string) (*Pair, error) {
	p := &Pair{certFile: certFile, keyFile: keyFile}
	p.read = p.versions()
	return p, p.load()
}

// Certificate returns the certificate. If changed files cannot be used, for example
// because only one of them has been replaced so far, it returns the earlier certificate.
func (p *Pair) Certificate() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.versions()
	if found == p.read {
		return p.current
	}
	p.read = found
	if err := p.load(); err != nil {
		slog.Warn("changed certificate files cannot be used: the earlier certificate stays in use", "err", err)
	} else {
		slog.Info("certificate renewed", "file", p.certFile, "valid_until", p.current.Leaf.NotAfter)
	}
	return p.current
}

func (p *Pair) load() error {
	loaded, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err != nil {
		return fmt.Errorf("certificate %s with the key %s: %w", p.certFile, p.keyFile, err)
	}
	p.current = &loaded
	return nil
}

// versions returns the versions of both files; zero for one that cannot be read.
func (p *Pair) versions() (found [2]version) {
	for i, file := range []string{p.certFile, p.keyFile} {
		if info, err := os.Stat(file); err == nil {
			found[i] = version{info.ModTime().UnixNano(), info.Size()}
		}
	}
	return found
}
