package text

import (
	"strings"

	"golang.org/x/net/html"
)

// LooksLikeHTML reports whether a file is an HTML page, by the start of its text
// in lower case and by the extension of its name.
func LooksLikeHTML(start, extension string) bool {
	if strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") {
		return true
	}
	tagged := strings.Contains(start, "<html") || strings.Contains(start, "<table") || strings.Contains(start, "<body") || strings.Contains(start, "<head")
	return strings.HasPrefix(start, "<") && tagged || (extension == "htm" || extension == "html") && strings.Contains(start, "<")
}

// HasValueTable reports whether a page has a table of values. In the plain form
// of the same mail the cells of such a table stand below each other, and the
// columns cannot be told apart. Signatures and frames are laid out as tables
// too, but are narrower or have few cells with text.
func (h *HTML) HasValueTable() bool {
	if len(h.text) > maxHTML || !strings.Contains(strings.ToLower(h.text), "<table") {
		return false
	}
	root := h.parse()
	return root != nil && containsValueTable(root)
}

// SaysMore reports whether a page has much more text than its plain form, as if the plain form
// only says that the mail is in HTML.
func (h *HTML) SaysMore(plain string) bool {
	if len(plain) > maxNotice || len(h.text) > maxHTML {
		return false
	}
	least := moreText * len(strings.TrimSpace(plain))
	root := h.parse()
	if root == nil {
		return len(strings.Join(strings.Fields(tokenText(h.text, max(h.file.Room(), 1))), "")) > least
	}
	letters := 0
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" {
			letters += len(strings.TrimSpace(n.Data))
		}
	}
	return letters > least
}

const (
	maxNotice = 200 // bytes of a plain form that only says that the mail is in HTML
	moreText  = 3   // times the text of the plain form
)

func containsValueTable(n *html.Node) bool {
	if n.Type == html.ElementNode && n.Data == "table" && !isLayout(n) {
		rows, cells, filled := 0, 0, 0
		for row := range n.Descendants() {
			if row.Data != "tr" || row.Type != html.ElementNode {
				continue
			}
			width := 0
			for cell := range row.ChildNodes() {
				if cell.Type == html.ElementNode && isCell(cell) {
					width++
					if hasText(cell) {
						filled++
					}
				}
			}
			cells += width
			if width >= 3 {
				rows++
			}
		}
		return rows >= 2 && filled*5 >= cells*3
	}
	for c := range n.ChildNodes() {
		if containsValueTable(c) {
			return true
		}
	}
	return false
}

func hasText(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return true
		}
	}
	return false
}
