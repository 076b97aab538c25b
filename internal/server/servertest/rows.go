package servertest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// Exec changes rows behind the server's back.
func (s *Server) Exec(sql string, args ...any) {
	s.T.Helper()
	if _, err := s.DB.Exec(context.Background(), sql, args...); err != nil {
		s.T.Fatal(err)
	}
}

// Value returns the only value that a query finds.
func Value[T any](s *Server, sql string, args ...any) T {
	s.T.Helper()
	rows, err := s.DB.Query(context.Background(), sql, args...)
	if err != nil {
		s.T.Fatal(err)
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
	return value
}

// Settings sets a tenant's settings in the database, and lets the time pass in
// which servers may not know of them.
func (s *Server) Settings(tenant, settings string) {
	s.T.Helper()
	s.Exec("update tenants set settings = $2 where name = $1", tenant, settings)
	s.Pass(time.Second)
}

// Timeline returns the states that a submission has reached, in order.
func (s *Server) Timeline(txID string) string {
	s.T.Helper()
	return Value[string](s, `
		select coalesce(string_agg(status, ' ' order by at, status = 'Started'), '')
		from submission_timeline
		where tx_id = $1`, txID)
}

// Rows returns every row of the database, except of the journal, the feed and the audit
// log.
func (s *Server) Rows() string {
	s.T.Helper()
	tables, err := s.DB.Query(context.Background(), "select tablename from pg_tables where schemaname = current_schema and tablename not in ('audit_entries', 'call_batches', 'feed', 'operation_counts') order by 1")
	if err != nil {
		s.T.Fatal(err)
	}
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	if err != nil {
		s.T.Fatal(err)
	}
	if len(names) < 8 {
		s.T.Fatalf("tables %s", names)
	}
	var all strings.Builder
	for _, name := range names {
		all.WriteString(Value[string](s, `
			select coalesce(string_agg('`+name+` ' || to_jsonb(r)::text || E'\n', '' order by to_jsonb(r)::text), '')
			from `+pgx.Identifier{name}.Sanitize()+` r`))
	}
	return all.String()
}

// StoredFiles returns the content of every file in the object store, finished or not,
// by its path, but not the store's marker.
func (s *Server) StoredFiles() map[string]string {
	s.T.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(s.Files, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "understudy.json" {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return files
}

// Unchanged fails the test if what it calls changes a row or a file.
func (s *Server) Unchanged(t *testing.T, do func()) {
	t.Helper()
	rows, files := s.Rows(), s.StoredFiles()
	do()
	if diff := cmp.Diff(rows, s.Rows()); diff != "" {
		t.Errorf("rows changed:\n%s", diff)
	}
	if diff := cmp.Diff(files, s.StoredFiles()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

// Lock runs the statement, which locks rows, in a transaction. It is rolled back at the
// end of the test, unless the test ends it.
func (s *Server) Lock(sql string, args ...any) pgx.Tx {
	s.T.Helper()
	tx, err := s.DB.Begin(context.Background())
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	for _, statement := range []string{"set local idle_in_transaction_session_timeout = 0", "set local lock_timeout = 0"} {
		if _, err := tx.Exec(context.Background(), statement); err != nil {
			s.T.Fatal(err)
		}
	}
	if _, err := tx.Exec(context.Background(), sql, args...); err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
	return tx
}

// Until polls until the condition holds, for at most two minutes: a busy
// machine is no failure.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("timeout waiting until %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// TablesAbout returns the tables, except the journal and the audit log, that have a row with the tx_id.
func (s *Server) TablesAbout(txID string) (tables []string) {
	s.T.Helper()
	rows, err := s.DB.Query(context.Background(), "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'")
	if err != nil {
		s.T.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.T.Fatal(err)
	}
	for _, name := range names {
		about := "r::text like '%' || $1 || '%'"
		if name == "events" {
			about = "convert_from(r.body, 'UTF8') like '%' || $1 || '%'"
		}
		if name != "call_batches" && name != "audit_entries" && Value[int](s, "select count(*) from "+name+" r where "+about, txID) > 0 {
			tables = append(tables, name)
		}
	}
	return tables
}
