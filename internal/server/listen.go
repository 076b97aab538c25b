package server

import (
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"understudy.example/internal/transfer"
)

// listen opens a listener on the address and returns its URL.
func (o *Options) listen(address string) (net.Listener, *url.URL, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	host, port, err := net.SplitHostPort(socket.Addr().String())
	scheme := "http"
	if o.TLS != nil {
		scheme = "https"
	}
	return socket, &url.URL{Scheme: scheme, Host: net.JoinHostPort(Reachable(host), port)}, err
}

// checkAddresses checks that the listeners can be opened, so that a port in use is reported before
// a database is created.
func (c *Config) checkAddresses() error {
	for _, l := range []struct{ flag, address string }{{"listen", c.Listen}, {"control", c.Control}} {
		if l.address == "" {
			continue // it is off
		}
		socket, err := net.Listen("tcp", l.address)
		if err != nil {
			return fmt.Errorf("--%s: %w: choose another address; port 0 picks a free port", l.flag, err)
		}
		socket.Close()
	}
	return nil
}

// HTTPServer returns an HTTP server for the handler, and the listener that it must
// serve, which applies the limits to the connections of socket. maxConnections is the
// maximum number of open connections; 0 = unlimited.
//
// It speaks HTTP/1.1 only: the limits apply to connections, and a client of HTTP/2 could
// stop reading one response without its connection showing that.
func (o *Options) HTTPServer(socket net.Listener, handler http.Handler, maxConnections int) (*http.Server, net.Listener) {
	limits := o.Transfers
	limits.Total = maxConnections
	limited := transfer.Listen(socket, limits)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		TLSConfig:         o.TLS,
		ReadHeaderTimeout: 10 * time.Second, // also limits the TLS handshake
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10, // net/http needs up to 20 times as much memory for very short lines
		ConnContext:       transfer.ConnContext,
		ConnState:         limited.ConnState,
		// OPTIONS * gets our response, which has an X-Request-Id.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(transfer.ConnectionLog, "", 0),
	}, limited
}

// serve serves the handler on the listener. If the listener fails later, it sends the
// error to failed.
func (o *Options) serve(socket net.Listener, handler http.Handler, maxConnections int, failed chan<- error) *http.Server {
	server, limited := o.HTTPServer(socket, handler, maxConnections)
	serve := server.Serve
	if o.TLS != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	go func() {
		if err := serve(limited); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	return server
}
