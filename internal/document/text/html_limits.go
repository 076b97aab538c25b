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
	maxHTMLOpenInAll = 40 * maxHTMLTagsInAll // sum of the numbers of open elements at each tag
	maxStyled        = 4 << 20               // bytes that are searched for style sheet rules
)

func newTokenizer(text string) *html.Tokenizer {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	return z
}

// pageSize measures how much work it is to parse a page.
type pageSize struct {
	tags int
	open int // sum of the numbers of open elements at each tag
}

func (s pageSize) exceeds(most pageSize) bool { return s.tags > most.tags || s.open > most.open }

// cutAtTagLimit returns the page up to the limit on tags, its size, and whether it was cut. It stops
// counting when the size exceeds most, and then returns the whole page.
func cutAtTagLimit(text string, most pageSize) (_ string, size pageSize, isCut bool) {
	z := newTokenizer(text)
	at, open := 0, openTags{}
	for !size.exceeds(most) {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := len(z.Raw())
		switch kind {
		case html.TextToken:
			open.text()
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			if size.tags == maxHTMLTags {
				return text[:at], size, true
			}
			if name, _ := z.TagName(); kind == html.EndTagToken {
				open.end(name)
			} else {
				open.start(name, text[at:at+raw])
			}
			size.tags++
		}
		size.open = open.seen
		at += raw
	}
	return text, size, false
}
