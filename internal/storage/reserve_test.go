package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestDirectoryKeepsSpaceFree checks that objects are refused before the disk is full, that
// nothing is left of them, and that reading and deleting works.
func TestDirectoryKeepsSpaceFree(t *testing.T) {
	t.Parallel()
	disk := storagetest.NewTmpfs(t, "16m")
	backend := openBackend(t, "file://"+disk.Dir+"/objects")
	store := bind(t, storagetest.DB(t), backend)
	minFree := int64(8 << 20)
	store.Backend = storage.KeepFree(backend, &minFree)

	if err := store.Put(t.Context(), "acme/large", bytes.NewReader(make([]byte, 12<<20))); stateOf(err) != "full" {
		t.Errorf("an object that uses the reserve: got %v, want full", err)
	}
	stored := 0
	for stateOf(store.Put(t.Context(), fmt.Sprintf("acme/%d", stored), bytes.NewReader(make([]byte, 1<<20)))) == "" {
		stored++
		if stored > 16 {
			t.Fatal("the disk should be full")
		}
	}
	if stored < 7 || stored > 9 {
		t.Errorf("%d objects of 1 MiB are stored, want about 8 of 16", stored)
	}
	if err := store.Put(t.Context(), "acme/small", strings.NewReader("x")); stateOf(err) != "full" {
		t.Errorf("a small object: got %v, want full", err)
	}
	store.ForgetTest()
	if err := store.Ready(t.Context()); stateOf(err) != "full" {
		t.Errorf("ready: got %v, want full", err)
	}
	object, err := store.Open(t.Context(), "acme/0")
	if err != nil {
		t.Fatal(err)
	}
	object.Close()
	for i := range 2 {
		if err := store.Delete(t.Context(), fmt.Sprintf("acme/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Put(t.Context(), "acme/small", strings.NewReader("x")); err != nil {
		t.Errorf("after deletions: %v", err)
	}
	off := int64(0)
	store.Backend = storage.KeepFree(backend, &off)
	if err := store.Put(t.Context(), "acme/large", bytes.NewReader(make([]byte, 8<<20))); err != nil {
		t.Errorf("without a reserve: %v", err)
	}
}

// TestFileThatIsGoneIsMissing checks that an object whose file is gone is missing at once, even in a
// directory that keeps space free, as a server's directory does.
func TestFileThatIsGoneIsMissing(t *testing.T) {
	t.Parallel()
	backend := openBackend(t, "file://"+t.TempDir()+"/objects")
	store := bind(t, storagetest.DB(t), backend)
	for _, b := range []storage.Backend{backend, storage.KeepFree(backend, nil)} {
		store.Backend = b
		if _, err := store.OpenVerified(t.Context(), "acme/gone", 1, nil); !errors.Is(err, fs.ErrNotExist) || stateOf(err) != "" {
			t.Errorf("%T: got %v, want no such object", b, err)
		}
	}
}
