package server_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/certificate/certificatetest"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/transfer"
)

const provesTLS = "Chosen, process: both listeners serve TLS with a certificate"

// TestTLS runs a server with a certificate of a private authority, and clients that do
// not speak TLS or stop during the handshake.
func TestTLS(t *testing.T) {
	servertest.Proves(t, provesTLS)
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "127.0.0.1")
	p := servertest.Start(t, "--database-url", storagetest.URL(t), "--data-dir", t.TempDir(), "--tls-cert", certFile, "--tls-key", keyFile)
	p.Roots = authority.Pool()
	if !strings.HasPrefix(p.API, "https://127.0.0.1:") || !strings.HasPrefix(p.ControlURL, "https://127.0.0.1:") {
		t.Errorf("URLs %s and %s", p.API, p.ControlURL)
	}
	var stalled []net.Conn
	for _, sent := range []string{"", "\x16\x03\x01\x02\x00\x01"} { // the beginning of a ClientHello
		stalled = append(stalled, dial(t, p.API, sent), dial(t, p.ControlURL, sent))
	}

	s := p.Server()
	acme := s.Acme()
	if _, upload := acme.Announce("a.txt"); !strings.HasPrefix(upload, p.API+"/file-transfer/") {
		t.Errorf("upload URL %s", upload)
	}
	acme.AwaitStatus(acme.SubmitFile("a.txt", servertest.Letter), "Completed")
	if got := s.Tenant("acme").Control("GET /transactions", "").Want(t, http.StatusOK); !strings.Contains(got.Body, "a.txt") {
		t.Errorf("transactions %s", got.Body)
	}

	for _, url := range []string{p.API, p.ControlURL} {
		response, err := io.ReadAll(dial(t, url, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"))
		if err != nil || !strings.HasPrefix(string(response), "HTTP/1.0 400 Bad Request\r\n") {
			t.Errorf("plain HTTP: %q, %v, want 400", response, err)
		}
		state := handshake(t, url, authority)
		if state.NegotiatedProtocol != "http/1.1" || state.PeerCertificates[0].IPAddresses == nil {
			t.Errorf("protocol %s, want http/1.1", state.NegotiatedProtocol)
		}
	}
	authority.Replace(t, certFile, keyFile, 2*time.Hour, "127.0.0.1", "renewed.example")
	for _, url := range []string{p.API, p.ControlURL} {
		if names := handshake(t, url, authority).PeerCertificates[0].DNSNames; len(names) != 1 {
			t.Error("the renewed certificate is not used")
		}
	}
	for _, connection := range stalled {
		connection.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := connection.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("handshake without end: %v, want a closed connection", err)
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// dial connects to the URL's host without TLS and sends the text.
func dial(t *testing.T, url, text string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

// handshake connects with TLS, offering HTTP/2.
func handshake(t *testing.T, url string, authority *certificatetest.Authority) tls.ConnectionState {
	t.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{RootCAs: authority.Pool(), NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	return connection.ConnectionState()
}

// TestSlowClientsWithTLS checks that the limits on clients without progress also apply to
// connections with TLS.
func TestSlowClientsWithTLS(t *testing.T) {
	servertest.Proves(t, provesTLS, "Chosen, process: a client that makes no progress is disconnected, an upload with 408")
	s := servertest.New(t, quickly(transfer.Limits{Stall: 500 * time.Millisecond}))
	acme := s.Acme()
	authority := certificatetest.NewAuthority(t)
	pair, err := tls.LoadX509KeyPair(authority.Files(t, time.Hour, "127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	options := s.App.Options
	options.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, limited := options.HTTPServer(socket, s.App.API(), 0)
	go server.ServeTLS(limited, "", "")
	t.Cleanup(func() { server.Close() })
	connect := func(text string) *tls.Conn {
		connection, err := tls.Dial("tcp", socket.Addr().String(), &tls.Config{RootCAs: authority.Pool()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { connection.Close() })
		if _, err := io.WriteString(connection, text); err != nil {
			t.Fatal(err)
		}
		return connection
	}

	large := largeReport(s, acme)
	connect(servertest.RequestHead("GET /data/v2/acme-us-l0001/"+large+"?idType=sov", acme.Token, "", 0))
	wantReason(s, "read nothing for 500ms")

	_, url := acme.Announce("a.txt")
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: servertest.Letter})
	head := servertest.RequestHead("PUT "+strings.TrimPrefix(url, s.URL), acme.Token, contentType, len(body))
	wantBodyTimeout(s, connect(head+body[:100]), "sent nothing for 500ms")
	response, err := http.ReadResponse(bufio.NewReader(connect(head+body)), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("response %v, %v, want 200", response, err)
	}
}

// TestUnusableCertificatesAreRefused checks that a server does not start with files that
// it cannot use, and says which.
func TestUnusableCertificatesAreRefused(t *testing.T) {
	servertest.Proves(t, provesTLS)
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	certFile, keyFile := authority.Files(t, time.Hour, "a.example")
	_, otherKey := authority.Files(t, time.Hour, "a.example")
	for want, arguments := range map[string][]string{
		"TLS_CERT is set and TLS_KEY is not: set both":                       {"--tls-cert", certFile},
		"TLS_KEY is set and TLS_CERT is not: set both":                       {"TLS_KEY=" + keyFile},
		"TLS_CERT and TLS_KEY: certificate " + certFile:                      {"--tls-cert", certFile, "--tls-key", otherKey},
		"/nonexistent/tls.crt: no such file":                                 {"--tls-cert", "/nonexistent/tls.crt", "--tls-key", keyFile},
		"WEBHOOK_CLIENT_CERT is set and WEBHOOK_CLIENT_KEY is not: set both": {"--webhook-client-cert", certFile},
		"WEBHOOK_CLIENT_CERT and WEBHOOK_CLIENT_KEY: certificate ":           {"WEBHOOK_CLIENT_CERT=" + keyFile, "WEBHOOK_CLIENT_KEY=" + keyFile},
		"WEBHOOK_CA: " + keyFile + " contains no certificate":                {"--webhook-ca", keyFile},
		"WEBHOOK_CA: /nonexistent/ca.pem":                                    {"WEBHOOK_CA=/nonexistent/ca.pem"},
		"WEBHOOK_PROXY: want the URL of an HTTP proxy":                       {"WEBHOOK_PROXY=socks5://user:hush-hush@proxy.example:1080"},
	} {
		output := servertest.Refusal(t, append(arguments, "--data-dir", t.TempDir(), "--database-url", "postgres://127.0.0.1:1/x")...)
		if !strings.Contains(output, want) || strings.Contains(output, "hush-hush") {
			t.Errorf("%q: output %s, want %q", arguments, output, want)
		}
	}
}
