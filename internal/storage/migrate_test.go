package storage_test

import (
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
