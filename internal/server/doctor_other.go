//go:build !linux && !darwin

package server

import (
	"context"

	"understudy.example/internal/postgres"
)

// writable always returns nil: on this system, only a start of the server shows whether
// the directory is writable.
func writable(string) error { return nil }

// examinePrivatePostgres returns the error with which a private PostgreSQL fails to
// start on this system.
func examinePrivatePostgres(ctx context.Context, dir string) []Finding {
	_, err := postgres.Inspect(ctx, dir)
	return found("PostgreSQL", err, "")
}
