package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// healthcheck asks a running server whether it is ready.
type healthcheck struct{}

// Run fails when the server is not ready.
func (healthcheck) Run(ctx context.Context, config *Config) error {
	host, port, err := net.SplitHostPort(config.Listen)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(reachable(host), port)+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", answer.Status)
	}
	return nil
}

// reachable is a host to call for a listener's host: an unspecified one can
// be bound, not called.
func reachable(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}

// health is the body of both health answers.
type health struct {
	Status string `json:"status"`
}

// live answers as long as the process does.
func live(w http.ResponseWriter, _ *http.Request) error {
	return api.Write(w, http.StatusOK, health{"ok"})
}

// ready answers 200 while the server takes calls: it has its database and is
// not stopping.
func ready(db storage.DB, requests *inFlight) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if requests.Stopping() {
			return api.NewUnavailableError(api.MessageErrors)
		}
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if _, err := db.Exec(ctx, "select 1"); err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, health{"ok"})
	}
}
