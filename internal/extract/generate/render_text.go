package generate

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// entryStyles are the ways in which plain text shows labels and values.
var entryStyles = []string{"colon", "dots", "below", "columns", "numbered", "colon", "filled"}

// plainText writes the page as text. The style of its entries is the same on the whole page.
func (p *paper) plainText() string {
	var b strings.Builder
	style, bullet := p.IntN(len(entryStyles)-p.informal), p.bullet()
	number := 0
	for _, block := range p.blocks {
		switch {
		case block.heading != "":
			b.WriteString(block.heading + "\n")
			if entryStyles[style] != "dots" {
				b.WriteString(strings.Repeat("-", utf8.RuneCountInString(block.heading)) + "\n")
			}
		case block.text != "":
			b.WriteString(wrapped(block.text, 92) + "\n\n")
		case block.rows != nil:
			b.WriteString(columns(block.rows) + "\n")
		case block.items != nil:
			for i, item := range block.items {
				b.WriteString(bullet(item, i) + "\n")
			}
			b.WriteString("\n")
		}
		for _, e := range block.entries {
			number++
			pad := func(letter string, width int) string {
				return strings.Repeat(letter, max(3, width-utf8.RuneCountInString(e.label)))
			}
			switch entryStyles[style] {
			case "colon":
				fmt.Fprintf(&b, "%s: %s\n", strings.TrimSuffix(e.label, "?"), e.value)
			case "dots":
				fmt.Fprintf(&b, "%s %s %s\n", e.label, pad(".", 44), e.value)
			case "below":
				fmt.Fprintf(&b, "%d. %s\n   %s\n\n", number, e.label, e.value)
			case "columns":
				fmt.Fprintf(&b, "%s%s%s\n", e.label, pad(" ", 46), e.value)
			case "numbered":
				fmt.Fprintf(&b, "%d) %s: %s\n", number, e.label, e.value)
			case "filled":
				fmt.Fprintf(&b, "%s __%s%s\n", e.label, e.value, strings.Repeat("_", max(2, 40-len(e.value))))
			}
		}
		if len(block.entries) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// bullet returns how the page writes items. Ticked items need boxes.
func (p *paper) bullet() func(item, int) string {
	signs := one(p.Rand, [][2]string{{"[x] ", "[ ] "}, {"[X] ", "[ ] "}, {"☒ ", "☐ "}, {"(x) ", "( ) "}})
	mark := one(p.Rand, []string{"- ", "* ", "• ", "1"})
	ticks := false
	for _, block := range p.blocks {
		for _, item := range block.items {
			ticks = ticks || !item.ticked
		}
	}
	return func(i item, at int) string {
		switch {
		case ticks && i.ticked:
			return "  " + signs[0] + i.text
		case ticks:
			return "  " + signs[1] + i.text
		case mark == "1":
			return fmt.Sprintf("  %d. %s", at+1, i.text)
		}
		return "  " + mark + i.text
	}
}

// wrapped breaks a text into lines.
func wrapped(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		length := 0
		for i, word := range strings.Fields(line) {
			n := utf8.RuneCountInString(word)
			switch {
			case i > 0 && length+n >= width:
				b.WriteString("\n")
				length = 0
			case i > 0:
				b.WriteString(" ")
			}
			b.WriteString(word)
			length += n + 1
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// columns writes a table in columns of spaces.
func columns(rows [][]string) string {
	var b strings.Builder
	widths := widthsOf(rows)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]+3-utf8.RuneCountInString(cell)))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// widthsOf returns the number of letters of the widest cell of each column.
func widthsOf(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// entryTags are the tags around the entries of a web page.
var entryTags = []struct{ open, before, between, after, end string }{
	{"<table>\n", "<tr><td>", "</td><td>", "</td></tr>\n", "</table>\n"},
	{"<dl>\n", "<dt>", "</dt><dd>", "</dd>\n", "</dl>\n"},
	{"", "<p><b>", ":</b> ", "</p>\n", ""},
}

// webPage writes the page as HTML.
func (p *paper) webPage() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><style>td{padding:2px 8px}</style></head><body>\n")
	style, bullet := one(p.Rand, entryTags), p.bullet()
	for _, block := range p.blocks {
		switch {
		case block.heading != "":
			fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(block.heading))
		case block.text != "":
			fmt.Fprintf(&b, "<p>%s</p>\n", strings.ReplaceAll(html.EscapeString(block.text), "\n", "<br>\n"))
		case block.rows != nil:
			b.WriteString("<table border=1>\n")
			for i, row := range block.rows {
				cell := "td"
				if i == 0 {
					cell = "th"
				}
				b.WriteString("<tr>")
				for _, text := range row {
					fmt.Fprintf(&b, "<%s>%s</%s>", cell, html.EscapeString(text), cell)
				}
				b.WriteString("</tr>\n")
			}
			b.WriteString("</table>\n")
		case block.items != nil:
			b.WriteString("<ul>\n")
			for i, item := range block.items {
				text := bullet(item, i)
				fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(strings.TrimLeft(strings.TrimSpace(text), "-*• ")))
			}
			b.WriteString("</ul>\n")
		}
		if len(block.entries) > 0 {
			b.WriteString(style.open)
			for _, e := range block.entries {
				b.WriteString(style.before + html.EscapeString(e.label) + style.between + html.EscapeString(e.value) + style.after)
			}
			b.WriteString(style.end)
		}
	}
	return b.String() + "</body></html>\n"
}
