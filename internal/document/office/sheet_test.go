package office

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
)

// TestOverlappingMergedAreas checks that areas that cover the same cells again and again are
// ignored, however many rows the sheet has.
func TestOverlappingMergedAreas(t *testing.T) {
	s := sheet{workbook: &workbook{file: &content.File{Part: &content.Part{}}, textLeft: new(int)}}
	for _, row := range []int{0, content.MaxRows - 1} {
		if err := s.set(row, content.MaxColumns-1, content.Cell{Text: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	s.merged = slices.Repeat([]area{{0, 0, 399, content.MaxColumns - 1}}, maxMergedAreas)
	if allocated := testing.AllocsPerRun(1, s.markMerged); allocated > 2*content.MaxCells {
		t.Errorf("merged areas take %v allocations, want at most two for each of %d cells", allocated, content.MaxCells)
	}
}

// TestWorkbooksOfSubmission checks that the workbooks of a submission share a limit on text.
func TestWorkbooksOfSubmission(t *testing.T) {
	t.Parallel()
	read := func(f *content.File) error {
		for i, want := range []bool{false, false, true} {
			b := newWorkbook(f)
			room := b.addShared(maxTextInAll*2/5, 1, 1)
			if room == want || b.isFull() != want {
				t.Errorf("workbook %d has room: %v, is full: %v", i+1, room, b.isFull())
			}
		}
		return nil
	}
	reader := content.Reader{Format: content.XLSX, Read: read}
	if _, err := content.ReadParts(t.Context(), "a", strings.NewReader("a"), 1, false, func(*content.File) (content.Reader, error) { return reader, nil }); err != nil {
		t.Fatal(err)
	}
}
