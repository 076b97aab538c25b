//go:build !linux && !darwin

package storage

import (
	"context"
	"errors"
	"log/slog"
)

// Postgres can't be started by us on this system.
type Postgres struct{}

// StartPostgres always fails on this system.
func StartPostgres(context.Context, string, *slog.Logger, ...string) (*Postgres, error) {
	return nil, errors.New("on this system the server does not start Postgres by itself: set DATABASE_URL to a running one, or use docker compose up")
}

// URL is empty.
func (*Postgres) URL() string { return "" }

// Stop does nothing.
func (*Postgres) Stop() error { return nil }
