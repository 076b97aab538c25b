package server

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"
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

// serve serves the handler on the listener. If the listener fails later, it sends the
// error to failed.
func serve(socket net.Listener, handler http.Handler, failed chan<- error) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// OPTIONS * gets our response, which has an X-Request-Id.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	go func() {
		if err := server.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	return server
}
