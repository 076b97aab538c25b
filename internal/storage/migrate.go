package storage

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"understudy.example/migrations"
)

// migrationLock is the key of the advisory lock that serializes the migrations
// of servers that start at the same time.
const migrationLock = 0x756e6465727374

// Migrate creates the environment's schema if necessary and migrates it to the
// newest version.
func Migrate(ctx context.Context, pool *pgxpool.Pool, environment string) error {
	lock, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer lock.Release()
	if _, err := lock.Exec(ctx, "set statement_timeout = 0"); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := lock.Exec(ctx, "select pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() {
		// If this fails, the connection is broken, which releases the lock too.
		lock.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock_all()")
		lock.Exec(context.WithoutCancel(ctx), "reset statement_timeout")
	}()
	schema := pgx.Identifier{environment}.Sanitize()
	if _, err := lock.Exec(ctx, "create schema if not exists "+schema); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}

	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
