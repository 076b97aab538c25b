//go:build !linux && !darwin

package postgres

import (
	"context"
	"errors"
	"log/slog"
)

// Server is not available: this operating system has no support for starting
// a private Postgres.
type Server struct{}

// Start always returns an error on this operating system.
func Start(context.Context, string, *slog.Logger, ...string) (*Server, error) {
	return nil, errors.New("starting a private PostgreSQL server is not supported on this operating system: set DATABASE_URL to a running server, or use Docker (docker compose up)")
}

// URL returns "".
func (*Server) URL() string { return "" }

// Stop does nothing.
func (*Server) Stop() error { return nil }

// Facts is empty on this operating system.
type Facts struct{}

// Inspect always returns an error on this operating system.
func Inspect(ctx context.Context, dir string) (Facts, error) {
	_, err := Start(ctx, dir, nil)
	return Facts{}, err
}

// Running always returns an error on this operating system.
func Running(ctx context.Context, dir string) (string, error) {
	_, err := Start(ctx, dir, nil)
	return "", err
}
