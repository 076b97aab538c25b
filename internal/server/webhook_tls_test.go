package server_test

import (
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/certificate/certificatetest"
	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestReceiversOfAPrivateAuthority delivers to a receiver whose certificate and whose
// clients' certificates a private authority has issued, also after the certificate of the
// server has been renewed, and to one that trusts another authority.
func TestReceiversOfAPrivateAuthority(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: receivers' private authorities, and certificates for receivers")
	authority, other := certificatetest.NewAuthority(t), certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "understudy.example")
	config := server.Config{WebhookNetwork: server.WebhookNetwork{WebhookCA: authority.File(t), WebhookClientCert: certFile, WebhookClientKey: keyFile}}
	sender, err := config.Sender()
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.New(t, func(o *servertest.Options) { o.Sender = sender })
	s.RunDispatcher()
	deliver := func(clients *certificatetest.Authority, auth tls.ClientAuthType, want string) {
		t.Helper()
		pair, err := tls.LoadX509KeyPair(authority.Files(t, time.Hour, "127.0.0.1"))
		if err != nil {
			t.Fatal(err)
		}
		names := make(chan string, 1)
		receiver := servertest.NewUnstartedReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
			name := ""
			for _, presented := range r.TLS.PeerCertificates {
				name = presented.Subject.CommonName
			}
			names <- name
		})
		receiver.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: auth, ClientCAs: clients.Pool()}
		receiver.StartTLS()
		acme := s.Acme()
		hook := acme.Subscribe(receiver.URL)
		s.Publish("acme", "a:b")
		if got := <-names; got != want {
			t.Errorf("the receiver got the certificate of %q, want %q", got, want)
		}
		acme.Do("DELETE /hooks/"+hook, "").Want(t, http.StatusNoContent)
	}
	deliver(authority, tls.RequireAndVerifyClientCert, "understudy.example")
	authority.Replace(t, certFile, keyFile, time.Hour, "renewed.example")
	deliver(authority, tls.RequireAndVerifyClientCert, "renewed.example")
	deliver(other, tls.RequestClientCert, "")
}
