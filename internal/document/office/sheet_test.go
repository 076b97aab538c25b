package office

import (
	"slices"
	"testing"

	"understudy.example/internal/document/content"
)

// TestOverlappingMergedAreas checks that areas that cover the same cells again and again are
// ignored, however many rows the sheet has.
func TestOverlappingMergedAreas(t *testing.T) {
	s := sheet{workbook: &workbook{file: &content.File{Part: &content.Part{}}}}
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
