//go:build !linux && !darwin

package server

import (
	"context"

	"understudy.example/internal/storage"
)

// writable returns nil: the server finds out when it starts.
func writable(string) error { return nil }

// examinePrivatePostgres returns the error of starting one on this system.
func examinePrivatePostgres(ctx context.Context, dir string) []Finding {
	_, err := storage.InspectPostgres(ctx, dir)
	return found("PostgreSQL", err, "")
}
