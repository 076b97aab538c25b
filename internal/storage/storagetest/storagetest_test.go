package storagetest_test

import (
	"fmt"
	"testing"

	"understudy.example/internal/storage/storagetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			db := storagetest.DB(t)
			var schema string
			if err := db.QueryRow(t.Context(), "select current_schema").Scan(&schema); err != nil {
				t.Fatal(err)
			}
			if schema != storagetest.Environment {
				t.Errorf("current schema is %q, want %q", schema, storagetest.Environment)
			}
			// This fails if two tests share a database.
			if _, err := db.Exec(t.Context(), "create table exclusive (id int)"); err != nil {
				t.Error(err)
			}
		})
	}
}

func BenchmarkDB(b *testing.B) {
	storagetest.DB(b)
	for b.Loop() {
		storagetest.URL(b)
	}
}
