package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

var update = flag.Bool("update", false, "rewrite the expected bodies in testdata")

// golden fails the test unless the JSON is that of testdata/name.
func golden(t *testing.T, name, body string) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(body), "", "  "); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	text.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", path, diff)
	}
}

// quoted is the text as JSON.
func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// exec changes rows behind the server's back.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(context.Background(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

// read returns the one value that a query finds.
func read[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	rows, err := w.db.Query(context.Background(), sql, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// timeline is the states that a submission has reached, in order.
func (w *world) timeline(txID string) string {
	w.t.Helper()
	return read[string](w, `
		select coalesce(string_agg(status, ' ' order by at, status = 'Started'), '')
		from submission_timeline
		where tx_id = $1`, txID)
}

// rows is everything that the database holds, a line per row, but for what
// watches the calls.
func (w *world) rows() string {
	w.t.Helper()
	tables, err := w.db.Query(context.Background(), "select tablename from pg_tables where schemaname = current_schema and tablename not in ('requests', 'feed') order by 1")
	if err != nil {
		w.t.Fatal(err)
	}
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	if len(names) < 8 {
		w.t.Fatalf("tables %s", names)
	}
	var all strings.Builder
	for _, name := range names {
		all.WriteString(read[string](w, `
			select coalesce(string_agg('`+name+` ' || to_jsonb(r)::text || E'\n', '' order by to_jsonb(r)::text), '')
			from `+pgx.Identifier{name}.Sanitize()+` r`))
	}
	return all.String()
}

// stored is the content of every file in the object store, finished or not,
// by its path.
func (w *world) stored() map[string]string {
	w.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(w.files, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// unchanged runs what must change neither a row nor a file.
func (w *world) unchanged(t *testing.T, do func()) {
	t.Helper()
	rows, files := w.rows(), w.stored()
	do()
	if diff := cmp.Diff(rows, w.rows()); diff != "" {
		t.Errorf("rows changed:\n%s", diff)
	}
	if diff := cmp.Diff(files, w.stored()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

// settings changes what a tenant has chosen; it acts within a second.
func (w *world) settings(tenant, settings string) {
	w.t.Helper()
	w.exec("update tenants set settings = $2 where name = $1", tenant, settings)
	w.pass(time.Second)
}

// environment starts a server of another environment on the same database.
func (w *world) environment(name string) *world {
	w.t.Helper()
	ctx := context.Background()
	db, err := storage.Open(ctx, w.db.Config().ConnString(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(db.Close)
	if err := storage.Migrate(ctx, db, name); err != nil {
		w.t.Fatal(err)
	}
	other := &world{t: w.t, db: db, objects: w.objects, files: w.files, client: w.client, now: w.Now()}
	other.keys = demo(w.t, db, name, other.now)
	gate := auth.NewGate(db, other.keys, other.Now)
	other.observer = newObserver(db, gate)
	w.t.Cleanup(func() { other.observer.Stop(context.Background()) })
	server := httptest.NewServer(routes(parts{
		db: db, objects: w.objects, gate: gate, seal: hooks.NewSeal(other.keys.Sealing),
		uploadKey: other.keys.Upload, maxUpload: 1 << 20, wake: func() {}, requests: newInFlight(), observer: other.observer,
	}))
	w.t.Cleanup(server.Close)
	other.url = server.URL
	return other
}

// line is the way to the database, which a test can cut.
type line struct {
	cut     atomic.Bool
	refused atomic.Int64 // attempts to connect while it was
}

// through has the parts reach the database by the line only.
func (l *line) through(t *testing.T) func(*parts) {
	return func(p *parts) {
		config := p.db.(*pgxpool.Pool).Config()
		dial := config.ConnConfig.DialFunc
		config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			if l.cut.Load() {
				l.refused.Add(1)
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("line is cut")}
			}
			return dial(ctx, network, address)
		}
		config.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return !l.cut.Load(), nil }
		db, err := pgxpool.NewWithConfig(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		p.db = db
		p.gate = auth.NewGate(db, demo(t, db, "sandbox", p.gate.Now()), p.gate.Now)
	}
}
