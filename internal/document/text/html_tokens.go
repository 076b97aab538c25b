package text

import (
	"strings"

	"golang.org/x/net/html"

	"understudy.example/internal/document/content"
)

// addHTMLTokens adds a page as lines of text, without building its tree: a page
// whose tags are nested too deeply, such as a long thread of mails, has none.
func addHTMLTokens(f *content.File, text string, isMail bool) error {
	var lines []string
	for line := range strings.SplitSeq(tokenText(text, max(f.Room(), 1)), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return addMarkedLines(f, lines, quotedLines(lines, isMail))
}

// tokenText returns the text of a page without building its tree. It stops when the text has limit
// bytes or more.
func tokenText(text string, limit int) string {
	z := newTokenizer(text)
	var out strings.Builder
	skipped := ""
	for out.Len() < limit {
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
		case skipped == "" && kind == html.StartTagToken && skippedTags[name]:
			skipped = name
		case name == "td" || name == "th":
			if kind == html.EndTagToken {
				out.WriteByte('\t')
			}
		case name == "br" || blockTags[name]:
			out.WriteByte('\n')
		}
	}
	return out.String()
}
