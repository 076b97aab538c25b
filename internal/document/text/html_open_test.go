package text

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"understudy.example/internal/document/content"
)

// TestOpenTags checks that the number of open elements in openTags is close to the depth of the parser's
// tree. If it were much smaller, a page could take longer to parse than estimated; if it were much
// larger, ordinary pages would be read without their tree.
func TestOpenTags(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		"<p>a", "<li>a", "<dd>a<dt>b", "<br>", "<img src=a>", "<option>a", "<p><div></div>", "<b>a</b>", "<div><p>a</div>", "<a><b></a></b>",
		"<table><tr><td>a<td>b<tr><th>c</table>", "<ul><li>a<li>b</ul>", "<o:p></o:p>", "<table><tbody><tr><td><div></div></td></tr></tbody></table>",
		"<div>", "<span>", "<div><span>", "<b><div></b>", "<span><div></span>", "<table><tr><td></div>", "<dd><li>", "<ul><li>", "<dl><dd><p>", "<blockquote><p>",
		"<p><b>a", "<div><b><i></div>a", "<table><tr><td><b></table>a", "<b><p>a</b>",
	} {
		text := strings.Repeat(unit, 100)
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		depth := 0
		for n := range root.Descendants() {
			above := 0
			for range n.Ancestors() {
				above++
			}
			depth = max(depth, above-3) // the document, html and body
		}
		var open openTags
		most, z := 0, newTokenizer(text)
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			tag := string(z.Raw())
			switch name, _ := z.TagName(); kind {
			case html.TextToken:
				open.text()
			case html.StartTagToken:
				open.start(name, tag)
			case html.EndTagToken:
				open.end(name)
			}
			most = max(most, len(open.elements))
		}
		if most < depth/2 || most > depth+3 {
			t.Errorf("%s: %d elements are open, want %d as in the parser", unit, most, depth)
		}
	}
}

// TestOpenTagsLimit checks that a page is read without its tree if many elements are open at many of its
// tags, and that an ordinary large page is read with its tree.
func TestOpenTagsLimit(t *testing.T) {
	t.Parallel()
	const table = "<table><tr><th>City<th>Value<tr><td>Dayton<td>1<tr><td>Toledo<td>2</table>"
	var manyFonts strings.Builder // which apply to all later text
	manyFonts.WriteString("<div>")
	for i := range 400 {
		fmt.Fprintf(&manyFonts, "<font size=%d>", i)
	}
	manyFonts.WriteString("</div>")
	for name, test := range map[string]struct {
		page     string
		withTree bool
	}{
		"deep":     {strings.Repeat("<div>", 400) + strings.Repeat("<dd>a<dt>b", 80_000), false},
		"flat":     {strings.Repeat("<dd>a<dt>b", 40_000), true},
		"reopened": {manyFonts.String() + strings.Repeat("<div>a</div>", 80_000), false},
		"unclosed": {strings.Repeat("<font>", 300) + strings.Repeat("<p>a", 40_000), true},
		"tables":   {strings.Repeat("<div><table><tbody><tr><td>"+table+"</td></tr></tbody></table>", 50) + strings.Repeat("<tr><td>a</td></tr>", 10_000), true},
	} {
		readWith(t, func(f *content.File) error {
			page := NewHTML(f, table+test.page)
			if got := page.parse() != nil; got != test.withTree {
				t.Errorf("%s: the page has a tree: %t, want %t", name, got, test.withTree)
			}
			if !page.SaysMore("see the page") {
				t.Errorf("%s: the page does not say more than its plain form", name)
			}
			if err := page.Add(false); err != nil || len(f.Blocks) == 0 || (f.Note == "") != test.withTree {
				t.Errorf("%s: got %d blocks, note %q, error %v", name, len(f.Blocks), f.Note, err)
			}
			return nil
		})
	}
	// Each page beyond the limit halves what is left, so that many such pages do not take long to count.
	readWith(t, func(f *content.File) error {
		left := maxHTMLOpenInAll
		for i := range 50 {
			page := NewHTML(f, fmt.Sprint(i, strings.Repeat("<div>", 500), strings.Repeat("<dd>a<dt>b", 80_000)))
			if page.parse() != nil {
				t.Fatal("the page has a tree")
			}
			if next := *f.Budget("open elements of HTML", maxHTMLOpenInAll); next > left/2 {
				t.Fatalf("%d elements are left after page %d, want at most half of %d", next, i, left)
			} else {
				left = next
			}
		}
		return nil
	})
}
