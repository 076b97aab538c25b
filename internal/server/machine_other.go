//go:build !linux && !darwin

package server

import (
	"context"
	"errors"

	"understudy.example/internal/storage"
)

// writable returns nil: the server finds out when it starts.
func writable(string) error { return nil }

// memoryOfMachine returns an error.
func memoryOfMachine() (int64, error) { return 0, errors.New("not known on this system") }

// examinePrivatePostgres returns the error of starting one on this system.
func examinePrivatePostgres(ctx context.Context, dir string) []Finding {
	_, err := storage.InspectPostgres(ctx, dir)
	return found("PostgreSQL", err, "")
}
