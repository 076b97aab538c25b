package storage_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestExecWide: what it writes is what was given, and its buffer is left to the
// next whatever becomes of the statement.
func TestExecWide(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "create temporary table wide (n int, body bytea, note text)"); err != nil {
		t.Fatal(err)
	}
	const sql = `
		insert into wide
		select unnest(@ns::int[]), unnest(@bodies::bytea[]), @note::text`
	write := func(ns []int, note *string) error {
		bodies := make([][]byte, len(ns))
		for i, n := range ns {
			if n%2 == 0 {
				bodies[i] = slices.Repeat([]byte{byte(n)}, n)
			}
		}
		return storage.ExecWide(t.Context(), conn.Conn(), sql, pgx.StrictNamedArgs{"ns": ns, "bodies": bodies, "note": note})
	}
	note := "said"
	for _, try := range []struct {
		ns   []int
		note *string
	}{{[]int{1, 2, 3, 400}, &note}, {nil, &note}, {[]int{}, nil}, {[]int{5, 6}, nil}} {
		if err := write(try.ns, try.note); err != nil {
			t.Fatal(err)
		}
	}
	if err := storage.ExecWide(t.Context(), conn.Conn(), "insert into wide (n) select @n::int / 0", pgx.StrictNamedArgs{"n": 1}); err == nil {
		t.Error("a division by zero was written")
	}
	if err := storage.ExecWide(t.Context(), conn.Conn(), sql, pgx.StrictNamedArgs{"ns": []string{"x"}, "bodies": [][]byte{}, "note": note}); err == nil {
		t.Error("a text was taken for a number")
	}
	if err := write([]int{8}, &note); err != nil {
		t.Fatal(err)
	}
	var rows, bytes, noted, bodies int
	if err := conn.QueryRow(t.Context(), "select count(*), sum(octet_length(body)), count(note), count(body) from wide").Scan(&rows, &bytes, &noted, &bodies); err != nil {
		t.Fatal(err)
	}
	if rows != 7 || bytes != 2+400+6+8 || noted != 5 || bodies != 4 {
		t.Errorf("%d rows, %d bytes in %d bodies, %d notes", rows, bytes, bodies, noted)
	}
}

// TestExecWideBeginsWithNothing: an empty text is not null, though nothing was
// written to the buffer before it.
func TestExecWideBeginsWithNothing(t *testing.T) {
	db := storagetest.DB(t)
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "create temporary table wide (note text not null)"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		runtime.GC() // forgets the buffers that are kept
	}
	if err := storage.ExecWide(t.Context(), conn.Conn(), "insert into wide select @note::text", pgx.StrictNamedArgs{"note": ""}); err != nil {
		t.Error(err)
	}
}
