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

// stateOf returns the state of the store in the error.
func stateOf(err error) string {
	var store *storage.StoreError
	if errors.As(err, &store) {
		return store.State
	}
	return ""
}

// testStoreOfAnotherDatabaseIsRefused checks that a store is bound to the database that
// uses it first, even if it has objects but no marker yet.
func testStoreOfAnotherDatabaseIsRefused(t *testing.T, b backends) {
	first, second := storagetest.DB(t), storagetest.DB(t)
	backend := b.open()
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

// testAnotherStoreOfADatabaseIsRefused checks that a database whose files are in one
// store does not use another one, such as the directory of a replica or a mount point,
// unless the store may be replaced or the marker is written by hand.
func testAnotherStoreOfADatabaseIsRefused(t *testing.T, b backends) {
	db := storagetest.DB(t)
	backend := b.open()
	bind(t, db, backend)
	other := b.open()
	_, err := storage.BindStore(t.Context(), db, other, storagetest.Environment, never)
	if err == nil || !strings.Contains(err.Error(), "has no marker") {
		t.Fatalf("got %v, want a refusal", err)
	}
	if _, err := readObject(t, other, "understudy.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refusal left a marker: %v", err)
	}
	wantKeys(t, other)
	_, content, _ := strings.Cut(err.Error(), "put ")
	content, _, _ = strings.Cut(content, " into")
	if err := other.Put(t.Context(), "understudy.json", strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	bind(t, db, other)

	third := b.open()
	if _, err := storage.BindStore(t.Context(), db, third, storagetest.Environment, func() (bool, error) { return true, nil }); err != nil {
		t.Errorf("a store that may be replaced: %v", err)
	}
	bind(t, db, third)
}

// testSimultaneousStartsAgree binds stores of two databases to one store, and two
// stores to one database, at the same time: one of them wins.
func testSimultaneousStartsAgree(t *testing.T, b backends) {
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
		shared := b.open()
		own := b.open()
		one, two, three := storagetest.DB(t), storagetest.DB(t), storagetest.DB(t)
		if won := race(bindTo(one, shared), bindTo(two, shared)); won != 1 {
			t.Errorf("%d databases got one store, want 1", won)
		}
		empty := b.open()
		if won := race(bindTo(three, own), bindTo(three, empty)); won != 1 {
			t.Errorf("%d stores got one database, want 1", won)
		}
		same := storagetest.DB(t)
		both := b.open()
		if won := race(bindTo(same, both), bindTo(same, both)); won != 2 {
			t.Errorf("%d servers of one database and store started, want 2", won)
		}
	}
}

// TestMarkerThatCannotBeReadYet checks that a server waits for a marker that the store
// already refuses to replace but does not return yet.
func TestMarkerThatCannotBeReadYet(t *testing.T) {
	t.Parallel()
	backend := openBackend(t, "file://"+t.TempDir())
	bind(t, storagetest.DB(t), backend)
	_, err := storage.BindStore(t.Context(), storagetest.DB(t), &lateBackend{backend, 4}, storagetest.Environment, never)
	if err == nil || !strings.Contains(err.Error(), "it belongs to") {
		t.Errorf("got %v, want an error that names the other database", err)
	}
}

// lateBackend does not find an object the first times that it is opened.
type lateBackend struct {
	storage.Backend
	late int // the number of times
}

func (b *lateBackend) Open(ctx context.Context, key string) (storage.Object, error) {
	if b.late > 0 {
		b.late--
		return nil, fs.ErrNotExist
	}
	return b.Backend.Open(ctx, key)
}

