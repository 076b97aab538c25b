package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"understudy.example/migrations"
)

// migrationLock is the key of the advisory lock that serializes the migrations
// of servers that start at the same time.
const migrationLock = 0x756e6465727374

// Migrate creates the environment's schema if necessary and migrates it to the newest
// version, while other servers may be using it. If a newer server has already migrated
// the schema further, Migrate does not change it, and returns an error if this server
// is too old for it. A schema from before the first release is an error too, and is not
// changed either. After a restore, Migrate makes new entries of the feed follow the
// restored ones.
func Migrate(ctx context.Context, pool *pgxpool.Pool, environment string) error {
	if err := migrate(ctx, pool, environment, migrations.Files); err != nil {
		return err
	}
	return continueFeed(ctx, pool)
}

// migrate is Migrate with the migrations in files.
func migrate(ctx context.Context, pool *pgxpool.Pool, environment string, files fs.FS) error {
	// The warning also covers a pooler with only one connection, which the lock occupies.
	slow := time.AfterFunc(migrationPatience, func() {
		slog.WarnContext(ctx, "server start is waiting for the lock of the migrations, which another server holds, or for a free connection to the database or its pooler")
	})
	defer slow.Stop()
	locked, unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer unlock()
	// Not in the transaction that holds the lock: its locks on the tables would block the
	// migrations.
	if err := checkSchema(locked, pool, environment, newestVersion(files)); err != nil {
		return err
	}
	slow.Stop()
	schema := pgx.Identifier{environment}.Sanitize()
	if _, err := pool.Exec(locked, "create schema if not exists "+schema); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}

	config := pool.Config()
	config.ConnConfig.RuntimeParams["lock_timeout"] = milliseconds(migrationLockTimeout)
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0"
	impatient, err := pgxpool.NewWithConfig(locked, config)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer impatient.Close()
	db := stdlib.OpenDBFromPool(impatient)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := migrateUp(locked, provider); err != nil {
		return fmt.Errorf("migrate: %w", cmp.Or(context.Cause(locked), err))
	}
	return nil
}

// CheckSchema returns the error of Migrate if the environment's schema is from before the
// first release, or the server is too old for it. It changes nothing. The environment may
// not exist yet.
func CheckSchema(ctx context.Context, db DB, environment string) error {
	return checkSchema(ctx, db, environment, newestVersion(migrations.Files))
}

// newestVersion returns the version of the newest migration in files.
func newestVersion(files fs.FS) (newest int64) {
	names, _ := fs.Glob(files, "*.sql") // the pattern is valid
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			newest = max(newest, version)
		}
	}
	return newest
}

// A migration that waits for the lock of a table blocks all later statements that use the
// table. So it gives up soon, and is repeated after a pause in which they run.
const (
	migrationLockTimeout = 500 * time.Millisecond
	migrationPause       = 500 * time.Millisecond
)

// migrateUp runs the migrations. It repeats a migration that could not lock a table in
// time until ctx ends.
func migrateUp(ctx context.Context, provider *goose.Provider) error {
	for {
		_, err := provider.Up(ctx)
		if errorCode(err) != lockNotAvailable {
			return err
		}
		slog.WarnContext(ctx, "a migration waits for a table that is in use", "err", err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(migrationPause):
		}
	}
}

// migrationPatience is how long a start waits for the lock of the migrations before it logs that it
// is waiting.
var migrationPatience = 3 * time.Second

// lockInterval is the time between attempts to lock the migrations.
const lockInterval = 50 * time.Millisecond

