package storage_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/storage"
)

// keysOf returns the keys of the objects with the prefix, in order.
func keysOf(t *testing.T, objects storage.Backend, prefix string) (keys []string) {
	t.Helper()
	err := objects.List(t.Context(), prefix, func(entry storage.Entry) error {
		if entry.Size != int64(len(entry.Key)) || time.Since(entry.ModTime).Abs() > time.Hour {
			t.Errorf("entry %+v, want the size %d and the present time", entry, len(entry.Key))
		}
		keys = append(keys, entry.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

func TestList(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	if keys := keysOf(t, objects, ""); len(keys) > 0 {
		t.Errorf("empty store: %q", keys)
	}
	all := []string{"acme", "acme-2/one/a", "globex/one/a", "globex/one/b", "globex/two/a"}
	for _, key := range append(all, "understudy.json", "understudy.probe") {
		if err := objects.Put(t.Context(), key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{".unfinished/x", ".hidden", "globex/.hidden"} {
		if err := os.WriteFile(filepath.Join(dir, other), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "acme"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string][]string{
		"": all, "acme": all[:2], "acme-2/one/a": all[1:2], "globex/": all[2:], "globex/one/": all[2:4], "globex/t": all[4:], "glob": all[2:], "other/": nil, "under": nil,
	} {
		if keys := keysOf(t, objects, prefix); !slices.Equal(keys, want) {
			t.Errorf("prefix %q: %q, want %q", prefix, keys, want)
		}
	}
	stop, visited := errors.New("stop"), 0
	if err := objects.List(t.Context(), "", func(storage.Entry) error { visited++; return stop }); !errors.Is(err, stop) || visited != 1 {
		t.Errorf("error of visit: %v after %d objects, want it after 1", err, visited)
	}
	// Objects can be deleted while they are listed.
	if err := objects.List(t.Context(), "", func(entry storage.Entry) error { return objects.Delete(t.Context(), entry.Key) }); err != nil {
		t.Error(err)
	}
	if keys := keysOf(t, objects, ""); len(keys) > 0 {
		t.Errorf("left after deletion: %q", keys)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := objects.List(cancelled, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
}

func TestRemoveIncomplete(t *testing.T) {
	t.Parallel()
	objects, dir := openObjects(t)
	if err := objects.Put(t.Context(), "acme/a", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "young": 23 * time.Hour} {
		path := filepath.Join(dir, ".unfinished", name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := objects.RemoveIncomplete(t.Context(), now.Add(-24*time.Hour), anyKey); n != 1 || err != nil {
		t.Errorf("removed %d, %v, want 1", n, err)
	}
	if left := listFiles(t, dir); !slices.Equal(left, []string{filepath.Join(dir, ".unfinished", "young"), filepath.Join(dir, "acme", "a")}) {
		t.Errorf("left %q", left)
	}
}
