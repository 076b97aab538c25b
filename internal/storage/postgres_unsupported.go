//go:build !linux && !darwin

package storage

import (
	"context"
	"errors"
	"log/slog"
)

// Postgres is not available: this operating system has no support for starting
// a private Postgres.
type Postgres struct{}

// StartPostgres always returns an error on this operating system.
func StartPostgres(context.Context, string, *slog.Logger, ...string) (*Postgres, error) {
	return nil, errors.New("starting a private PostgreSQL server is not supported on this operating system: set DATABASE_URL to a running server, or use Docker (docker compose up)")
}

// URL returns "".
func (*Postgres) URL() string { return "" }

// Stop does nothing.
func (*Postgres) Stop() error { return nil }

// PostgresFacts is empty on this operating system.
type PostgresFacts struct{}

// InspectPostgres always returns an error on this operating system.
func InspectPostgres(ctx context.Context, dir string) (PostgresFacts, error) {
	_, err := StartPostgres(ctx, dir, nil)
	return PostgresFacts{}, err
}

// RunningPostgres always returns an error on this operating system.
func RunningPostgres(ctx context.Context, dir string) (string, error) {
	_, err := StartPostgres(ctx, dir, nil)
	return "", err
}
