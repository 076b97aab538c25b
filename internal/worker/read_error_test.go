//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"understudy.example/internal/extract"
)

// writeOnly is a document whose file cannot be read.
type writeOnly struct{ *os.File }

func (writeOnly) Size() int64 { return 100 }

// TestUnreadableFileIsNotTheDocumentsFault checks that a file that the system cannot read
// does not make its document unreadable.
func TestUnreadableFileIsNotTheDocumentsFault(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile(t.TempDir()+"/a", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pool := NewPool(1, 0, Limits{Wall: 30 * time.Second, Memory: 512 << 20})
	defer pool.Close()
	for _, name := range []string{"a.txt", "a.pdf", "a.xlsx", "a"} {
		_, err := pool.Extract(context.Background(), name, writeOnly{f})
		var unreadable *extract.Unreadable
		if !errors.Is(err, ErrRead) || errors.As(err, &unreadable) {
			t.Errorf("%s: got %v, want %v", name, err, ErrRead)
		}
	}
}
