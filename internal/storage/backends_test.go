package storage_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest/s3test"
)

// backends opens object stores of one kind for a test.
type backends struct {
	// open returns a new, empty store.
	open func() storage.Backend
	// takeAway makes the stores unavailable until bringBack is called.
	takeAway func() (bringBack func())
}

// onEachBackend runs the test on directories and on S3.
func onEachBackend(t *testing.T, test func(t *testing.T, b backends)) {
	t.Parallel()
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		test(t, directories(t))
	})
	t.Run("S3", func(t *testing.T) {
		t.Parallel()
		test(t, buckets(t, s3test.Start(t)))
	})
}

func directories(t *testing.T) backends {
	dir := t.TempDir()
	count := 0
	return backends{
		open: func() storage.Backend {
			t.Helper()
			count++
			return openBackend(t, fmt.Sprintf("file://%s/%d", dir, count))
		},
		takeAway: func() (bringBack func()) {
			t.Helper()
			move := func(from, to string) {
				if err := os.Rename(from, to); err != nil {
					t.Fatal(err)
				}
			}
			move(dir, dir+".away")
			return func() { move(dir+".away", dir) }
		},
	}
}

// buckets returns stores in the bucket of the server, each below a prefix of its own.
func buckets(t *testing.T, server *s3test.Server) backends {
	count := 0
	return backends{
		open: func() storage.Backend {
			t.Helper()
			count++
			return openBackend(t, server.ObjectsURL(fmt.Sprintf("team/%d", count)))
		},
		takeAway: func() (bringBack func()) {
			server.Stop()
			return func() { server.Restart() }
		},
	}
}

func openBackend(t *testing.T, location string) storage.Backend {
	t.Helper()
	backend, err := storage.OpenObjects(location, "")
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// openObjects returns a store in a directory, and the directory.
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
	all := make([]byte, object.Size())
	n, err := object.ReadAt(all, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(all[:n]), err
}

// listKeys returns the keys of the objects below the prefix, in order.
func listKeys(t *testing.T, backend storage.Backend, prefix string) []string {
	t.Helper()
	keys := []string{}
	err := backend.List(t.Context(), prefix, func(entry storage.Entry) error {
		keys = append(keys, entry.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// wantKeys checks the keys of all objects, and that no write has left anything else.
func wantKeys(t *testing.T, backend storage.Backend, want ...string) {
	t.Helper()
	if keys := listKeys(t, backend, ""); !slices.Equal(keys, want) {
		t.Errorf("objects %q, want %q", keys, want)
	}
	if n, err := backend.RemoveIncomplete(t.Context(), time.Now().Add(time.Hour), anyKey); n != 0 || err != nil {
		t.Errorf("%d unfinished writes were left, %v", n, err)
	}
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

// anyKey is the argument of RemoveIncomplete for stores that no other program uses.
func anyKey(string) bool { return true }
