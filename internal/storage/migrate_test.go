package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

// TestMigrationsAreReversible reverts all migrations and applies them again.
func TestMigrationsAreReversible(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	if _, err := newProvider(t, db).DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := storage.Migrate(t.Context(), db, storagetest.Environment); err != nil {
		t.Fatal(err)
	}
}

// TestMigrationPreservesFeed checks that migrating from version 11 to the
// newest version, and back, leaves the entries of the feed unchanged.
func TestMigrationPreservesFeed(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	migrate := newProvider(t, db)
	if _, err := migrate.DownTo(t.Context(), 11); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), `
		insert into feed (tenant_id, at, kind, event, data)
		select tenant, now() + n * interval '1 second', kind, kind, json_build_object(
			'delivery_id', gen_random_uuid(), 'request_id', gen_random_uuid(), 'hook_id', gen_random_uuid(), 'event', 'a:b',
			'url', 'https://example.com/"x",(y)?z={1}', 'attempt', n, 'status', n % 2 * 200, 'failure', case n % 2 when 0 then 'dns' else '' end, 'duration_ms', 7
		)
		from gen_random_uuid() tenant
		cross join generate_series(1, 3) n
		cross join unnest(array['state', 'delivery']) kind`); err != nil {
		t.Fatal(err)
	}
	type entry struct {
		TenantID string
		At       time.Time
		Kind     string
		Event    string
		TxID     string
		Data     string
	}
	readFeed := func(data string) []entry {
		t.Helper()
		entries, err := storage.All[entry](t.Context(), db, `
			select tenant_id::text, at, kind, event, tx_id, (`+data+`)::jsonb::text as data
			from happened
			order by kind, xid, seq`, pgx.StrictNamedArgs{})
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	before := readFeed("data")
	if len(before) != 6 {
		t.Fatalf("the feed has %d entries, want 6", len(before))
	}
	if _, err := migrate.UpTo(t.Context(), 13); err != nil {
		t.Fatal(err)
	}
	if after := readFeed("coalesce(data, shown(attempt))"); !slices.Equal(after, before) {
		t.Errorf("feed after migrating up:\n%v\nwant\n%v", after, before)
	}
	if _, err := migrate.DownTo(t.Context(), 11); err != nil {
		t.Fatal(err)
	}
	if after := readFeed("data"); !slices.Equal(after, before) {
		t.Errorf("feed after migrating down:\n%v\nwant\n%v", after, before)
	}
}

// TestMigrationAddsContents checks that migrating up adds the packages of version 5
// after the existing packages of each tenant, and that migrating down removes them.
func TestMigrationAddsContents(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	migrate := newProvider(t, db)
	if _, err := migrate.DownTo(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), `
		with tenant as (insert into tenants (id, name, created_at) values (gen_random_uuid(), 'older', now()) returning id)
		insert into data_packages (tenant_id, id, kind)
		select id, 'older-us-' || package, kind
		from tenant, (values ('c0001', 'company'), ('l0001', 'location')) packages (package, kind)`); err != nil {
		t.Fatal(err)
	}
	ids := func(order string) (ids []string) {
		t.Helper()
		rows, err := db.Query(t.Context(), "select id from data_packages order by "+order)
		if err == nil {
			ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	before := ids("id")
	if _, err := migrate.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(before), "older-us-common-c0001", "older-us-gl-c0001", "older-us-admitted-auto-c0001",
		"older-us-admitted-workers-comp-c0001", "older-us-loss-run-c0001", "older-us-property-l0001", "older-us-admitted-advanced-property-l0001")
	if got := ids("number"); !slices.Equal(got, want) {
		t.Errorf("packages after migrating up: %v, want %v", got, want)
	}
	if _, err := migrate.DownTo(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	if got := ids("id"); !slices.Equal(got, before) {
		t.Errorf("packages after migrating down: %v, want %v", got, before)
	}
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
	if oldest < 21 || oldest > current {
		t.Errorf("the schema of version %d requires version %d", current, oldest)
	}
}
