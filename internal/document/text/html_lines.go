package text

import (
	"strings"

	"golang.org/x/net/html"
)

// htmlLines collects the text of a page as lines.
type htmlLines struct {
	line  strings.Builder // the current one
	lines []string
}

// addText adds the text of a node to the current line.
func (l *htmlLines) addText(n *html.Node) {
	if n.Parent != nil && n.Parent.Data == "pre" {
		lines := strings.Split(n.Data, "\n")
		for i, line := range lines {
			l.line.WriteString(line)
			if i < len(lines)-1 {
				l.endLine(true)
			}
		}
		return
	}
	s := n.Data
	words := strings.Fields(s)
	if (len(words) == 0 || startsWithSpace(s)) && l.line.Len() > 0 {
		l.line.WriteByte(' ')
	}
	l.line.WriteString(strings.Join(words, " "))
	if len(words) > 0 && endsWithSpace(s) {
		l.line.WriteByte(' ')
	}
}

func startsWithSpace(s string) bool { return strings.TrimLeft(s[:1], " \t\r\n") == "" }
func endsWithSpace(s string) bool   { return strings.TrimRight(s[len(s)-1:], " \t\r\n") == "" }

// control adds the value of a control of a form to the current line: the text that is filled in, the
// chosen option, or a box that is ticked or not. It reports whether the element is such a control.
func (l *htmlLines) control(n *html.Node) bool {
	value := ""
	switch n.Data {
	case "input":
		switch kind := strings.ToLower(attribute(n, "type")); kind {
		case "checkbox", "radio":
			value = "☐ "
			if hasAttribute(n, "checked") {
				value = "☒ "
			}
		case "button", "submit", "reset", "image", "file", "password":
		default:
			value = attribute(n, "value")
		}
	case "select":
		chosen := chosenOption(n)
		if chosen == nil {
			return false
		}
		value = nodeText(chosen)
	default:
		return false
	}
	if value = strings.ReplaceAll(value, "\n", " "); value != "" {
		if line := l.line.String(); line != "" && !strings.HasSuffix(line, "\t") && !endsWithSpace(line) {
			l.line.WriteByte('\t')
		}
		l.line.WriteString(value)
	}
	return true
}

// chosenOption returns the option of a list that is marked as chosen, or nil.
func chosenOption(list *html.Node) *html.Node {
	for c := list.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "option" && hasAttribute(c, "selected") {
			return c
		}
		if c.Data == "optgroup" {
			if chosen := chosenOption(c); chosen != nil {
				return chosen
			}
		}
	}
	return nil
}

// endLine ends the current line. An empty line stays only where the page breaks
// the line explicitly.
func (l *htmlLines) endLine(explicit bool) {
	line := strings.TrimRight(strings.ReplaceAll(l.line.String(), "  ", " "), " \t")
	l.line.Reset()
	if strings.TrimSpace(line) != "" {
		l.lines = append(l.lines, strings.TrimLeft(line, " "))
	} else if explicit {
		l.addEmptyLine()
	}
}

// addEmptyLine adds an empty line between lines that are not empty.
func (l *htmlLines) addEmptyLine() {
	if len(l.lines) > 0 && l.lines[len(l.lines)-1] != "" {
		l.lines = append(l.lines, "")
	}
}

// nodeText returns the text under a node, its blocks and breaks as lines.
func nodeText(n *html.Node) string {
	var l htmlLines
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			l.addText(n)
		case n.Type == html.ElementNode && (skippedTags[n.Data] || hidden(n)):
		case n.Data == "br":
			l.endLine(false)
		case n.Type == html.ElementNode && l.control(n):
		default:
			if blockTags[n.Data] {
				l.endLine(false)
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
			if blockTags[n.Data] {
				l.endLine(false)
			}
		}
	}
	walk(n)
	l.endLine(false)
	return strings.TrimSpace(strings.Join(l.lines, "\n"))
}
