package text

import (
	"strings"

	"golang.org/x/net/html"
)

var (
	// skippedTags are the elements whose text is not shown.
	skippedTags = map[string]bool{"script": true, "style": true, "head": true, "noscript": true, "template": true, "svg": true, "object": true, "iframe": true}

	// blockTags are the elements that start and end lines.
	blockTags = map[string]bool{
		"p": true, "div": true, "li": true, "ul": true, "ol": true, "dl": true, "dt": true, "dd": true, "tr": true, "table": true, "h1": true, "h2": true,
		"h3": true, "h4": true, "h5": true, "h6": true, "section": true, "article": true, "header": true, "footer": true, "blockquote": true, "pre": true,
		"form": true, "fieldset": true, "address": true, "center": true, "hr": true, "title": true, "main": true, "option": true, "figure": true,
	}
)

// inlineTags are the elements that can hold a label or its value within a line.
var inlineTags = map[string]bool{"span": true, "b": true, "strong": true, "em": true, "i": true, "small": true, "a": true, "output": true}

// isLabelOf reports whether an element is a label for the next one: the two are inline elements of different style
// with no space between them, and nothing else is on their line:
// "<div><span class=key>Website</span><span>quill.example</span></div>". Style sheets show them beside or below each
// other.
func isLabelOf(n *html.Node) bool {
	value := n.NextSibling
	if n.Type != html.ElementNode || !inlineTags[n.Data] || value == nil || value.Type != html.ElementNode || !inlineTags[value.Data] ||
		n.Parent.Data == "p" || !blockTags[n.Parent.Data] || n.Data == value.Data && attribute(n, "class") == attribute(value, "class") {
		return false
	}
	return isBlank(n.PrevSibling) && isBlank(value.NextSibling)
}

// isBlank reports whether a node is missing, or is white space at the start or at the end of an element.
func isBlank(n *html.Node) bool {
	return n == nil || n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" && (n.PrevSibling == nil || n.NextSibling == nil)
}

func isCell(n *html.Node) bool { return n.Data == "td" || n.Data == "th" }

// hidden reports whether an element is not shown.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "style" && strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
			return true
		}
	}
	return n.Data == "input" && strings.EqualFold(attribute(n, "type"), "hidden")
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