// lockMigrations prevents other servers from migrating until unlock is called. A session lock would not work with
// a pooler, and waiting in PostgreSQL would use up the pooler's connections when many servers start. The returned
// context ends when the lock is lost. If this process freezes, PostgreSQL ends the idle transaction that holds the lock,
// so that other servers can start.
func lockMigrations(ctx context.Context, pool *pgxpool.Pool) (locked context.Context, unlock func(), err error) {
	for {
		tx, err := pool.Begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		var taken bool
		err = tx.QueryRow(ctx, "select pg_try_advisory_xact_lock($1)", migrationLock).Scan(&taken)
		if err == nil && taken {
			locked, unlock = holdLock(ctx, tx)
			return locked, unlock, nil
		}
		if err := errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))); err != nil {
			return nil, nil, err
		}
		select {
		case <-time.After(lockInterval):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// holdInterval is less than the time after which PostgreSQL ends an idle transaction.
const holdInterval = 2 * time.Second

// holdLock regularly sends a statement until unlock is called, so that PostgreSQL does not end the transaction that holds
// the lock for being idle. The returned context ends if a statement fails.
func holdLock(ctx context.Context, tx pgx.Tx) (locked context.Context, unlock func()) {
	locked, lose := context.WithCancelCause(ctx)
	released := make(chan struct{})
	var holding sync.WaitGroup
	holding.Go(func() {
		ticker := time.NewTicker(holdInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := answers(locked, tx); err != nil {
					lose(fmt.Errorf("the lock of the migrations is lost: %w", err))
					return
				}
			case <-released:
				return
			}
		}
	})
	return locked, func() {
		close(released)
		lose(nil) // also ends a statement in progress
		holding.Wait()
		_ = tx.Rollback(context.WithoutCancel(ctx)) // releases the lock; if it fails, closing the connection does
	}
}

// answers sends a statement in the transaction, with a time limit: a broken connection would otherwise be noticed only
// after minutes.
func answers(ctx context.Context, tx pgx.Tx) error {
	ctx, cancel := context.WithTimeout(ctx, 2*holdInterval)
	defer cancel()
	_, err := tx.Exec(ctx, "select")
	return err
}

// firstRelease is the number of the first migration of the first release. The migrations
// of earlier servers had lower numbers, and no longer exist.
const firstRelease = 101

// checkSchema is CheckSchema for a server whose newest migration has the number known.
func checkSchema(ctx context.Context, db DB, environment string, known int64) error {
	var migrated, unreleased bool
	err := db.QueryRow(ctx, "select to_regclass('goose_db_version') is not null").Scan(&migrated)
	if err == nil && migrated {
		err = db.QueryRow(ctx, `
			select exists (
				select
				from goose_db_version
				where version_id > 0
				and version_id < @first
			)`, pgx.StrictNamedArgs{"first": firstRelease}).Scan(&unreleased)
	}
	if err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	if unreleased {
		return fmt.Errorf("environment %q of the database was created before the first release, and this server cannot upgrade it; nothing has been changed: "+
			"use another --data-dir, or another --database-url or --environment with an object store of its own, or delete the old data if it is no longer needed, or keep using the older server", environment)
	}
	return checkServerVersion(ctx, db, environment, known)
}

// checkServerVersion returns an error if the schema no longer works with servers
// whose newest migration is known, or has been restored only in part.
func checkServerVersion(ctx context.Context, db DB, environment string, known int64) error {
	var recorded bool
	err := db.QueryRow(ctx, "select to_regclass('schema_requirements') is not null").Scan(&recorded)
	if err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	if !recorded { // no server has migrated the schema that far
		return nil
	}
	var oldest, current int64
	err = db.QueryRow(ctx, `
		select oldest_server, (select max(version_id) from goose_db_version)
		from schema_requirements`).Scan(&oldest, &current)
	if err != nil { // also if a restore has not filled the table
		return cmp.Or(checkRestored(ctx, db, environment), fmt.Errorf("check the schema: %w", err))
	}
	if known < oldest {
		return fmt.Errorf("this server is too old for the database: it knows schema version %d, but environment %q has version %d, "+
			"which needs a server that knows version %d or later; start a newer server, or restore a backup of the database from before its upgrade",
			known, environment, current, oldest)
	}
	return checkRestored(ctx, db, environment)
}

// lastRestored is the constraint that pg_restore creates last: the foreign key whose name sorts last.
const lastRestored = "submissions_tenant_id_fkey"

// checkRestored returns an error if a restore of the database was interrupted. Rows, triggers or constraints can be
// missing then, and files of the object store would look as if no row referred to them.
func checkRestored(ctx context.Context, db DB, environment string) error {
	var complete bool
	err := db.QueryRow(ctx, `
		select to_regclass('submissions') is null or exists (
			select
			from pg_constraint
			where conname = @name
			and connamespace = (select oid from pg_namespace where nspname = current_schema)
		)`, pgx.StrictNamedArgs{"name": lastRestored}).Scan(&complete)
	if err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	if !complete {
		return fmt.Errorf("environment %q of the database has been restored only in part: restore the backup into a new, empty database, with pg_restore --single-transaction", environment)
	}
	return nil
}
