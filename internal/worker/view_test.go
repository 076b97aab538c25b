//go:build linux || darwin

package worker

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
)

// TestView checks that a worker process returns a view of a document, and that a part that
// does not exist is no fault of the document.
func TestView(t *testing.T) {
	t.Parallel()
	pool := NewPool(1, 1, Limits{Time: time.Minute, Memory: 256 << 20})
	defer pool.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.WriteString("Named Insured: Foxglove Bakery LLC\n")
	document := sizedFile{file, 35}
	window, err := pool.View(t.Context(), "tenant", "a.txt", document, view.Query{})
	if err != nil || len(window.Blocks) == 0 || window.Blocks[0].Place != "a.txt, line 1" {
		t.Errorf("got %+v, %v", window, err)
	}
	_, err = pool.View(t.Context(), "tenant", "a.txt", document, view.Query{Part: 7})
	if unreadable := new(extract.Unreadable); !errors.As(err, &unreadable) || unreadable.Cause != CauseView {
		t.Errorf("part 7: got %v, want the cause %s", err, CauseView)
	}
	if extraction, err := pool.Extract(t.Context(), "tenant", "a.txt", document); err != nil || len(extraction.Facts) == 0 {
		t.Errorf("extraction after views: %v, %v", extraction, err)
	}
}

// TestHostileViews checks that the parent accepts no view that is too large, and no text
// that could not be stored.
func TestHostileViews(t *testing.T) {
	if testing.Short() {
		t.Skip("takes too long with -short")
	}
	t.Parallel()
	accepted := func(w *view.Window) error {
		message, err := encodeFrame(response{View: w})
		if err != nil {
			t.Fatal(err)
		}
		_, err = readResponse(bytes.NewReader(message), maxView)
		return err
	}
	if err := accepted(&view.Window{Parts: []view.Part{{Name: "a"}}, Blocks: []view.Block{{Place: "a", Text: "b"}}}); err != nil {
		t.Errorf("a good view: %v", err)
	}
	row := make([]view.Cell, maxViewCells/10)
	rows := [][]view.Cell{row, row, row, row, row, row, row, row, row, row, row}
	for name, w := range map[string]*view.Window{
		"many blocks":   {Blocks: make([]view.Block, maxViewCells+1)},
		"many cells":    {Blocks: []view.Block{{Rows: rows}}},
		"many spans":    {Blocks: []view.Block{{Spans: make([]view.Span, maxViewCells+1)}}},
		"many parts":    {Parts: make([]view.Part, extract.MaxParts+1)},
		"NUL in a text": {Blocks: []view.Block{{Text: "a\x00b"}}},
		"long text":     {Blocks: []view.Block{{Text: strings.Repeat("a", maxText+1)}}},
		"NUL in a name": {Parts: []view.Part{{Name: "\x00"}}},
		"long frame":    {Blocks: []view.Block{{Rows: [][]view.Cell{{{Text: strings.Repeat("a", maxView)}}}}}},
	} {
		if err := accepted(w); err == nil {
			t.Errorf("%s: the view is accepted", name)
		}
	}
}
