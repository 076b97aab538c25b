package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/postgres"
	"understudy.example/internal/seed"
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
// profile unless there is a seed, and returns the environment's keys.
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
	if err != nil || c.uat() || c.Seed != "" {
		return keys, err
	}
	return keys, SeedDemos(ctx, db, keys, time.Now())
}

// startCheck is a condition that earlier servers of the database or of the object store
// have set for the start. It is checked before the start changes anything.
type startCheck struct {
	name  string // in the findings of Examine
	met   string // a sentence
	check func(ctx context.Context, db *pgxpool.Pool, master []byte) error
}

func (c *Config) startChecks() []startCheck {
	return []startCheck{
		{"schema", "This server works with the schema of the database.", func(ctx context.Context, db *pgxpool.Pool, _ []byte) error {
			return storage.CheckSchema(ctx, db, c.Environment)
		}},
		{"master key", "The master key is that of the database.", func(ctx context.Context, db *pgxpool.Pool, master []byte) error {
			return auth.CheckMasterKey(ctx, db, c.Environment, master)
		}},
		{"profile", "The database can be used with this profile.", func(ctx context.Context, db *pgxpool.Pool, _ []byte) error {
			return c.checkProfile(ctx, db)
		}},
		{"marker of the object store", "The object store belongs to no other database or environment.", func(ctx context.Context, db *pgxpool.Pool, _ []byte) error {
			return c.checkMarker(ctx, db)
		}},
	}
}

// checkStart returns the error of the first check that fails.
func (c *Config) checkStart(ctx context.Context, db *pgxpool.Pool, master []byte) error {
	if err := storage.CheckReachable(ctx, db); err != nil {
		return err
	}
	for _, condition := range c.startChecks() {
		if err := condition.check(ctx, db, master); err != nil {
			return err
		}
	}
	return nil
}

// checkProfile returns an error if the server would create demo credentials in a database
// that servers of the profile uat use. Only these claim the collection of orphans.
func (c *Config) checkProfile(ctx context.Context, db *pgxpool.Pool) error {
	if c.uat() {
		return nil
	}
	shared, err := storage.Collected(ctx, db)
	if err == nil && shared {
		err = fmt.Errorf("profile local refuses to start: servers of the profile uat use the environment %s of this database, and local would create the demo credentials in it: "+
			"set PROFILE=uat, or use another ENVIRONMENT with an object store of its own, or another database", c.Environment)
	}
	return err
}

// checkMarker returns an error if the object store is not that of the database.
func (c *Config) checkMarker(ctx context.Context, db *pgxpool.Pool) error {
	backend, err := storage.FindObjects(c.ObjectsURL, c.DataDir)
	if err != nil {
		return err
	}
	err = storage.CheckStore(ctx, db, backend, c.Environment, func() (bool, error) { return c.canReplaceObjects(ctx, db) })
	if err != nil {
		return fmt.Errorf("object store %s: %w", c.objectsLocation(), err)
	}
	return nil
}

// readSeed reads the seed; nil if there is none.
func (c *Config) readSeed() (*seed.File, error) {
	if c.Seed == "" {
		return nil, nil
	}
	return seed.Read(c.Seed)
}

// SeedDemos creates the demo tenants, with their clients and data packages, unless they have been
// created before.
func SeedDemos(ctx context.Context, db storage.DB, keys *auth.Keys, now time.Time) error {
	clock := func() time.Time { return now }
	gate := auth.NewGate(db, db, keys, clock, nil)
	seeder := seed.Seeder{
		DB: db, Configurations: configuration.Configurations{DB: db, Gate: gate, Faults: fault.NewInjector(db, db, clock)},
		OnlyNewClients: true, // releases before the first seeds have not recorded what they created
	}
	return seeder.Apply(ctx, seed.Demo(keys.Environment))
}

// ApplySeed applies a seed to the database. Its documents are processed by the background
// work. If the seed is the cause of the error, it is a *seed.Error.
func (a *App) ApplySeed(ctx context.Context, f *seed.File) error {
	configurations := a.configurations()
	configurations.DB = a.DB.Long
	seeder := seed.Seeder{
		DB: a.DB.Long, Configurations: configurations, MaxDocument: a.MaxUpload,
		Submit: func(ctx context.Context, tenant auth.Tenant, filename string, content []byte, record func(tx pgx.Tx) error) error {
			caller, err := a.Gate.CallerFor(ctx, a.DB.Long, tenant)
			if err != nil {
				return err
			}
			return universal.SubmitDocument(ctx, a.DB.Long, a.uploads, a.Gate, caller, a.MaxUpload, filename, content, record)
		},
	}
	if err := seeder.Apply(ctx, f); err != nil {
		return err
	}
	a.Wake()
	return nil
}
