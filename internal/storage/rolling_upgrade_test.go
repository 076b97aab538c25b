package storage_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/migrations"
)

// releases are the migrations of three releases, which rename a column while servers of
// two releases serve at the same time.
var releases = []string{
	// Release 1 writes and reads label.
	`
	create table schema_requirements (oldest_server bigint not null);
	insert into schema_requirements values (101);
	create table parts (id bigint primary key, label text not null);
	create table calls (id bigint primary key)`,
	// Release 2 expands: it reads title, and both releases can write.
	`
	alter table parts add column title text;
	create function copy_title() returns trigger language plpgsql as $$
	begin
		new.title := coalesce(new.title, new.label);
		new.label := coalesce(new.label, new.title);
		return new;
	end $$;
	create trigger copy_title before insert or update on parts for each row execute function copy_title();
	update parts set title = label`,
	// Release 3 contracts: only release 1 needs label.
	`
	drop trigger copy_title on parts;
	drop function copy_title;
	alter table parts drop column label;
	alter table parts alter column title set not null;
	update schema_requirements set oldest_server = 102`,
}

// filesOf returns the migrations that the servers of a release know.
func filesOf(release int) fs.FS {
	files := fstest.MapFS{}
	for i, up := range releases[:release] {
		text := "-- +goose Up\n-- +goose StatementBegin" + up + ";\n-- +goose StatementEnd\n"
		files[fmt.Sprintf("%04d_release.sql", 101+i)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// Statements of the servers of each release.
var (
	inserts = []string{"insert into parts (id, label) values ($1, $2)", "insert into parts (id, title) values ($1, $2)", "insert into parts (id, title) values ($1, $2)"}
	selects = []string{"select label from parts where id = $1", "select title from parts where id = $1", "select title from parts where id = $1"}
)

// serve inserts and reads rows as a server of the release does, until ctx ends.
func serve(ctx context.Context, t *testing.T, db *pgxpool.Pool, release, firstID int) {
	rows := 0
	for ctx.Err() == nil {
		id, want := firstID+rows, fmt.Sprintf("part %d", rows)
		var got string
		if _, err := db.Exec(context.Background(), inserts[release-1], id, want); err != nil {
			t.Errorf("release %d: %v", release, err)
			return
		}
		if err := db.QueryRow(context.Background(), selects[release-1], id).Scan(&got); err != nil || got != want {
			t.Errorf("release %d reads %q, %v; want %q", release, got, err, want)
			return
		}
		rows++
	}
	if rows == 0 {
		t.Errorf("release %d made no calls", release)
	}
}

// TestRollingUpgrade goes through three releases. In each step, servers of the old release
// serve while a server of the new one migrates, and then both serve. The last release
// contracts, after which servers of the first one are refused.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	db, environment := storagetest.DB(t), "parts"
	db = openEnvironment(t, db, environment)
	if err := storage.MigrateFiles(t.Context(), db, environment, filesOf(1)); err != nil {
		t.Fatal(err)
	}
	for release := 2; release <= 3; release++ {
		var servers sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		servers.Go(func() { serve(ctx, t, db, release-1, release*1_000_000) })
		if err := storage.MigrateFiles(ctx, db, environment, filesOf(release)); err != nil {
			t.Error(err)
		}
		serving, stopServing := context.WithTimeout(t.Context(), 100*time.Millisecond)
		serve(serving, t, db, release, release*2_000_000)
		stopServing()
		stop()
		servers.Wait()
		// The previous release can be started again.
		if err := storage.MigrateFiles(t.Context(), db, environment, filesOf(release-1)); err != nil {
			t.Errorf("release %d on the schema of release %d: %v", release-1, release, err)
		}
	}
	err := storage.MigrateFiles(t.Context(), db, environment, filesOf(1))
	want := `this server is too old for the database: it knows schema version 101, but environment "parts" has version 103, which needs a server that knows version 102 or later`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("release 1 on the schema of release 3: got %v, want %s", err, want)
	}
}

// openEnvironment returns a pool for another environment of the same database.
func openEnvironment(t *testing.T, db *pgxpool.Pool, environment string) *pgxpool.Pool {
	t.Helper()
	other, err := storage.Open(t.Context(), db.Config().ConnString(), environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	return other
}

// TestMigrationDoesNotBlockCalls checks that a migration that waits for a table lets
// statements of servers pass, and ends when the table is free.
func TestMigrationDoesNotBlockCalls(t *testing.T) {
	t.Parallel()
	db := openEnvironment(t, storagetest.DB(t), "parts")
	if err := storage.MigrateFiles(t.Context(), db, "parts", filesOf(1)); err != nil {
		t.Fatal(err)
	}
	long, err := db.Begin(t.Context())
	if err == nil {
		_, err = long.Exec(t.Context(), "select from parts")
	}
	if err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- storage.MigrateFiles(t.Context(), db, "parts", filesOf(2)) }()
	for waiting := false; !waiting; {
		if err := db.QueryRow(t.Context(), `
			select exists (
				select from pg_locks
				where relation = 'parts'::regclass and mode = 'AccessExclusiveLock' and not granted
			)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(t.Context(), "insert into parts (id, label) values (1, 'a')"); err != nil {
		t.Errorf("a statement during the migration: %v", err)
	}
	select {
	case err := <-migrated:
		t.Fatalf("the migration ended although the table was in use: %v", err)
	default:
	}
	if err := long.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}

// contracts matches statements that servers of the release before would not survive.
var contracts = regexp.MustCompile(`(?i)\b(drop (table|view|column|function|type)|rename (to|column)|set not null|alter column \w+ (set data )?type)\b`)

// TestMigrationsExpandFirst checks that no migration refuses the servers of the release
// before, which do not know it, and that migrations that remove something refuse
// servers that are older than that.
func TestMigrationsExpandFirst(t *testing.T) {
	t.Parallel()
	requirement := regexp.MustCompile(`(?i)oldest_server\s*=\s*(\d+)`)
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		var number, oldest int
		fmt.Sscanf(name, "%d", &number)
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		if found := requirement.FindStringSubmatch(up); found != nil {
			fmt.Sscan(found[1], &oldest)
		}
		if oldest >= number {
			t.Errorf("%s refuses the servers that do not know it, which are those of the release before: expand first, and contract one release later", name)
		}
		if found := contracts.FindString(up); found != "" && oldest == 0 {
			t.Errorf("%s has %q, which breaks servers that use it, but does not set oldest_server", name, found)
		}
	}
}
