package documenttest

import (
	"strings"

	"understudy.example/internal/document/content"
)

// Show writes the blocks of a part, one on a line, to compare them: ">" marks
// quoted text, "^" a page header or footer, "[]" a table with its title, "<" a
// merged cell.
func Show(part content.Part) string {
	var b strings.Builder
	for _, block := range part.Blocks {
		if block.Quoted {
			b.WriteString("> ")
		}
		if block.HeaderFooter {
			b.WriteString("^ ")
		}
		switch {
		case block.Table != nil:
			b.WriteString("[" + block.Table.Title + "]")
			for _, row := range block.Table.Rows {
				b.WriteString("\n  ")
				for _, c := range row {
					text := strings.ReplaceAll(c.Text, "\n", "/")
					if c.Merged {
						text = "<"
					}
					b.WriteString(text + "|")
				}
			}
		case block.Label != "":
			b.WriteString(block.Label + " = " + block.Value)
		default:
			b.WriteString(block.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}
