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

func newTokenizer(text string) *html.Tokenizer {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	return z
}

// cutAtTagLimit returns the page up to the limit on tags, and whether it was cut.
func cutAtTagLimit(text string) (string, bool) {
	z := newTokenizer(text)
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
