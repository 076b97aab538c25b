package delivery_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/hooks"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/server/servertest"
)

// proxyServer is an HTTP proxy that forwards everything to one address, as if it
// resolved every name to it.
type proxyServer struct {
	*httptest.Server
	forwardTo string

	mu    sync.Mutex
	lines []string // request line and credentials of each request
}

// newProxy returns a proxy that is not started.
func newProxy(t *testing.T, forwardTo string) *proxyServer {
	p := &proxyServer{forwardTo: forwardTo}
	p.Server = httptest.NewUnstartedServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	p.mu.Lock()
	p.lines = append(p.lines, r.Method+" "+r.RequestURI+" "+user+":"+password)
	p.mu.Unlock()
	receiver, err := net.Dial("tcp", p.forwardTo)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer receiver.Close()
	if r.Method != http.MethodConnect {
		forward := r.Clone(context.Background())
		forward.Close = true
		forward.Write(receiver)
	}
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	if r.Method == http.MethodConnect {
		io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(receiver, client)
			receiver.(*net.TCPConn).CloseWrite()
		}()
	}
	io.Copy(client, receiver)
}

func (p *proxyServer) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// through returns the network of the profile uat with the proxy.
func through(t *testing.T, proxyURL string) hooks.Network {
	t.Helper()
	u, err := url.Parse(proxyURL)
	if err != nil {
		t.Fatal(err)
	}
	return hooks.Network{Proxy: u, Resolver: servertest.Resolver(t), ConnectTimeout: 2 * time.Second}
}

// sendTo makes one attempt to the URL.
func sendTo(t *testing.T, sender *hooks.Sender, url string) delivery.Outcome {
	t.Helper()
	return sender.Send(t.Context(), delivery.Message{URL: url, Event: "a:b", Body: []byte("{}"), Secret: "s"}, time.Now)
}

// TestProxy delivers to receivers with and without TLS through a proxy with and without
// TLS, whose own address is one that deliveries cannot go to, and which resolves the
// names of the receivers.
func TestProxy(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: a proxy is used if a flag names it")
	t.Parallel()
	plain := servertest.NewReceiver(t)
	secure := servertest.NewUnstartedReceiver(t)
	secure.StartTLS() // for example.com
	for name, test := range map[string]struct {
		receiver *servertest.Receiver
		proxyTLS bool
		url      string
		line     string
	}{
		"http through http":   {plain, false, "http://receiver.example/hook?a=b", "POST http://receiver.example/hook?a=b user:hush"},
		"https through http":  {secure, false, "https://example.com/hook", "CONNECT example.com:443 user:hush"},
		"http through https":  {plain, true, "http://receiver.example:81/", "POST http://receiver.example:81/ user:hush"},
		"https through https": {secure, true, "https://example.com:444/hook", "CONNECT example.com:444 user:hush"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := newProxy(t, test.receiver.Listener.Addr().String())
			if test.proxyTLS {
				proxy.EnableHTTP2 = true // which must not be used to talk to the proxy
				proxy.StartTLS()
			} else {
				proxy.Start()
			}
			network := through(t, strings.Replace(proxy.URL, "://", "://user:hush@", 1))
			roots := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs // of all servers of httptest
			network.TLS = &tls.Config{RootCAs: roots}
			before := len(test.receiver.Received())
			outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), test.url)
			if !outcome.Succeeded() || outcome.Address != proxy.Listener.Addr().String() {
				t.Errorf("outcome %+v, want 200 through the proxy", outcome)
			}
			if got := proxy.received(); !slices.Equal(got, []string{test.line}) {
				t.Errorf("the proxy got %q, want %q", got, test.line)
			}
			all := test.receiver.Received()
			if len(all) <= before {
				t.Fatal("the receiver got nothing")
			}
			last := all[len(all)-1]
			if !last.Verify("s") || last.Header.Get("Proxy-Authorization") != "" && test.receiver == secure {
				t.Errorf("the receiver got %v", last.Header)
			}
		})
	}
}

// TestProxyIsNotAskedForBlockedAddresses checks that the proxy does not get URLs with
// addresses to which deliveries cannot go, and names of such addresses.
func TestProxyIsNotAskedForBlockedAddresses(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: the IP address that is dialled is checked, not only the URL")
	t.Parallel()
	receiver := servertest.NewReceiver(t)
	proxy := newProxy(t, receiver.Listener.Addr().String())
	proxy.Start()
	network := through(t, proxy.URL)
	for _, host := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "0x7f.1", "2130706433", "127。0。0。1"} {
		for _, scheme := range []string{"http", "https"} {
			outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), scheme+"://"+host+"/")
			if outcome.Failure != "blocked_address" || !outcome.Final {
				t.Errorf("%s://%s: outcome %+v, want blocked_address for good", scheme, host, outcome)
			}
		}
	}
	if outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "http://999.1.1.1/"); outcome.Failure != "invalid_url" {
		t.Errorf("outcome %+v, want invalid_url", outcome)
	}
	network.Resolver = servertest.Resolver(t, "93.184.216.34", "10.0.0.1")
	if outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "http://receiver.example/"); outcome.Failure != "blocked_address" || outcome.Final {
		t.Errorf("outcome %+v, want blocked_address with retries", outcome)
	}
	if got := proxy.received(); len(got) != 0 {
		t.Errorf("the proxy got %q", got)
	}
	network.Resolver = servertest.Resolver(t, "93.184.216.34")
	if outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "http://receiver.example/"); !outcome.Succeeded() {
		t.Errorf("outcome %+v, want 200", outcome)
	}
	network.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	if outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "http://10.0.0.1/"); !outcome.Succeeded() {
		t.Errorf("outcome %+v, want 200", outcome)
	}
}

// TestProxyFailures checks the failure class of each way in which a proxy can fail, and
// that one which never responds does not hold an attempt.
func TestProxyFailures(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refuses.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	silent := listen(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	untrusted := newProxy(t, "")
	untrusted.StartTLS()
	for name, test := range map[string]struct {
		proxyURL string
		failure  string
		status   int // of an http receiver, which the proxy's own response is taken for
	}{
		"refuses":             {refuses.URL, "proxy", http.StatusProxyAuthRequired},
		"closed":              {closed.URL, "proxy", 0},
		"unknown":             {"http://proxy.invalid:3128", "proxy", 0},
		"unknown authority":   {untrusted.URL, "proxy", 0},
		"never responds":      {silent, "connect_timeout", 0},
		"closes immediately":  {listen(t, func(net.Conn) {}), "reset", 0},
		"is no proxy":         {listen(t, func(conn net.Conn) { io.WriteString(conn, "220 ready\r\n\r\n") }), "tls", 0},
		"https never answers": {strings.Replace(silent, "http:", "https:", 1), "proxy", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := through(t, test.proxyURL)
			network.ConnectTimeout, network.ResponseTimeout = 300*time.Millisecond, time.Minute
			outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "https://receiver.example/")
			if outcome.Failure != test.failure || outcome.Status != 0 || outcome.Final {
				t.Errorf("outcome %+v, want %s", outcome, test.failure)
			}
			if test.status != 0 {
				if outcome := sendTo(t, hooks.NewSender(network, hooks.Signature{}), "http://receiver.example/"); outcome.Status != test.status {
					t.Errorf("outcome %+v, want %d", outcome, test.status)
				}
			}
		})
	}
}
