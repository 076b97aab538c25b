package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"understudy.example/internal/server"
)

// healthcheckCommand is `server healthcheck`.
type healthcheckCommand struct {
	Listen  string `env:"LISTEN_ADDR" default:"127.0.0.1:8080" help:"Address of the server's API listener."`
	TLSCert string `env:"TLS_CERT" help:"PEM file with the server's certificate, if it serves TLS. No other certificate is accepted."`
}

// Run returns an error unless the server is ready.
func (c *healthcheckCommand) Run(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	scheme, transport := "http", &http.Transport{}
	if c.TLSCert != "" {
		scheme = "https"
		if transport.TLSClientConfig, err = server.Pinned(c.TLSCert); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(server.Reachable(host), port)+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}
