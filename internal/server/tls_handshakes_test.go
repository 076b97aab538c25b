package server

import (
	"crypto/tls"
	"net"
	"testing"
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
