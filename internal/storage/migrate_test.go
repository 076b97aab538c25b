package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/migrations"
)

func newProvider(t *testing.T, db *pgxpool.Pool) *goose.Provider {
	t.Helper()
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(db), migrations.Files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// TestMigrationsAreReversible reverts all migrations one by one and applies them again. Each schema
// must have the same requirements, columns, functions, indexes, triggers and views both times.
func TestMigrationsAreReversible(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	provider := newProvider(t, db)
	reverted := map[int64]string{} // schema after each migration was reverted
	for _, source := range slices.Backward(provider.ListSources()) {
		if _, err := provider.Down(t.Context()); err != nil {
			t.Fatal(err)
		}
		reverted[source.Version] = schemaOf(t, db)
	}
	for _, source := range provider.ListSources() {
		if diff := cmp.Diff(schemaOf(t, db), reverted[source.Version]); diff != "" {
			t.Errorf("schema before migration %d and after its reversal (-before +after):\n%s", source.Version, diff)
		}
		if _, err := provider.UpByOne(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// schemaOf describes the schema in lines of text that can be compared.
func schemaOf(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	var requirements string
	if storagetest.QueryValue[bool](t, db, "select to_regclass('schema_requirements') is not null") {
		requirements = storagetest.QueryValue[string](t, db, "select 'oldest server ' || oldest_server from schema_requirements")
	}
	return requirements + storagetest.QueryValue[string](t, db, `
		with described as (
			select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as text
			from information_schema.columns
			where table_schema = current_schema
			union all
			select pg_get_functiondef(oid)
			from pg_proc
			where pronamespace = current_schema::regnamespace
			union all
			select indexdef
			from pg_indexes
			where schemaname = current_schema
			union all
			select pg_get_triggerdef(oid)
			from pg_trigger
			where not tgisinternal
			and tgrelid in (select oid from pg_class where relnamespace = current_schema::regnamespace)
			union all
			select pg_get_viewdef(oid)
			from pg_class
			where relkind = 'v'
			and relnamespace = current_schema::regnamespace
		)
		select coalesce(string_agg(text, E'\n' order by text), '')
		from described`)
}

// TestOldServerIsRefused checks that a server starts on a schema that a newer one has
// migrated further, unless the schema requires a newer server.
func TestOldServerIsRefused(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	provider := newProvider(t, db)
	sources := provider.ListSources()
	known := sources[len(sources)-1].Version
	if _, err := db.Exec(t.Context(), "insert into goose_db_version (version_id, is_applied) values ($1, true)", known+2); err != nil {
		t.Fatal(err)
	}
	if err := storage.Migrate(t.Context(), db, storagetest.Environment); err != nil {
		t.Errorf("a newer schema that serves this server: %v", err)
	}
	if _, err := db.Exec(t.Context(), "update schema_requirements set oldest_server = $1", known+1); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`this server is too old for the database: it knows schema version %d, but environment "sandbox" has version %d, `+
		"which needs a server that knows version %d or later; start a newer server, or restore a backup of the database from before its upgrade",
		known, known+2, known+1)
	if err := storage.Migrate(t.Context(), db, storagetest.Environment); err == nil || err.Error() != want {
		t.Errorf("a schema that needs a newer server: got %v, want %s", err, want)
	}
}

// TestSchemaRequiresKnownServer checks that the newest server works with the schema
// that it creates.
func TestSchemaRequiresKnownServer(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	var oldest, current int64
	if err := db.QueryRow(t.Context(), `
		select oldest_server, (select max(version_id) from goose_db_version)
		from schema_requirements`).Scan(&oldest, &current); err != nil {
		t.Fatal(err)
	}
	if oldest < 101 || oldest > current {
		t.Errorf("the schema of version %d requires version %d", current, oldest)
	}
}

// TestInterruptedRestoreIsRefused checks that a database without the foreign key whose name sorts last is refused,
// because a restore creates it last.
func TestInterruptedRestoreIsRefused(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	var last string
	if err := db.QueryRow(t.Context(), `
		select conname
		from pg_constraint
		where contype = 'f'
		and connamespace = current_schema::regnamespace
		order by conname desc
		limit 1`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "alter table submissions drop constraint "+last); err != nil {
		t.Fatal(err)
	}
	const want = `environment "sandbox" of the database has been restored only in part: restore the backup into a new, empty database, with pg_restore --single-transaction`
	for name, check := range map[string]func() error{
		"migrate": func() error { return storage.Migrate(t.Context(), db, storagetest.Environment) },
		"check":   func() error { return storage.CheckSchema(t.Context(), db, storagetest.Environment) },
	} {
		if err := check(); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// TestLostMigrationLockEndsMigration checks that a server stops migrating when PostgreSQL has ended the transaction that
// holds the lock, as it does when the server freezes, and that another server gets the lock.
func TestLostMigrationLockEndsMigration(t *testing.T) {
	t.Parallel()
	db, ctx := storagetest.DB(t), t.Context()
	locked, unlock, err := storage.LockMigrations(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	const holder = `
		from pg_stat_activity
		where state = 'idle in transaction'
		and query like '%pg_try_advisory_xact_lock%'
		and datname = current_database()`
	if _, err := db.Exec(ctx, "select pg_terminate_backend(pid)"+holder); err != nil {
		t.Fatal(err)
	}
	_, unlockNext, err := storage.LockMigrations(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	unlockNext()
	<-locked.Done()
	if cause := context.Cause(locked); !strings.Contains(cause.Error(), "the lock of the migrations is lost") {
		t.Errorf("the context ends with %v", cause)
	}
}

// TestEnvironmentWithCapitals checks that a schema whose name has capitals can be checked and migrated again.
func TestEnvironmentWithCapitals(t *testing.T) {
	t.Parallel()
	config := storagetest.DB(t).Config()
	config.ConnConfig.RuntimeParams["search_path"] = `"Staging"`
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for range 2 {
		if err := storage.Migrate(t.Context(), pool, "Staging"); err != nil {
			t.Fatal(err)
		}
	}
	if err := storage.CheckSchema(t.Context(), pool, "Staging"); err != nil {
		t.Error(err)
	}
}

// TestUnreleasedSchemaIsRefused checks that a schema from before the first release is
// refused with a sentence that says what to do, and is not changed.
func TestUnreleasedSchemaIsRefused(t *testing.T) {
	t.Parallel()
	db := openEnvironment(t, storagetest.DB(t), "old")
	if err := storage.CheckSchema(t.Context(), db, "old"); err != nil {
		t.Errorf("an environment that does not exist yet: %v", err)
	}
	if _, err := db.Exec(t.Context(), `
		create schema old;
		create table goose_db_version (id int generated by default as identity primary key, version_id bigint, is_applied boolean, tstamp timestamp default now());
		insert into goose_db_version (version_id, is_applied) values (0, true), (1, true), (51, true);
		create table old_tenants (name text)`); err != nil {
		t.Fatal(err)
	}
	schema := func() string {
		t.Helper()
		return storagetest.QueryValue[string](t, db, `
			select string_agg(concat_ws(' ', table_schema, table_name, column_name, data_type), E'\n' order by table_schema, table_name, ordinal_position)
				|| (select string_agg(concat_ws(' ', id, version_id, tstamp), E'\n' order by id) from goose_db_version)
			from information_schema.columns
			where table_schema not in ('pg_catalog', 'information_schema')`)
	}
	before := schema()
	const want = `environment "old" of the database was created before the first release, and this server cannot upgrade it; nothing has been changed: ` +
		"use another --data-dir, or another --database-url or --environment with an object store of its own, or delete the old data if it is no longer needed, or keep using the older server"
	for name, err := range map[string]error{
		"Migrate":     storage.Migrate(t.Context(), db, "old"),
		"CheckSchema": storage.CheckSchema(t.Context(), db, "old"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if after := schema(); after != before {
		t.Errorf("the schema was changed to\n%s\nfrom\n%s", after, before)
	}
}
