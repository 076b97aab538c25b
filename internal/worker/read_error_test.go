//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"os"
	"strings"
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
	pool := NewPool(1, 0, Limits{Time: 30 * time.Second, Memory: 512 << 20})
	defer pool.Close()
	for _, name := range []string{"a.txt", "a.pdf", "a.xlsx", "a"} {
		_, err := pool.Extract(context.Background(), "acme", name, writeOnly{f})
		var unreadable *extract.Unreadable
		if !errors.Is(err, ErrRead) || errors.As(err, &unreadable) {
			t.Errorf("%s: got %v, want %v", name, err, ErrRead)
		}
	}
}

// remoteDocument is a document that is not a file, and counts its reads.
type remoteDocument struct {
	*strings.Reader
	reads int
}

func (d *remoteDocument) ReadAt(p []byte, off int64) (int, error) {
	d.reads++
	return d.Reader.ReadAt(p, off)
}

// TestDocumentThatIsNotAFileIsCopied checks that such a document is copied in large parts
// and extracted.
func TestDocumentThatIsNotAFileIsCopied(t *testing.T) {
	t.Parallel()
	pool := NewPool(1, 0, Limits{Time: 30 * time.Second, Memory: 512 << 20})
	defer pool.Close()
	document := &remoteDocument{Reader: strings.NewReader("Insured: Acme Widgets LLC\n" + strings.Repeat(" ", 9<<20))}
	extraction, err := pool.Extract(context.Background(), "acme", "a.txt", document)
	if err != nil {
		t.Fatal(err)
	}
	if len(extraction.Facts) == 0 || document.reads > 4 {
		t.Errorf("%d facts, %d reads, want facts and at most 4 reads", len(extraction.Facts), document.reads)
	}
}
