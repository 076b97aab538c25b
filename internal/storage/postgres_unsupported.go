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

// FindPostgres always returns an error on this operating system.
func FindPostgres(context.Context, string) (string, error) {
	return "", errors.New("starting a private PostgreSQL server is not supported on this operating system")
}
