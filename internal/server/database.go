package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/hooks"
	"understudy.example/internal/postgres"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// startDatabase returns the URL of the database to use. If none is configured,
// it starts a private one.
func (c *Config) startDatabase(ctx context.Context) (url string, stop func(), err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, func() {}, os.MkdirAll(c.DataDir, 0o755)
	}
	var settings []string
	if c.Ephemeral {
		settings = append(settings, "fsync=off") // the data need not survive a crash
	}
	private, err := postgres.Start(ctx, c.DataDir, slog.Default(), settings...)
	if err != nil {
		return "", nil, err
	}
	return private.URL(), func() {
		if err := private.Stop(); err != nil {
			slog.Error("postgres did not stop", "err", err)
		}
	}, nil
}

// prepareDatabase migrates the database, seeds the demo tenants in the local
// profile, and returns the environment's keys.
func (c *Config) prepareDatabase(ctx context.Context, pools *storage.Pools, master []byte) (*auth.Keys, error) {
	db := pools.Long
	if err := storage.Migrate(ctx, db, c.Environment); err != nil {
		return nil, err
	}
	if c.DatabaseURL == "" { // the data directory is ours alone, so no earlier server can be running
		if err := errors.Join(universal.ReleaseLeases(ctx, db), hooks.ReleaseLeases(ctx, db)); err != nil {
			return nil, err
		}
	}
	keys, err := auth.LoadKeys(ctx, pools.Auth, c.Environment, master, time.Now())
	if err != nil || c.uat() {
		return keys, err
	}
	return keys, SeedDemos(ctx, db, keys, time.Now())
}

// SeedDemos creates the demo tenants, with their clients and data packages, as
// far as they do not exist.
func SeedDemos(ctx context.Context, db storage.DB, keys *auth.Keys, now time.Time) error {
	tenants, err := auth.SeedDemos(ctx, db, keys, now)
	if err != nil {
		return err
	}
	for name, id := range tenants {
		if err := data.AddPackages(ctx, db, id, data.DefaultPackages(name)...); err != nil {
			return err
		}
	}
	return nil
}
