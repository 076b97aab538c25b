package server

import (
	"crypto"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy.example/internal/certificate/certificatetest"
)

// listenerOf returns the configuration of the listeners with a certificate of the authority.
func listenerOf(t *testing.T, authority *certificatetest.Authority) *tls.Config {
	t.Helper()
	certFile, keyFile := authority.Files(t, time.Hour, "a.example")
	config, err := TLSFiles{certFile, keyFile}.listenerTLS()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// TestExpensiveCurvesAreRefused checks that a client cannot make the server use a key
// exchange that needs much CPU time.
func TestExpensiveCurvesAreRefused(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	config := listenerOf(t, authority)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for curve, want := range map[tls.CurveID]bool{tls.X25519: true, tls.CurveP256: true, tls.CurveP384: true, tls.CurveP521: false} {
			client, server := net.Pipe()
			go tls.Server(server, config).Handshake()
			err := tls.Client(client, &tls.Config{
				RootCAs: authority.Pool(), ServerName: "a.example", MaxVersion: version, CurvePreferences: []tls.CurveID{curve},
			}).Handshake()
			if (err == nil) != want {
				t.Errorf("%s, %s: %v", tls.VersionName(version), curve, err)
			}
			client.Close()
		}
	}
}

// slowKey is a private key that counts the signatures that are made at the same time.
type slowKey struct {
	crypto.Signer
	signing, most *atomic.Int32
}

func (k slowKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	if n := k.signing.Add(1); n > k.most.Load() {
		k.most.Store(n)
	}
	time.Sleep(time.Second)
	k.signing.Add(-1)
	return nil, nil
}

// clientConn is the connection of a client with the address.
type clientConn struct {
	net.Conn
	address string
}

func (c clientConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.address))
}

// keyFor returns the key for a handshake of a client with the address.
func keyFor(t *testing.T, config *tls.Config, address string) signer {
	t.Helper()
	presented, err := config.GetCertificate(&tls.ClientHelloInfo{Conn: clientConn{address: address}})
	if err != nil {
		t.Fatal(err)
	}
	return presented.PrivateKey.(signer)
}

// TestSignaturesOfHandshakes checks that the signatures of handshakes occupy only half of the
// cores, however many clients connect.
func TestSignaturesOfHandshakes(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	synctest.Test(t, func(t *testing.T) {
		config := listenerOf(t, authority)
		var signing, most atomic.Int32
		var handshakes sync.WaitGroup
		for range 50 {
			key := keyFor(t, config, "192.0.2.1:1000")
			key.Signer = slowKey{key.Signer, &signing, &most}
			handshakes.Go(func() { key.Sign(nil, nil, nil) })
		}
		handshakes.Wait()
		if want := max(1, runtime.GOMAXPROCS(0)/2); int(most.Load()) != want {
			t.Errorf("%d signatures at a time, want %d", most.Load(), want)
		}
	})
}

// TestHandshakesOfNetworksAlternate checks that a client waits only for those signatures of another network
// that are in progress or next, however many handshakes it has begun, and that too many handshakes from one
// network are refused.
func TestHandshakesOfNetworksAlternate(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	synctest.Test(t, func(t *testing.T) {
		config := listenerOf(t, authority)
		var signing, most, refused atomic.Int32
		var handshakes sync.WaitGroup
		for i := range 2 * maxHandshakes {
			key := keyFor(t, config, fmt.Sprintf("[2001:db8::%x]:1000", i))
			key.Signer = slowKey{key.Signer, &signing, &most}
			handshakes.Go(func() {
				if _, err := key.Sign(nil, nil, nil); errors.Is(err, errManyHandshakes) {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		begun := time.Now()
		key := keyFor(t, config, "192.0.2.1:1000")
		key.Signer = slowKey{key.Signer, &signing, &most}
		if _, err := key.Sign(nil, nil, nil); err != nil || time.Since(begun) > 3*time.Second {
			t.Errorf("the handshake of another network ended after %v, %v; want at most three signatures of 1 s", time.Since(begun), err)
		}
		handshakes.Wait()
		if n := refused.Load(); n != maxHandshakes {
			t.Errorf("%d handshakes of one network were refused, want %d", n, maxHandshakes)
		}
	})
}
