package storage_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/storage"
)

// TestDeleteRemovesEmptyDirectories deletes and stores objects of the same directory at
// the same time: no directory is left without an object, and no object is lost.
func TestDeleteRemovesEmptyDirectories(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			key := fmt.Sprintf("acme/one/%d", i)
			for range 50 {
				err := objects.Put(t.Context(), key, strings.NewReader(key))
				got, openErr := readObject(t, objects, key)
				if err := errors.Join(err, openErr, objects.Delete(t.Context(), key)); err != nil || got != key {
					t.Errorf("%s: got %q, %v", key, got, err)
					return
				}
			}
		})
	}
	running.Wait()
	if err := objects.Put(t.Context(), "acme/kept", strings.NewReader("kept")); err != nil {
		t.Error(err)
	}
	if err := objects.Delete(t.Context(), "acme/one/never-stored"); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "acme"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "kept" {
		t.Errorf("got %v, %v, want only the kept object", entries, err)
	}
}

func TestOpenRemovesStaleTempFiles(t *testing.T) {
	t.Parallel()
	_, dir := openObjects(t)
	fresh := filepath.Join(dir, ".unfinished", "fresh")
	stale := filepath.Join(dir, ".unfinished", "stale")
	for _, name := range []string{fresh, stale} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(stale)
	if err != nil {
		t.Fatal(err)
	}
	old := info.ModTime().Add(-61 * time.Minute)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.OpenObjects("file://"+dir, ""); err != nil {
		t.Fatal(err)
	}
	if left := listFiles(t, dir); !slices.Equal(left, []string{fresh}) {
		t.Errorf("files left: %v, want only %v", left, fresh)
	}
}

// TestLinksAreNotFollowed checks that a link in the store does not lead out of it.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	const key = "link/file"
	if err := objects.Put(t.Context(), key, strings.NewReader("x")); err == nil {
		t.Error("put succeeded, want an error")
	}
	if object, err := objects.Open(t.Context(), key); err == nil {
		object.Close()
		t.Error("open succeeded, want an error")
	}
	if err := objects.Delete(t.Context(), key); err == nil {
		t.Error("delete succeeded, want an error")
	}
	if got, err := os.ReadFile(filepath.Join(outside, "file")); string(got) != "outside" {
		t.Errorf("file outside the store: got %q, %v, want it unchanged", got, err)
	}
	wantKeys(t, objects)
}

// sizedReader records the size of the largest buffer into which it is read.
type sizedReader struct {
	io.Reader
	largest int
}

func (r *sizedReader) Read(p []byte) (int, error) {
	r.largest = max(r.largest, len(p))
	return r.Reader.Read(p)
}

// TestPutUsesASmallBuffer checks the size of the buffer of an object that is written,
// because clients can keep many writes in progress.
func TestPutUsesASmallBuffer(t *testing.T) {
	t.Parallel()
	objects, _ := openObjects(t)
	content := &sizedReader{Reader: strings.NewReader(strings.Repeat("a", 1<<20))}
	if err := objects.Put(t.Context(), "acme/one", content); err != nil || content.largest != 32<<10 {
		t.Errorf("%v, read into %d bytes, want 32 KiB", err, content.largest)
	}
}
