package server_test

import (
	"encoding/base64"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/postgres"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// unreleased is the error of all commands for a database from before the first release.
const unreleased = `server: environment "sandbox" of the database was created before the first release, and this server cannot upgrade it; nothing has been changed: use another `

// makeUnreleased gives the migrations of a database numbers from before the first release.
func makeUnreleased(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	if _, err := db.Exec(t.Context(), "update sandbox.goose_db_version set version_id = version_id - 100 where version_id > 100"); err != nil {
		t.Fatal(err)
	}
}

// contentOf returns the number of rows of tables that each start changes, and the versions.
func contentOf(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return storagetest.QueryValue[string](t, db, `
		select concat_ws(' ',
			(select count(*) from sandbox.environment),
			(select count(*) from sandbox.tenants),
			(select count(*) from sandbox.clients),
			(select string_agg(version_id::text, ' ' order by id) from sandbox.goose_db_version)
		)`)
}

// TestUnreleasedDatabaseIsRefused checks that no command uses a database from before the
// first release, and that none changes it.
func TestUnreleasedDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	db := storagetest.Open(t, url)
	makeUnreleased(t, db)
	before := contentOf(t, db)
	arguments := []string{"DATABASE_URL=" + url, "MASTER_KEY=" + masterKey, "--data-dir", t.TempDir()}
	uat := []string{"PROFILE=uat", "CONTROL_TOKEN=" + strings.Repeat("t", 32), "PUBLIC_URL=https://uat.example"}
	for name, command := range map[string][]string{
		"serve":                      {},
		"serve with the profile uat": uat,
		"gc":                         {"gc"},
		"rotate-key":                 {"rotate-key", "NEW_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("n", 32)))},
		"rotate-key --finish":        {"rotate-key", "--finish"},
	} {
		if output := servertest.Refusal(t, append(command, arguments...)...); !strings.Contains(output, unreleased) {
			t.Errorf("%s: output %s, want %s", name, output, unreleased)
		}
	}
	output, err := servertest.Command(t, append([]string{"doctor"}, arguments...)...).CombinedOutput()
	if want := "failed   schema: " + strings.TrimPrefix(unreleased, "server: "); err == nil || !strings.Contains(string(output), want) {
		t.Errorf("doctor: %v, output %s, want %s", err, output, want)
	}
	if after := contentOf(t, db); after != before {
		t.Errorf("content %s, want %s", after, before)
	}
}

// TestUnreleasedDataDirectoryIsRefused checks that a server does not start on a data
// directory from before the first release, and leaves its database and its files as they
// are.
func TestUnreleasedDataDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	p.Server().Acme().SubmitFile("a.txt", servertest.Letter)
	objects := filepath.Join(dir, "objects", "acme", "*")
	stored, _ := filepath.Glob(objects) // the pattern is valid
	if len(stored) != 1 {
		t.Fatalf("objects %v, want one", stored)
	}
	running, err := postgres.Running(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	db := openPrivate(t, running)
	makeUnreleased(t, db)
	before := contentOf(t, db)
	db.Close()
	p.Kill()
	for _, command := range [][]string{{}, {"gc"}} {
		if output := servertest.Refusal(t, append(command, "--data-dir", dir)...); !strings.Contains(output, unreleased) {
			t.Errorf("%v: output %s, want %s", command, output, unreleased)
		}
	}
	private, err := postgres.Start(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer private.Stop()
	db = openPrivate(t, private.URL())
	defer db.Close()
	if after := contentOf(t, db); after != before {
		t.Errorf("content %s, want %s", after, before)
	}
	if after, _ := filepath.Glob(objects); !slices.Equal(after, stored) {
		t.Errorf("objects %v, want %v", after, stored)
	}
}

// openPrivate returns a pool for a private PostgreSQL.
func openPrivate(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	db, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return db
}
