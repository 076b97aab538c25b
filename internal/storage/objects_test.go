package storage_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"understudy.example/internal/storage"
)

// TestObjects runs the behaviours that all object stores share.
func TestObjects(t *testing.T) {
	for name, test := range map[string]func(*testing.T, backends){
		"put, open and delete":                       testPutOpenDelete,
		"an open object is not replaced":             testOpenObjectIsNotReplaced,
		"a failed put leaves nothing":                testFailedPutLeavesNothing,
		"invalid keys are rejected":                  testInvalidKeysAreRejected,
		"create never replaces":                      testCreateNeverReplaces,
		"large objects are stored and read in parts": testLargeObject,
		"list":                              testList,
		"unfinished writes are removed":     testRemoveIncomplete,
		"simultaneous puts of one key":      testSimultaneousPuts,
		"store of another database":         testStoreOfAnotherDatabaseIsRefused,
		"another store of a database":       testAnotherStoreOfADatabaseIsRefused,
		"simultaneous starts agree":         testSimultaneousStartsAgree,
		"store that is away":                testStoreThatIsAway,
		"errors of the source":              testErrorsOfTheSourceAreNotTheStores,
		"servers probe the same store":      testServersProbeTheSameStore,
		"readiness is cheap":                testReadyIsCheap,
		"marker that changes while running": testForeignMarker,
	} {
		t.Run(name, func(t *testing.T) { onEachBackend(t, test) })
	}
}

func testPutOpenDelete(t *testing.T, b backends) {
	objects := b.open()
	const key = "acme/one/two"
	if _, err := readObject(t, objects, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open before put: got %v, want not exist", err)
	}
	large := strings.Repeat("0123456789", 100_000) // several buffers
	for _, want := range []string{large, "", "short"} {
		// Return less than requested from each read, as a network does.
		if err := objects.Put(t.Context(), key, iotest.HalfReader(strings.NewReader(want))); err != nil {
			t.Fatal(err)
		}
		if got, err := readObject(t, objects, key); err != nil || got != want {
			t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
		}
	}
	if _, err := objects.Open(t.Context(), "acme/one"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open a directory: got %v, want not exist", err)
	}
	wantKeys(t, objects, key)
	for range 2 {
		if err := objects.Delete(t.Context(), key); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if _, err := readObject(t, objects, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open after delete: got %v, want not exist", err)
	}
	wantKeys(t, objects)
}

// testOpenObjectIsNotReplaced checks that an open object never has the content of the
// one that has replaced it.
func testOpenObjectIsNotReplaced(t *testing.T, b backends) {
	objects := b.open()
	first, second := strings.Repeat("1", 1<<20), strings.Repeat("2", 1<<20)
	check := func(change func() error) {
		t.Helper()
		if err := objects.Put(t.Context(), "a", strings.NewReader(first)); err != nil {
			t.Fatal(err)
		}
		object, err := objects.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, object.Size())
		n, err := object.ReadAt(got, 0)
		if !strings.HasPrefix(first, string(got[:n])) || n < len(got) && err == nil {
			t.Errorf("got %d bytes that are not the content, %v", n, err)
		}
	}
	check(func() error { return objects.Put(t.Context(), "a", strings.NewReader(second)) })
	check(func() error { return objects.Delete(t.Context(), "a") })
}

