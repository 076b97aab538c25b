package storage_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestExecBulk checks that ExecBulk writes what it was given, and that a
// statement that fails leaves a usable buffer to the next one.
func TestExecBulk(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "create temporary table bulk (n int, body bytea, note text)"); err != nil {
		t.Fatal(err)
	}
	const sql = `
		insert into bulk
		select unnest(@ns::int[]), unnest(@bodies::bytea[]), @note::text`
	write := func(ns []int, note *string) error {
		bodies := make([][]byte, len(ns))
		for i, n := range ns {
			if n%2 == 0 {
				bodies[i] = slices.Repeat([]byte{byte(n)}, n)
			}
		}
		return storage.ExecBulk(t.Context(), conn.Conn(), sql, pgx.StrictNamedArgs{"ns": ns, "bodies": bodies, "note": note})
	}
	note := "text"
	for _, call := range []struct {
		ns   []int
		note *string
	}{{[]int{1, 2, 3, 400}, &note}, {nil, &note}, {[]int{}, nil}, {[]int{5, 6}, nil}} {
		if err := write(call.ns, call.note); err != nil {
			t.Fatal(err)
		}
	}
	if err := storage.ExecBulk(t.Context(), conn.Conn(), "insert into bulk (n) select @n::int / 0", pgx.StrictNamedArgs{"n": 1}); err == nil {
		t.Error("division by zero succeeded, want an error")
	}
	if err := storage.ExecBulk(t.Context(), conn.Conn(), sql, pgx.StrictNamedArgs{"ns": []string{"x"}, "bodies": [][]byte{}, "note": note}); err == nil {
		t.Error("encoding a text as a number succeeded, want an error")
	}
	if err := write([]int{8}, &note); err != nil {
		t.Fatal(err)
	}
	var rows, bytes, notes, bodies int
	if err := conn.QueryRow(t.Context(), "select count(*), sum(octet_length(body)), count(note), count(body) from bulk").Scan(&rows, &bytes, &notes, &bodies); err != nil {
		t.Fatal(err)
	}
	if rows != 7 || bytes != 2+400+6+8 || notes != 5 || bodies != 4 {
		t.Errorf("got %d rows, %d bytes in %d bodies, %d notes, want 7, 416, 4, 5", rows, bytes, bodies, notes)
	}
}

// TestExecBulkEmptyTextIsNotNull checks that an empty text is not null when it
// is the first value in a new buffer.
func TestExecBulkEmptyTextIsNotNull(t *testing.T) {
	db := storagetest.DB(t)
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "create temporary table bulk (note text not null)"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		runtime.GC() // empties the pool of buffers
	}
	if err := storage.ExecBulk(t.Context(), conn.Conn(), "insert into bulk select @note::text", pgx.StrictNamedArgs{"note": ""}); err != nil {
		t.Error(err)
	}
}
