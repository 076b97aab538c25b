package document

import (
	"strings"

	"golang.org/x/net/html"
)

// holdsGrid reports whether a page has a table of values: the plain form of
// the same mail has its cells under each other, where nobody can tell the
// columns apart. Signatures and frames, laid out as tables too, are narrower or
// have hardly a filled cell.
func holdsGrid(text string) bool {
	if !strings.Contains(strings.ToLower(text), "<table") || len(text) > maxHTML {
		return false
	}
	text, _ = cutHTML(text)
	root, err := html.Parse(strings.NewReader(text))
	return err == nil && hasGrid(root)
}

func hasGrid(n *html.Node) bool {
	if n.Type == html.ElementNode && n.Data == "table" && !isLayout(n) {
		rows, cells, filled := 0, 0, 0
		for row := range n.Descendants() {
			if row.Data != "tr" || row.Type != html.ElementNode {
				continue
			}
			wide := 0
			for cell := range row.ChildNodes() {
				if cell.Type == html.ElementNode && (cell.Data == "td" || cell.Data == "th") {
					wide++
					filled += boolInt(hasWords(cell))
				}
			}
			cells += wide
			rows += boolInt(wide >= 3)
		}
		return rows >= 2 && filled*5 >= cells*3
	}
	for c := range n.ChildNodes() {
		if hasGrid(c) {
			return true
		}
	}
	return false
}

func hasWords(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return true
		}
	}
	return false
}
