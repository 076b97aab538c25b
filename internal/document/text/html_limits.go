package text

import (
	"strings"

	"golang.org/x/net/html"
)

// Limits of one page.
const (
	maxHTML      = 16 << 20
	maxHTMLTags  = 300_000 // the tree of a page takes about 300 bytes for each tag
	maxHTMLToken = 8 << 20 // bytes of one tag, text or comment
)

// Limits of all pages of a submission.
const (
	maxHTMLTagsInAll = 2 * maxHTMLTags
	maxStyled        = 4 << 20 // bytes that are searched for style sheet rules
)

func newTokenizer(text string) *html.Tokenizer {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	return z
}

// cutAtTagLimit returns the page up to the limit on tags, their number, and whether it was cut.
func cutAtTagLimit(text string) (_ string, tags int, isCut bool) {
	z := newTokenizer(text)
	at := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return text, tags, false
		}
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken || kind == html.EndTagToken {
			if tags == maxHTMLTags {
				return text[:at], tags, true
			}
			tags++
		}
		at += len(z.Raw())
	}
}
