package storage_test

import (
	"errors"
	"testing"
	"time"

	"understudy.example/internal/storage"
)

// TestRecent checks that a result which took long is read again after 2 s, and one that
// did not, or an error, at once.
func TestRecent(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	recent := storage.NewRecent[string, int](func() time.Time { return now })
	reads := 0
	read := func(key string, long bool, err error) int {
		t.Helper()
		got, gotErr := recent.Read(key, func() (int, error) { reads++; return reads, err }, func(int) bool { return long })
		if !errors.Is(gotErr, err) {
			t.Errorf("error %v, want %v", gotErr, err)
		}
		return got
	}
	failure := errors.New("failure")
	for i, c := range []struct {
		key   string
		long  bool
		err   error
		later time.Duration
		want  int
	}{
		{key: "a", long: true, want: 1},
		{key: "a", long: true, later: 2*time.Second - 1, want: 1},
		{key: "b", want: 2},
		{key: "b", want: 3},
		{key: "a", long: true, later: 1, want: 4},
		{key: "c", long: true, err: failure, want: 5},
		{key: "c", long: true, want: 6},
		{key: "c", long: true, want: 6},
	} {
		now = now.Add(c.later)
		if got := read(c.key, c.long, c.err); got != c.want {
			t.Errorf("read %d: %d, want %d", i, got, c.want)
		}
	}
}