func testFailedPutLeavesNothing(t *testing.T, b backends) {
	objects := b.open()
	broken := errors.New("connection lost")
	if err := objects.Put(t.Context(), "acme/old", strings.NewReader("old")); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1 << 20, 12 << 20} { // the last one in several parts
		cut := func() io.Reader { return io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(broken)) }
		for _, key := range []string{"acme/new", "acme/old"} {
			if err := objects.Put(t.Context(), key, cut()); !errors.Is(err, broken) {
				t.Errorf("cut after %d bytes: got %v, want the reader's error", size, err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := objects.Put(cancelled, "acme/never", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	if got, err := readObject(t, objects, "acme/old"); got != "old" {
		t.Errorf("after failed replacements: got %q, %v, want old", got, err)
	}
	wantKeys(t, objects, "acme/old")
}

func testInvalidKeysAreRejected(t *testing.T, b backends) {
	objects := b.open()
	for _, key := range []string{
		"", ".", "..", "/", "/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", `a\b`, "a\x00b", ".unfinished/x", "a/.hidden",
	} {
		if err := objects.Put(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("put %q succeeded, want an error", key)
		}
		if err := objects.Create(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("create %q succeeded, want an error", key)
		}
		if object, err := objects.Open(t.Context(), key); err == nil {
			object.Close()
			t.Errorf("open %q succeeded, want an error", key)
		}
		if err := objects.Delete(t.Context(), key); err == nil {
			t.Errorf("delete %q succeeded, want an error", key)
		}
	}
	wantKeys(t, objects)
}

// testCreateNeverReplaces checks that of several simultaneous calls one succeeds.
func testCreateNeverReplaces(t *testing.T, b backends) {
	backend := b.open()
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
	wantKeys(t, backend, "a/b")
}

// testLargeObject stores an object of several parts and reads it at all kinds of places.
func testLargeObject(t *testing.T, b backends) {
	backend := b.open()
	content := make([]byte, 17<<20+123)
	random := rand.NewChaCha8([32]byte{})
	random.Read(content)
	if err := backend.Put(t.Context(), "acme/large", iotest.DataErrReader(bytes.NewReader(content))); err != nil {
		t.Fatal(err)
	}
	object, err := backend.Open(t.Context(), "acme/large")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	size := int64(len(content))
	if object.Size() != size {
		t.Errorf("size %d, want %d", object.Size(), size)
	}
	digest := sha256.New()
	if _, err := io.CopyBuffer(digest, io.NewSectionReader(object, 0, size), make([]byte, 4<<20)); err != nil {
		t.Error(err)
	}
	if want := sha256.Sum256(content); !bytes.Equal(digest.Sum(nil), want[:]) {
		t.Error("the content differs")
	}
	for _, read := range []struct{ off, length int64 }{
		{0, 1}, {0, 64 << 10}, {64<<10 - 1, 2}, {5<<20 - 1, 2}, {size - 1, 1}, {size - 10, 20}, {size, 1}, {size + 5, 1}, {3, 0},
	} {
		got := make([]byte, read.length)
		n, err := object.ReadAt(got, read.off)
		want := content[min(read.off, size):min(read.off+read.length, size)]
		if !bytes.Equal(got[:n], want) || (err != nil) != (int64(len(want)) < read.length) || err != nil && err != io.EOF {
			t.Errorf("%d bytes at %d: got %d bytes, %v", read.length, read.off, n, err)
		}
	}
}

func testList(t *testing.T, b backends) {
	before := time.Now().Add(-time.Minute)
	backend, other := b.open(), b.open()
	if err := other.Put(t.Context(), "acme/other", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, backend)
	keys := []string{"acme/1/a", "acme/1/b", "acme/2", "acmeplus/1/a", "globex/1/a"}
	for _, key := range append(keys, "understudy.json", "understudy.probe") {
		if err := backend.Put(t.Context(), key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string][]string{
		"": keys, "acme/": keys[:3], "acme": keys[:4], "acme/1/": keys[:2], "acme/1/b": keys[1:2], "globex/": keys[4:], "nobody/": {}, "understudy": {},
	} {
		if got := listKeys(t, backend, prefix); !slices.Equal(got, want) {
			t.Errorf("prefix %q: got %q, want %q", prefix, got, want)
		}
	}
	stop := errors.New("stop")
	visited := 0
	err := backend.List(t.Context(), "", func(entry storage.Entry) error {
		visited++
		if entry.Size != int64(len(entry.Key)) || entry.ModTime.Before(before) || entry.ModTime.After(time.Now().Add(time.Minute)) {
			t.Errorf("entry %+v", entry)
		}
		return stop
	})
	if !errors.Is(err, stop) || visited != 1 {
		t.Errorf("got %v after %d objects, want the error of visit after 1", err, visited)
	}
}

// testRemoveIncomplete removes a write that is in progress, as if its server had died.
func testRemoveIncomplete(t *testing.T, b backends) {
	backend := b.open()
	content, source := io.Pipe()
	put := make(chan error, 1)
	go func() { put <- backend.Put(context.Background(), "acme/slow", content) }()
	if _, err := source.Write(make([]byte, 12<<20)); err != nil { // two parts of S3
		t.Fatal(err)
	}
	if n, err := backend.RemoveIncomplete(t.Context(), time.Now().Add(-time.Hour), anyKey); n != 0 || err != nil {
		t.Errorf("removed %d writes that began an hour ago, %v, want none", n, err)
	}
	if keys := listKeys(t, backend, ""); len(keys) != 0 {
		t.Errorf("an unfinished write is listed: %q", keys)
	}
	if n, err := backend.RemoveIncomplete(t.Context(), time.Now().Add(time.Hour), anyKey); n != 1 || err != nil {
		t.Errorf("removed %d unfinished writes, %v, want 1", n, err)
	}
	source.Close()
	if err := <-put; err == nil {
		t.Error("the write succeeded although its beginning was removed")
	}
	wantKeys(t, backend)
}

// testSimultaneousPuts checks that simultaneous writes of one key never mix.
func testSimultaneousPuts(t *testing.T, b backends) {
	backend := b.open()
	var putting sync.WaitGroup
	for _, letter := range []string{"a", "b", "c", "d"} {
		putting.Go(func() {
			if err := backend.Put(context.Background(), "acme/same", strings.NewReader(strings.Repeat(letter, 6<<20))); err != nil {
				t.Error(err)
			}
		})
	}
	putting.Wait()
	got, err := readObject(t, backend, "acme/same")
	if err != nil || len(got) != 6<<20 || got != strings.Repeat(got[:1], len(got)) {
		t.Errorf("got %d bytes of several writes, %v", len(got), err)
	}
	wantKeys(t, backend, "acme/same")
}
