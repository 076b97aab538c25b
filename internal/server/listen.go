package server

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"understudy.example/internal/transfer"
)

// listen opens a listener on the address and returns its URL.
func listen(address string) (net.Listener, *url.URL, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	host, port, err := net.SplitHostPort(socket.Addr().String())
	return socket, &url.URL{Scheme: "http", Host: net.JoinHostPort(Reachable(host), port)}, err
}

// HTTPServer returns an HTTP server for the handler, and the listener that it must
// serve, which applies the limits to the connections of socket.
func (o *Options) HTTPServer(socket net.Listener, handler http.Handler) (*http.Server, net.Listener) {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext:       transfer.ConnContext,
		// OPTIONS * gets our response, which has an X-Request-Id.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}, transfer.Listen(socket, o.Transfers)
}

// serve serves the handler on the listener. If the listener fails later, it sends the
// error to failed.
func (o *Options) serve(socket net.Listener, handler http.Handler, failed chan<- error) *http.Server {
	server, limited := o.HTTPServer(socket, handler)
	go func() {
		if err := server.Serve(limited); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	return server
}
