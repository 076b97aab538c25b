package storage_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// bind returns the store of the database in the backend.
func bind(t *testing.T, db *pgxpool.Pool, backend storage.Backend) *storage.Store {
	t.Helper()
	store, err := storage.BindStore(t.Context(), db, backend, storagetest.Environment, never)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func never() (bool, error) { return false, nil }

func openDirectory(t *testing.T, dir string) storage.Backend {
	t.Helper()
	backend, err := storage.OpenObjects("file://"+dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// stateOf returns the state of the store in the error.
func stateOf(err error) string {
	var store *storage.StoreError
	if errors.As(err, &store) {
		return store.State
	}
	return ""
}

// TestStoreOfAnotherDatabaseIsRefused checks that a store is bound to the database that
// uses it first, even if it has objects but no marker yet.
func TestStoreOfAnotherDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	first, second := storagetest.DB(t), storagetest.DB(t)
	backend, _ := openObjects(t)
	if err := backend.Put(t.Context(), "acme/old", strings.NewReader("of an earlier version")); err != nil {
		t.Fatal(err)
	}
	bind(t, first, backend)
	store := bind(t, first, backend)
	if got, err := readObject(t, store, "acme/old"); err != nil || got != "of an earlier version" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := storage.BindStore(t.Context(), second, backend, "staging", func() (bool, error) { return true, nil })
	if err == nil {
		t.Fatal("the store was bound to two databases")
	}
	for _, db := range []*pgxpool.Pool{first, second} {
		var id string
		if err := db.QueryRow(t.Context(), "select database_id::text from object_store").Scan(&id); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{id, db.Config().ConnConfig.Database, "environment sandbox", "environment staging", "set OBJECTS_URL"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not contain %s", err, want)
			}
		}
	}
}

// TestAnotherStoreOfADatabaseIsRefused checks that a database whose files are in one
// store does not use another one, such as the directory of a replica or a mount point,
// unless the store may be replaced or the marker is written by hand.
func TestAnotherStoreOfADatabaseIsRefused(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	backend, _ := openObjects(t)
	bind(t, db, backend)
	other, dir := openObjects(t)
	_, err := storage.BindStore(t.Context(), db, other, storagetest.Environment, never)
	if err == nil || !strings.Contains(err.Error(), "has no marker") {
		t.Fatalf("got %v, want a refusal", err)
	}
	if files := listFiles(t, dir); len(files) != 0 {
		t.Errorf("the refusal left files: %v", files)
	}
	_, content, _ := strings.Cut(err.Error(), "put ")
	content, _, _ = strings.Cut(content, " into")
	if err := os.WriteFile(dir+"/understudy.json", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	bind(t, db, other)

	third, _ := openObjects(t)
	if _, err := storage.BindStore(t.Context(), db, third, storagetest.Environment, func() (bool, error) { return true, nil }); err != nil {
		t.Errorf("a store that may be replaced: %v", err)
	}
	bind(t, db, third)
}

// TestSimultaneousStartsAgree binds stores of two databases to one directory, and two
// directories to one database, at the same time: one of them wins.
func TestSimultaneousStartsAgree(t *testing.T) {
	t.Parallel()
	race := func(bind ...func() error) (won int) {
		var starting sync.WaitGroup
		var winners atomic.Int32
		for _, bind := range bind {
			starting.Go(func() {
				if bind() == nil {
					winners.Add(1)
				}
			})
		}
		starting.Wait()
		return int(winners.Load())
	}
	bindTo := func(db *pgxpool.Pool, backend storage.Backend) func() error {
		return func() error {
			_, err := storage.BindStore(context.Background(), db, backend, storagetest.Environment, never)
			return err
		}
	}
	for range 5 {
		shared, _ := openObjects(t)
		own, _ := openObjects(t)
		one, two, three := storagetest.DB(t), storagetest.DB(t), storagetest.DB(t)
		if won := race(bindTo(one, shared), bindTo(two, shared)); won != 1 {
			t.Errorf("%d databases got one directory, want 1", won)
		}
		empty, _ := openObjects(t)
		if won := race(bindTo(three, own), bindTo(three, empty)); won != 1 {
			t.Errorf("%d directories got one database, want 1", won)
		}
		same := storagetest.DB(t)
		both, _ := openObjects(t)
		if won := race(bindTo(same, both), bindTo(same, both)); won != 2 {
			t.Errorf("%d servers of one database and directory started, want 2", won)
		}
	}
}

// TestCreateNeverReplaces checks that of several simultaneous calls one succeeds.
func TestCreateNeverReplaces(t *testing.T) {
	t.Parallel()
	backend, dir := openObjects(t)
	var creating sync.WaitGroup
	var created atomic.Int32
	for range 8 {
		creating.Go(func() {
			switch err := backend.Create(context.Background(), "a/b", strings.NewReader("content")); {
			case err == nil:
				created.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Errorf("got %v, want %v", err, fs.ErrExist)
			}
		})
	}
	creating.Wait()
	if got, err := readObject(t, backend, "a/b"); created.Load() != 1 || got != "content" || err != nil {
		t.Errorf("%d calls succeeded, content %q, %v", created.Load(), got, err)
	}
	if left := listFiles(t, dir); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}

// TestStoreThatIsAway checks that nothing counts as missing while the store is away, and
// that it works again without a restart once it is back.
func TestStoreThatIsAway(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	backend, dir := openObjects(t)
	store := bind(t, db, backend)
	if err := store.Put(t.Context(), "acme/a", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	if _, err := store.Open(t.Context(), "acme/b"); !errors.Is(err, fs.ErrNotExist) || stateOf(err) != "" {
		t.Errorf("an object that is gone: %v", err)
	}
	away := dir + ".away"
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	for _, empty := range []bool{false, true} {
		if empty { // like a mount point
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range []string{"acme/a", "acme/b"} {
			if _, err := store.Open(t.Context(), key); stateOf(err) != "away" {
				t.Errorf("open %s: got %v, want away", key, err)
			}
		}
		if err := store.Put(t.Context(), "acme/c", strings.NewReader("x")); stateOf(err) != "away" {
			t.Errorf("put: got %v, want away", err)
		}
		if err := store.Ready(t.Context()); stateOf(err) != "away" {
			t.Errorf("ready: got %v, want away", err)
		}
		if err := store.Check(t.Context()); stateOf(err) != "away" {
			t.Errorf("check: got %v, want away", err)
		}
	}
	if left := listFiles(t, dir); len(left) != 0 {
		t.Errorf("files left where the store was: %v", left)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := readObject(t, store, "acme/a"); got != "content" {
		t.Errorf("after its return: %q, %v", got, err)
	}
	if err := store.Put(t.Context(), "acme/c", strings.NewReader("x")); err != nil {
		t.Error(err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestFullAndReadOnlyStore checks the errors of a disk that is full or read-only, that
// objects can be read then, and that no attempt leaves anything behind.
func TestFullAndReadOnlyStore(t *testing.T) {
	t.Parallel()
	disk := storagetest.NewTmpfs(t, "2m")
	dir := disk.Dir + "/objects"
	store := bind(t, storagetest.DB(t), openDirectory(t, dir))
	if err := store.Put(t.Context(), "acme/a", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	before := len(listFiles(t, dir))
	check := func(state string) {
		t.Helper()
		for range 3 {
			if err := store.Put(t.Context(), "acme/b", bytes.NewReader(make([]byte, 100<<10))); stateOf(err) != state {
				t.Errorf("put: got %v, want %s", err, state)
			}
		}
		store.ForgetTest()
		if err := store.Ready(t.Context()); stateOf(err) != state {
			t.Errorf("ready: got %v, want %s", err, state)
		}
		if got, err := readObject(t, store, "acme/a"); got != "content" {
			t.Errorf("read: %q, %v", got, err)
		}
		if files := listFiles(t, dir); len(files) != before {
			t.Errorf("files left: %v", files)
		}
	}
	free := disk.Fill()
	check("full")
	free()
	store.ForgetTest()
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	disk.SetReadOnly(true)
	check("read-only")
	bind(t, storagetest.DB(t), openDirectory(t, t.TempDir())) // another store is not affected
	disk.SetReadOnly(false)
	if err := store.Put(t.Context(), "acme/b", strings.NewReader("x")); err != nil {
		t.Error(err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestReadyIsCheap checks that Ready writes at most once per second, leaves nothing, and
// responds while a file system hangs.
func TestReadyIsCheap(t *testing.T) {
	t.Parallel()
	backend, dir := openObjects(t)
	counting := &countingBackend{Backend: backend}
	store := bind(t, storagetest.DB(t), counting)
	for range 100 {
		if err := store.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := counting.puts.Load(); n > 3 {
		t.Errorf("%d writes in a moment, want 1", n)
	}
	if files := listFiles(t, dir); len(files) != 1 {
		t.Errorf("files %v, want the marker alone", files)
	}

	hang := make(chan struct{})
	defer close(hang)
	counting.hang = hang
	store.ForgetTest()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := store.Ready(ctx)
		cancel()
		if stateOf(err) != "not responding" {
			t.Errorf("got %v, want not responding", err)
		}
	}
	store.AgeProbe(time.Minute)
	if err := store.Put(t.Context(), "a/b", strings.NewReader("x")); stateOf(err) != "not responding" {
		t.Errorf("put: got %v, want not responding", err)
	}
	if _, err := store.Open(t.Context(), "a/b"); stateOf(err) != "not responding" {
		t.Errorf("open: got %v, want not responding", err)
	}
	if n := counting.puts.Load(); n > 4 {
		t.Errorf("%d writes are waiting, want 1", n)
	}
}

// countingBackend counts the writes, which wait for hang.
type countingBackend struct {
	storage.Backend
	puts atomic.Int32
	hang chan struct{}
}

func (b *countingBackend) Put(ctx context.Context, key string, r io.Reader) error {
	b.puts.Add(1)
	if b.hang != nil {
		<-b.hang
	}
	return b.Backend.Put(ctx, key, r)
}

// TestErrorsOfTheSourceAreNotTheStores checks that errors of the reader and of the
// context are not reported as errors of the store.
func TestErrorsOfTheSourceAreNotTheStores(t *testing.T) {
	t.Parallel()
	backend, _ := openObjects(t)
	store := bind(t, storagetest.DB(t), backend)
	broken := errors.New("connection lost")
	if err := store.Put(t.Context(), "acme/a", iotest.ErrReader(broken)); !errors.Is(err, broken) || stateOf(err) != "" {
		t.Errorf("got %v, want the reader's error", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(cancelled, "acme/a", strings.NewReader("x")); !errors.Is(err, context.Canceled) || stateOf(err) != "" {
		t.Errorf("got %v, want cancelled", err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestServersProbeTheSameStore checks that a server is ready although others, which share
// its store, delete the object with which it tests the store.
func TestServersProbeTheSameStore(t *testing.T) {
	t.Parallel()
	backend, _ := openObjects(t)
	store := bind(t, storagetest.DB(t), deletingBackend{backend})
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// deletingBackend deletes each object as soon as it is written.
type deletingBackend struct{ storage.Backend }

func (b deletingBackend) Put(ctx context.Context, key string, r io.Reader) error {
	return errors.Join(b.Backend.Put(ctx, key, r), b.Backend.Delete(ctx, key))
}

// damaging is a backend that stores other bytes than it is given.
type damaging struct{ storage.Backend }

func (b damaging) Put(ctx context.Context, key string, _ io.Reader) error {
	return b.Backend.Put(ctx, key, strings.NewReader("other bytes"))
}

// TestDamagingStoreIsNotReady checks that the store reads what it writes to find out
// whether it is ready.
func TestDamagingStoreIsNotReady(t *testing.T) {
	t.Parallel()
	store := bind(t, storagetest.DB(t), damaging{openDirectory(t, t.TempDir())})
	if err := store.Ready(t.Context()); stateOf(err) != "failing" || !strings.Contains(err.Error(), "the probe was not stored as it was written") {
		t.Errorf("got %v, want failing", err)
	}
}