// testStoreThatIsAway checks that nothing counts as missing while the store is away, and
// that it works again without a restart once it is back.
func testStoreThatIsAway(t *testing.T, b backends) {
	store := bind(t, storagetest.DB(t), b.open())
	if err := store.Put(t.Context(), "acme/a", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	if _, err := store.Open(t.Context(), "acme/b"); !errors.Is(err, fs.ErrNotExist) || stateOf(err) != "" {
		t.Errorf("an object that is gone: %v", err)
	}
	bringBack := b.takeAway()
	checkUnavailable(t, store, "away")
	bringBack()
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

// checkUnavailable checks the error of each method of a store in that state.
func checkUnavailable(t *testing.T, store *storage.Store, state string) {
	t.Helper()
	for _, key := range []string{"acme/a", "acme/b"} {
		if _, err := store.Open(t.Context(), key); stateOf(err) != state {
			t.Errorf("open %s: got %v, want %s", key, err, state)
		}
	}
	for _, size := range []int{1, 6 << 20} {
		if err := store.Put(t.Context(), "acme/c", bytes.NewReader(make([]byte, size))); stateOf(err) != state {
			t.Errorf("put %d bytes: got %v, want %s", size, err, state)
		}
	}
	if err := store.Ready(t.Context()); stateOf(err) != state {
		t.Errorf("ready: got %v, want %s", err, state)
	}
	if err := store.Check(t.Context()); stateOf(err) != state {
		t.Errorf("check: got %v, want %s", err, state)
	}
}

// TestMountPointIsNotTheStore checks that nothing is stored in an empty directory in
// place of the store, such as the mount point of a file system that is not mounted.
func TestMountPointIsNotTheStore(t *testing.T) {
	t.Parallel()
	backend, dir := openObjects(t)
	store := bind(t, storagetest.DB(t), backend)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	checkUnavailable(t, store, "away")
	if left := listFiles(t, dir); len(left) != 0 {
		t.Errorf("files left where the store was: %v", left)
	}
}

// testForeignMarker checks that a store is not used while it has the marker of another
// database.
func testForeignMarker(t *testing.T, b backends) {
	one, other := b.open(), b.open()
	store := bind(t, storagetest.DB(t), one)
	bind(t, storagetest.DB(t), other)
	own, err := readObject(t, one, "understudy.json")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := readObject(t, other, "understudy.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Put(t.Context(), "understudy.json", strings.NewReader(foreign)); err != nil {
		t.Fatal(err)
	}
	checkUnavailable(t, store, "failing")
	wantKeys(t, one)
	if err := one.Put(t.Context(), "understudy.json", strings.NewReader(own)); err != nil {
		t.Fatal(err)
	}
	if err := store.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}

// TestFullAndReadOnlyStore checks the errors of a disk that is full or read-only, that
// objects can be read then, and that no attempt leaves anything behind.
func TestFullAndReadOnlyStore(t *testing.T) {
	t.Parallel()
	disk := storagetest.NewTmpfs(t, "2m")
	dir := disk.Dir + "/objects"
	store := bind(t, storagetest.DB(t), openBackend(t, "file://"+dir))
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
	bind(t, storagetest.DB(t), openBackend(t, "file://"+t.TempDir())) // another store is not affected
	disk.SetReadOnly(false)
	if err := store.Put(t.Context(), "acme/b", strings.NewReader("x")); err != nil {
		t.Error(err)
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// testReadyIsCheap checks that Ready writes at most once per probeInterval, leaves
// nothing, and responds while a file system hangs. A store that cannot hang is only slow,
// and stays in use.
func testReadyIsCheap(t *testing.T, b backends) {
	backend := b.open()
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
	if _, err := readObject(t, backend, "understudy.probe"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the probe was left: %v", err)
	}
	wantKeys(t, backend)

	// A store whose calls end by themselves is only slow.
	unresponsive := ""
	if backend.IsFileSystem() {
		unresponsive = "not responding"
	}
	hang := make(chan struct{})
	defer close(hang)
	counting.hang = hang
	store.ForgetTest()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := store.Ready(ctx)
		cancel()
		if got := stateOf(err); got != unresponsive {
			t.Errorf("ready: got the state %q, want %q", got, unresponsive)
		}
	}
	store.AgeProbe(time.Minute)
	if err := store.Put(t.Context(), "a/b", strings.NewReader("x")); stateOf(err) != unresponsive {
		t.Errorf("put: got %v, want the state %q", err, unresponsive)
	}
	object, err := store.Open(t.Context(), "a/b")
	if stateOf(err) != unresponsive {
		t.Errorf("open: got %v, want the state %q", err, unresponsive)
	}
	if err == nil {
		object.Close()
	}
	if n := counting.puts.Load(); n > 4 {
		t.Errorf("%d writes are waiting, want 1", n)
	}
}

// TestFailedStoreIsNotReadyWhileAProbeRuns checks that a store which has failed does not
// count as working because of a write in the past, while the result of a new probe is
// not known.
func TestFailedStoreIsNotReadyWhileAProbeRuns(t *testing.T) {
	t.Parallel()
	backend, err := storage.OpenObjects("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	network := &networkBackend{Backend: backend}
	store := bind(t, storagetest.DB(t), network)
	network.failure = errors.New("out of order")
	if err := store.Ready(t.Context()); stateOf(err) != "failing" {
		t.Fatalf("ready: %v, want the state failing", err)
	}
	network.failure = nil
	if err := store.Put(t.Context(), "a/b", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	network.hang = make(chan struct{})
	store.ForgetTest()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := store.Ready(ctx); stateOf(err) != "failing" {
		t.Errorf("ready during a probe: %v, want the state failing", err)
	}
	close(network.hang)
	if err := store.Ready(t.Context()); err != nil {
		t.Errorf("ready after the probe: %v", err)
	}
}

// networkBackend is a backend whose calls end by themselves. Writes wait for hang and
// then fail with failure, if they are set.
type networkBackend struct {
	storage.Backend
	failure error
	hang    chan struct{}
}

func (*networkBackend) IsFileSystem() bool { return false }

func (b *networkBackend) Put(ctx context.Context, key string, r io.Reader) error {
	if b.hang != nil {
		<-b.hang
	}
	if b.failure != nil {
		return b.failure
	}
	return b.Backend.Put(ctx, key, r)
}

// countingBackend counts the writes. Probes wait for hang.
type countingBackend struct {
	storage.Backend
	puts atomic.Int32
	hang chan struct{}
}

func (b *countingBackend) Put(ctx context.Context, key string, r io.Reader) error {
	b.puts.Add(1)
	if b.hang != nil && key == "understudy.probe" {
		<-b.hang
	}
	return b.Backend.Put(ctx, key, r)
}

// testErrorsOfTheSourceAreNotTheStores checks that errors of the reader and of the
// context are not reported as errors of the store.
func testErrorsOfTheSourceAreNotTheStores(t *testing.T, b backends) {
	backend := b.open()
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

// testServersProbeTheSameStore checks that a server is ready although others, which share
// its store, delete the object with which it tests the store.
func testServersProbeTheSameStore(t *testing.T, b backends) {
	backend := b.open()
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
	store := bind(t, storagetest.DB(t), damaging{openBackend(t, "file://"+t.TempDir())})
	if err := store.Ready(t.Context()); stateOf(err) != "failing" || !strings.Contains(err.Error(), "the data read back differs from the data written") {
		t.Errorf("got %v, want failing", err)
	}
}

// TestStoreThatKeepsAPart checks that an object of another size than was written is refused.
func TestStoreThatKeepsAPart(t *testing.T) {
	t.Parallel()
	backend := openBackend(t, "file://"+t.TempDir())
	store := bind(t, storagetest.DB(t), backend)
	store.Backend = shortening{backend}
	if err := store.Put(t.Context(), "acme/a", strings.NewReader("0123456789")); stateOf(err) != "failing" {
		t.Errorf("got %v, want failing", err)
	}
	if _, err := backend.Open(t.Context(), "acme/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the part: %v, want it to be deleted", err)
	}
}

// shortening is a store that keeps the first half of what it is given.
type shortening struct{ storage.Backend }

func (b shortening) Put(ctx context.Context, key string, r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return b.Backend.Put(ctx, key, bytes.NewReader(content[:len(content)/2]))
}
