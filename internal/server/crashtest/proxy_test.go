//go:build linux

package crashtest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"understudy.example/internal/server/servertest"
)

// proxy is HAProxy in front of the servers of a run. nginx would not do: without its paid
// edition, it cannot check /readyz, so it would send calls to a stopping server until one
// of them fails.
type proxy struct {
	run          *run
	api, control string // URLs
	socket       string // of HAProxy's status

	mu    sync.Mutex
	fault map[string]time.Time // end of the last fault of each server, in the future while it lasts
}

// proxyConfig is HAProxy's configuration, as docs/reference.md recommends it. It sends a
// call to a server once: it tries another one only if it could not connect.
const proxyConfig = `
global
  stats socket %[1]s
defaults
  mode http
  balance roundrobin
  timeout connect 2s
  timeout client 90s
  timeout http-request 10s
  timeout http-keep-alive 60s
  timeout server 90s
  timeout check 4s
  retry-on conn-failure
  retries 2
  option redispatch 1
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1
frontend api
  bind fd@3
  http-after-response set-header X-Served-By %%s
  default_backend api
frontend control
  bind fd@4
  http-after-response set-header X-Served-By %%s
  default_backend control
backend api
%[2]sbackend control
%[3]s`

// startProxy starts HAProxy in front of servers with the addresses. It skips the test if
// HAProxy is missing.
func (r *run) startProxy(apiAddresses, controlAddresses []string) *proxy {
	r.t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		r.t.Skip("haproxy is missing: apt-get install haproxy")
	}
	dir := servertest.DataDir(r.t)
	p := &proxy{run: r, socket: filepath.Join(dir, "status"), fault: map[string]time.Time{}}
	config := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(config, fmt.Appendf(nil, proxyConfig, p.socket, serverLines(apiAddresses), serverLines(controlAddresses)), 0o600); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(program, "-db", "-f", config)
	for _, url := range []*string{&p.api, &p.control} {
		socket, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.t.Fatal(err)
		}
		file, err := socket.(*net.TCPListener).File()
		if err != nil {
			r.t.Fatal(err)
		}
		*url = "http://" + socket.Addr().String()
		socket.Close()
		defer file.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	process := servertest.NewProcess(r.t, cmd)
	r.t.Cleanup(func() {
		process.Cmd.Process.Signal(syscall.SIGTERM)
		<-process.Exited
		if r.t.Failed() {
			r.t.Log(process.Output)
		}
	})
	r.http.Transport = checked(r.t, &throughProxy{run: r, base: &http.Transport{MaxIdleConnsPerHost: 300}})
	return p
}

func serverLines(addresses []string) string {
	var b strings.Builder
	for i, address := range addresses {
		fmt.Fprintf(&b, "  server server-%d %s\n", i+1, address)
	}
	return b.String()
}

// awaitUp waits until the proxy sends calls to all servers.
func (p *proxy) awaitUp() {
	p.run.t.Helper()
	servertest.Until(p.run.t, "the proxy sends calls to all servers", func() bool {
		status, err := p.status()
		return err == nil && strings.Count(status, ",UP,") >= 2*len(p.run.nodes)+2 // and both backends
	})
}

// status returns HAProxy's table of servers.
func (p *proxy) status() (string, error) {
	connection, err := net.Dial("unix", p.socket)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "show stat\n"); err != nil {
		return "", err
	}
	table, err := io.ReadAll(connection)
	return string(table), err
}

// begin marks a server as faulty: calls that the proxy sends to it may fail.
func (p *proxy) begin(n *node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault[n.proxied()] = time.Now().Add(time.Hour)
}

// end marks the server as no longer faulty. Calls that began before may still fail.
func (p *proxy) end(n *node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault[n.proxied()] = time.Now()
}

// proxied returns the server's name in HAProxy's configuration.
func (n *node) proxied() string { return strings.ReplaceAll(n.name, " ", "-") }

// explains reports whether a fault of the server that a call was sent to explains its
// error or its 503 response. Without a proxy, a fault always may.
func (p *proxy) explains(begun time.Time, err error, response servertest.Response) bool {
	if p == nil {
		return true
	}
	server := response.Header.Get(servedBy)
	if gateway := new(gatewayError); errors.As(err, &gateway) {
		server = gateway.server
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && server == "" { // the connection ended in the middle of the response
		for _, until := range p.fault {
			if begun.Before(until) {
				return true
			}
		}
		return false
	}
	return begun.Before(p.fault[server])
}

// servedBy is the header in which the proxy names the server that a call was sent to.
const servedBy = "X-Served-By"

// gatewayError is a response of the proxy itself.
type gatewayError struct {
	status int
	server string // that the call was sent to; "<NOSRV>" if to none
}

func (e *gatewayError) Error() string {
	return fmt.Sprintf("%d from the proxy, for %s", e.status, e.server)
}

// throughProxy counts the calls that each server serves, and turns responses of the proxy
// itself, which have no X-Request-Id, into errors.
type throughProxy struct {
	run  *run
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (p *throughProxy) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := p.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	server := response.Header.Get(servedBy)
	gateways := []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	if slices.Contains(gateways, response.StatusCode) && response.Header.Get("X-Request-Id") == "" {
		response.Body.Close()
		return nil, &gatewayError{response.StatusCode, server}
	}
	if server != "" {
		p.run.journal.count("served by " + server)
	}
	return response, nil
}
