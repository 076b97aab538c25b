package retention_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/retention"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// age makes all files of the store look older.
func age(t *testing.T, s *servertest.Server, by time.Duration) {
	t.Helper()
	for name := range s.StoredFiles() {
		then := time.Now().Add(-by)
		if err := os.Chtimes(name, then, then); err != nil {
			t.Fatal(err)
		}
	}
}

// put stores an object and returns its path.
func put(t *testing.T, s *servertest.Server, key string) string {
	t.Helper()
	if err := s.App.Objects.Backend.Put(t.Context(), key, strings.NewReader("orphan")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(s.Files, "objects", key)
}

func collect(t *testing.T, s *servertest.Server, dryRun bool) retention.Garbage {
	t.Helper()
	found, err := retention.Collect(t.Context(), s.DB, s.App.Objects, time.Now(), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestOrphansAreDeleted checks which objects are deleted: those that the server named, that
// are older than 24 hours and that no row refers to.
func TestOrphansAreDeleted(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	file := acme.SubmitFile("a.txt", servertest.Letter)
	// The key of a file names another submission if the submission got another id.
	other := acme.SubmitFile("b.txt", servertest.Letter)
	renamed, _ := acme.Announce("b.txt")
	s.Exec(`
		update submissions
		set object_key = (select object_key from submissions where tx_id = $1), size = 1, sha256 = sha256(''), uploaded_at = created_at
		where tx_id = $2`, other, renamed)
	s.Exec("delete from submissions where tx_id = $1", other)
	orphan := put(t, s, "acme/"+uuid.NewString()+"/"+uuid.NewString())
	replaced := put(t, s, "acme/"+file+"-"+uuid.NewString())
	put(t, s, "acme/notes.txt")
	put(t, s, "backup/2026/"+uuid.NewString())
	unfinished := filepath.Join(s.Files, "objects", ".unfinished", "a")
	if err := os.WriteFile(unfinished, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := collect(t, s, false), (retention.Garbage{Objects: 4}); got != want {
		t.Errorf("young objects: %+v, want %+v", got, want)
	}
	age(t, s, 24*time.Hour+time.Minute)
	young := put(t, s, "acme/"+uuid.NewString()+"/"+uuid.NewString())
	before := len(s.StoredFiles())
	if got, want := collect(t, s, true), (retention.Garbage{Objects: 5, Orphans: 2, OrphanBytes: 12}); got != want || len(s.StoredFiles()) != before {
		t.Errorf("dry run: %+v with %d files, want %+v with %d", got, len(s.StoredFiles()), want, before)
	}
	if got, want := collect(t, s, false), (retention.Garbage{Objects: 5, Orphans: 2, OrphanBytes: 12, Deleted: 2, Incomplete: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	left := s.StoredFiles()
	for _, gone := range []string{orphan, replaced, unfinished} {
		if _, found := left[gone]; found {
			t.Errorf("%s was not deleted", gone)
		}
	}
	if _, found := left[young]; !found || len(left) != 5 {
		t.Errorf("left: %v, want two files of submissions, the young orphan and two objects of others", left)
	}
}

// undeletable is a store whose objects cannot be deleted while it is broken.
type undeletable struct {
	storage.Backend
	broken bool
}

// Delete implements storage.Objects.
func (b *undeletable) Delete(ctx context.Context, key string) error {
	if b.broken {
		return errors.New("broken")
	}
	return b.Backend.Delete(ctx, key)
}

// TestFilesThatCouldNotBeDeletedAreCollected deletes tenants and submissions while files
// cannot be deleted. A server that dies between the commit and the deletion leaves the
// same behind.
func TestFilesThatCouldNotBeDeletedAreCollected(t *testing.T) {
	store := &undeletable{}
	s := servertest.New(t, keep(day, day), func(o *servertest.Options) {
		store.Backend = o.Objects.Backend
		o.Objects.Backend = store
	})
	deleted, reset, trimmed := s.NewTenant(`{}`), s.NewTenant(`{}`), s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	for _, tenant := range []*servertest.Tenant{deleted, reset, trimmed} {
		tenant.SubmitFile("a.txt", servertest.Letter)
	}
	kept := s.Acme()
	kept.SubmitFile("kept.txt", servertest.Letter)
	work(s)
	store.broken = true
	s.Control("DELETE /tenants/"+deleted.Name, "").Want(t, http.StatusNoContent)
	reset.Control("POST /reset", "{}").Want(t, http.StatusOK)
	s.Pass(2 * day)
	trim(t, s)
	age(t, s, 25*time.Hour)
	if got, want := collect(t, s, false), (retention.Garbage{Objects: 4, Orphans: 3, OrphanBytes: int64(3 * len(servertest.Letter))}); got != want {
		t.Errorf("while the store is broken: %+v, want %+v", got, want)
	}
	store.broken = false
	if got := collect(t, s, false); got.Deleted != 3 || len(s.StoredFiles()) != 1 {
		t.Errorf("%+v, %d files are left; want 3 deleted, 1 left", got, len(s.StoredFiles()))
	}
}

// TestForeignStoreIsNotCollected checks that nothing is deleted from a store that belongs
// to another database, or has no marker.
func TestForeignStoreIsNotCollected(t *testing.T) {
	s := servertest.New(t)
	put(t, s, "acme/"+uuid.NewString()+"/"+uuid.NewString())
	age(t, s, 48*time.Hour)
	marker := filepath.Join(s.Files, "objects", "understudy.json")
	content, err := os.ReadFile(marker)
	if err != nil {
		t.Fatal(err)
	}
	id := servertest.Value[string](s, "select database_id::text from object_store")
	if err := os.WriteFile(marker, []byte(strings.ReplaceAll(string(content), id, uuid.NewString())), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := retention.Collect(t.Context(), s.DB, s.App.Objects, time.Now(), false); err == nil || found.Deleted > 0 {
		t.Errorf("store of another database: %+v, %v", found, err)
	}
	if store, err := storage.OpenStore(t.Context(), s.DB, s.App.Objects.Backend, "sandbox"); err == nil {
		t.Errorf("opened %v of another database", store)
	}
	os.Remove(marker)
	if store, err := storage.OpenStore(t.Context(), s.DB, s.App.Objects.Backend, "sandbox"); err == nil {
		t.Errorf("opened %v without a marker", store)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a marker was written")
	}
}

// TestOneServerCollectsEachDay checks that of several servers one collects, once a day.
func TestOneServerCollectsEachDay(t *testing.T) {
	s := servertest.New(t)
	collected := func() (n int) {
		for range 3 {
			put(t, s, "acme/"+uuid.NewString()+"/"+uuid.NewString())
			age(t, s, 365*24*time.Hour)
			before := len(s.StoredFiles())
			if _, err := s.Replica().App.Collector().Collect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(s.StoredFiles()) < before {
				n++
			}
		}
		return n
	}
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 1}, {24*time.Hour - time.Second, 0}, {time.Second, 1}} {
		s.Pass(step.pass)
		if n := collected(); n != step.want {
			t.Errorf("%v later: %d servers collected, want %d", step.pass, n, step.want)
		}
	}
}
