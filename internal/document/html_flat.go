package document

import (
	"strings"

	"golang.org/x/net/html"
)

const maxHTMLTags = 300_000 // the tree of a page takes some 300 bytes for each

// cutHTML gives the page up to the most tags that are read.
func cutHTML(text string) (string, bool) {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxXMLToken)
	tags, at := 0, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return text, false
		}
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken || kind == html.EndTagToken {
			if tags++; tags > maxHTMLTags {
				return text[:at], true
			}
		}
		at += len(z.Raw())
	}
}

// flatHTML reads a page as lines of text, without its tree: tags nested too
// deeply, as at the end of a long thread of mails, have none.
func (r *reading) flatHTML(part *Part, text string, inMail bool) error {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxXMLToken)
	var out strings.Builder
	skipped := ""
	for out.Len() < maxText {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken {
			if skipped == "" {
				out.WriteString(strings.Join(strings.Fields(html.UnescapeString(string(z.Raw()))), " "))
				out.WriteByte(' ')
			}
			continue
		}
		bytes, _ := z.TagName()
		name := string(bytes)
		switch {
		case skipped == name && kind == html.EndTagToken:
			skipped = ""
		case skipped == "" && kind == html.StartTagToken && dropped[name]:
			skipped = name
		case name == "td" || name == "th":
			if kind == html.EndTagToken {
				out.WriteByte('\t')
			}
		case name == "br" || breaks[name]:
			out.WriteByte('\n')
		}
	}
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return r.lines(part, lines, quotedLines(lines, inMail))
}
