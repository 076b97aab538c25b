package text

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
)

// readWith reads a submission whose only file is read by a function.
func readWith(t *testing.T, read func(f *content.File) error) content.Part {
	t.Helper()
	reader := content.Reader{Format: content.Text, Read: read}
	parts, err := content.ReadParts(t.Context(), "a.txt", strings.NewReader("a"), 1, false, func(*content.File) (content.Reader, error) { return reader, nil })
	if err != nil {
		t.Fatal(err)
	}
	return parts[0]
}

// TestRaggedColumnsOfSubmission checks that the texts of a submission share the limit on lines that
// are searched for tables in vain.
func TestRaggedColumnsOfSubmission(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	lines := append(slices.Repeat([]string{"City       Value   Year"}, 100), "a   b   c")
	readWith(t, func(f *content.File) error {
		left := f.Budget("lines searched for tables in vain", maxVain)
		*left = limit
		for range 5 {
			if err := AddLines(f, lines, false); err != nil {
				return err
			}
		}
		if size := len(strings.Join(lines, "")); *left > 0 || *left < -2*size {
			t.Errorf("%d bytes were searched in vain, want about %d", limit-*left, limit)
		}
		return nil
	})
}

// TestTextOfSubmission checks that no time is spent on files whose text does not fit any more:
// such a file needs few allocations.
func TestTextOfSubmission(t *testing.T) {
	lines := slices.Repeat([]string{"Named Insured: Foxglove Bakery LLC"}, 20_000)
	page := strings.Repeat("<p>Named Insured: Foxglove Bakery LLC</p>", 20_000)
	part := readWith(t, func(f *content.File) error {
		for f.Room() > 0 {
			if err := AddLines(f, lines, true); err != nil {
				return err
			}
		}
		for name, add := range map[string]func() error{"lines": func() error { return AddLines(f, lines, true) }, "page": func() error { return NewHTML(f, page).Add(true) }} {
			if allocated := testing.AllocsPerRun(1, func() { _ = add() }); allocated > 1000 {
				t.Errorf("%s take %v allocations, want at most 1000", name, allocated)
			}
		}
		if lines = upToLimit(f, lines); len(lines) > 100 {
			t.Errorf("%d lines were read, want at most 100", len(lines))
		}
		return nil
	})
	if part.Cause != content.Limit {
		t.Errorf("got the note %q", part.Note)
	}
}

// TestTagsOfSubmission checks that the pages of a submission share a limit on tags: pages after it
// are read without their tables.
func TestTagsOfSubmission(t *testing.T) {
	t.Parallel()
	page := "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>" + strings.Repeat("<b></b>", maxHTMLTags*2/5)
	part := readWith(t, func(f *content.File) error {
		for i := range 3 {
			if err := NewHTML(f, page).Add(true); err != nil {
				return err
			}
			if isCut := f.Cause == content.Limit; isCut != (i == 2) {
				t.Errorf("after page %d, the note is %q", i+1, f.Note)
			}
		}
		return NewHTML(f, "<table><tr><td>e<td>f<tr><td>g<td>h</table>").Add(true) // small enough
	})
	tables, texts := 0, ""
	for _, b := range part.Blocks {
		if texts += b.Text; b.Table != nil {
			tables++
		}
	}
	if tables != 3 || !strings.Contains(texts, "a \tb") {
		t.Errorf("got %d tables and the text %q, want the table of each page but the third, whose cells are text", tables, texts)
	}
}

// TestStyleSheetsOfSubmission checks the limit on the bytes that are searched for rules that hide
// text.
func TestStyleSheetsOfSubmission(t *testing.T) {
	t.Parallel()
	page := "<p class=off>hidden</p><p>" + strings.Repeat("a", maxStyled*2/5) + "</p><style>.off{display:none}</style>"
	part := readWith(t, func(f *content.File) error {
		for i := range 3 {
			before := len(f.Blocks)
			if err := NewHTML(f, page).Add(true); err != nil {
				return err
			}
			if isShown := f.Blocks[before].Text == "hidden"; isShown != (i == 2) {
				t.Errorf("page %d begins with %.20q", i+1, f.Blocks[before].Text)
			}
		}
		return nil
	})
	if part.Cause == content.Damaged {
		t.Errorf("got the note %q", part.Note)
	}
}

// TestCoveredCells checks the limit on the number of cells that the merged cells of a page cover.
func TestCoveredCells(t *testing.T) {
	t.Parallel()
	row := "<tr>" + strings.Repeat("<td colspan=100 rowspan=1001>a</td>", 10) + "</tr>" + strings.Repeat("<tr></tr>", 1000)
	part := readWith(t, func(f *content.File) error {
		return NewHTML(f, "<table>"+strings.Repeat(row, 3)+"</table>after").Add(false)
	})
	cells := 0
	for _, row := range part.Blocks[0].Table.Rows {
		cells += len(row)
	}
	if cells > content.MaxCells || cells < content.MaxCells-content.MaxColumns || part.Cause != content.Limit || part.Blocks[1].Text != "after" {
		t.Errorf("got %d cells and %d blocks, want at most %d cells and the text after them; note %q", cells, len(part.Blocks), content.MaxCells, part.Note)
	}
}
