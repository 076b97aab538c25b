package storage_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestUUIDRoundTrip checks that UUIDs are read as they were written: single, in
// arrays, null, and in text format.
func TestUUIDRoundTrip(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	id, other := uuid.New(), uuid.New()
	type row struct {
		One   uuid.UUID
		Null  *uuid.UUID
		Some  *uuid.UUID
		Many  []uuid.UUID
		Maybe []*uuid.UUID
		Text  string
	}
	got, err := storage.One[row](t.Context(), db, `
		select @id::uuid as one, @null::uuid as null, @some::uuid as some, @many::uuid[] as many, @maybe::uuid[] as maybe, @id::uuid::text as text`,
		pgx.StrictNamedArgs{"id": id, "null": (*uuid.UUID)(nil), "some": &other, "many": []uuid.UUID{id, other}, "maybe": []*uuid.UUID{nil, &id}})
	if err != nil {
		t.Fatal(err)
	}
	if got.One != id || got.Null != nil || *got.Some != other || !slices.Equal(got.Many, []uuid.UUID{id, other}) ||
		len(got.Maybe) != 2 || got.Maybe[0] != nil || *got.Maybe[1] != id || got.Text != id.String() {
		t.Errorf("got %+v", got)
	}
	var found uuid.UUID
	if err := db.QueryRow(t.Context(), "select $1::uuid", pgx.QueryExecModeExec, id).Scan(&found); err != nil || found != id {
		t.Errorf("in text format: got %s, %v, want %s", found, err, id)
	}
	if err := db.QueryRow(t.Context(), "select null::uuid").Scan(&found); err == nil {
		t.Error("scanning null into a uuid.UUID succeeded, want an error")
	}
}
