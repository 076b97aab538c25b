package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"understudy.example/internal/storage"
)

func openObjects(t *testing.T) (storage.Backend, string) {
	t.Helper()
	dir := t.TempDir()
	objects, err := storage.OpenObjects("", dir)
	if err != nil {
		t.Fatal(err)
	}
	return objects, filepath.Join(dir, "objects")
}

// readObject returns the content of the object. The error is fs.ErrNotExist if
// there is none.
func readObject(t *testing.T, objects storage.Objects, key string) (string, error) {
	t.Helper()
	object, err := objects.Open(t.Context(), key)
	if err != nil {
		return "", err
	}
	defer object.Close()
	all, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	return string(all), err
}

// listFiles returns the paths of all files below the directory.
func listFiles(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPutOpenDelete(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
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
	for range 2 {
		if err := objects.Delete(t.Context(), key); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if _, err := readObject(t, objects, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open after delete: got %v, want not exist", err)
	}
	if left := listFiles(t, dir); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

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

func TestOpenObjectSurvivesReplaceAndDelete(t *testing.T) {
	t.Parallel()
	objects, _ := openObjects(t)
	if err := objects.Put(t.Context(), "a", strings.NewReader("first")); err != nil {
		t.Fatal(err)
	}
	object, err := objects.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	if err := objects.Put(t.Context(), "a", strings.NewReader("second")); err != nil {
		t.Fatal(err)
	}
	if err := objects.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, object.Size())
	if _, err := object.ReadAt(got, 0); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v, want first", got, err)
	}
}

func TestFailedPutLeavesNothing(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	broken := errors.New("connection lost")
	half := func() io.Reader {
		return io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(broken))
	}
	if err := objects.Put(t.Context(), "acme/new", half()); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	if left := listFiles(t, dir); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}

	if err := objects.Put(t.Context(), "acme/old", strings.NewReader("old")); err != nil {
		t.Fatal(err)
	}
	if err := objects.Put(t.Context(), "acme/old", half()); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	if got, err := readObject(t, objects, "acme/old"); got != "old" {
		t.Errorf("after a failed replacement: got %q, %v, want old", got, err)
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := objects.Put(cancelled, "acme/never", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	if left := listFiles(t, dir); !slices.Equal(left, []string{filepath.Join(dir, "acme", "old")}) {
		t.Errorf("files left: %v", left)
	}
}

func TestInvalidKeysAreRejected(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"", ".", "..", "/", "/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", `a\b`, "a\x00b",
		".unfinished/x", "a/.hidden", "link/file",
	} {
		if err := objects.Put(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("put %q succeeded, want an error", key)
		}
		if object, err := objects.Open(t.Context(), key); err == nil {
			object.Close()
			t.Errorf("open %q succeeded, want an error", key)
		}
		if err := objects.Delete(t.Context(), key); err == nil {
			t.Errorf("delete %q succeeded, want an error", key)
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "file")); string(got) != "outside" {
		t.Errorf("file outside the store: got %q, %v, want it unchanged", got, err)
	}
	if left := listFiles(t, filepath.Join(dir, ".unfinished")); len(left) > 0 {
		t.Errorf("files left: %v", left)
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

func TestObjectLocations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for location, want := range map[string]string{
		"":                          "",
		"file://" + dir:             "",
		"file://localhost" + dir:    "",
		"file://elsewhere/dir":      "not of the form",
		"file:relative":             "not of the form",
		"s3://bucket":               "not supported yet",
		"https://user:secret@h/dir": "not of the form",
		"://":                       "not a URL",
	} {
		_, err := storage.OpenObjects(location, dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", location, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error contains the password", location)
		}
	}
}
