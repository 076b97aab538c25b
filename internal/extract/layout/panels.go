package layout

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/lazyregexp"
)

// Panels are two lists of labels side by side, each below its heading:
//
//	INSURED                    POLICY
//	Name: Quill Ltd            Inception: 1 May 2027
//	Founded: 1990              Expiry: 30 April 2028

const (
	minPanelRows = 3
	maxPanelHead = 45 // bytes
)

var (
	panelGap = lazyregexp.New(`\t+| {3,}`)
	panelRow = lazyregexp.New(`^[^:]{1,45}:\s*\S`)
)

// withoutPanels returns the blocks with each right panel below its left panel.
func withoutPanels(blocks []content.Block) []content.Block {
	var out []content.Block // nil as long as there are no panels
	done := 0
	for i := 0; i+minPanelRows < len(blocks); i++ {
		if !panelHead(blocks[i]) {
			continue
		}
		left, right, end := panelRows(blocks, i+1)
		if len(right) < minPanelRows || repeats(left) {
			continue
		}
		out = append(out, blocks[done:i]...)
		for side, rows := range [][]content.Block{left, right} {
			head := blocks[i]
			head.Text = panelGap.Split(strings.TrimSpace(head.Text), -1)[side]
			out = append(append(append(out, head), rows...), content.Block{})
		}
		i, done = end-1, end
	}
	if out == nil {
		return blocks
	}
	return append(out, blocks[done:]...)
}

// isLine reports whether a block is a line of text.
func isLine(b content.Block) bool {
	return b.Table == nil && b.Label == "" && !strings.Contains(b.Text, "\n")
}

// panelHead reports whether a block is a line of two headings in capitals.
func panelHead(b content.Block) bool {
	if !isLine(b) || strings.ToUpper(b.Text) != b.Text || strings.ContainsAny(b.Text, ":0123456789") {
		return false
	}
	heads := panelGap.Split(strings.TrimSpace(b.Text), -1)
	return len(heads) == 2 && !slices.ContainsFunc(heads, func(h string) bool { return len(h) > maxPanelHead || !startsWithLetter.MatchString(h) })
}

var startsWithLetter = lazyregexp.New(`^\pL`)

// panelRows returns the lines of both panels from block i on, and the index of the block that follows them.
func panelRows(blocks []content.Block, i int) (left, right []content.Block, end int) {
	for ; i < len(blocks) && isLine(blocks[i]); i++ {
		cells := panelGap.Split(strings.TrimSpace(blocks[i].Text), -1)
		if len(cells) > 2 || slices.ContainsFunc(cells, func(c string) bool { return !panelRow.MatchString(c) }) {
			break
		}
		l := blocks[i]
		l.Text = cells[0]
		left = append(left, l)
		if len(cells) == 2 {
			l.Text = cells[1]
			right = append(right, l)
		}
	}
	return left, right, i
}

// repeats reports whether a label occurs twice, as in a list of records with several lines each.
func repeats(rows []content.Block) bool {
	seen := map[string]bool{}
	for _, b := range rows {
		label, _, _ := strings.Cut(b.Text, ":")
		if seen[label] {
			return true
		}
		seen[label] = true
	}
	return false
}
