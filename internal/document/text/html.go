package text

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// ReadHTML reads a page.
func ReadHTML(f *content.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	return NewHTML(f, decode.Text(data, HTMLCharset(data))).Add(false)
}

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})`)

// HTMLCharset returns the character set that a page declares, empty when it
// declares none.
func HTMLCharset(page []byte) string {
	m := metaCharset.FindSubmatch(page[:min(len(page), 4096)])
	if m == nil || bytes.HasPrefix(bytes.ToLower(m[1]), []byte("utf-16")) {
		return "" // a declaration that can be read as bytes is not in UTF-16
	}
	return string(m[1])
}

// HTML is a page. It is parsed once, when it is first needed.
type HTML struct {
	file    *content.File
	text    string
	parsed  bool       // the fields below are known
	cut     bool       // it has too many tags
	tooMany bool       // the pages of the submission have too many tags in total, or too many nested ones
	root    *html.Node // nil if there are too many tags, or if the page is nested too deeply
}

// NewHTML returns a page of a file. It may be the body of a mail.
func NewHTML(f *content.File, text string) *HTML { return &HTML{file: f, text: text} }

// parse returns the tree of a page, or nil if it has none.
func (h *HTML) parse() *html.Node {
	if h.parsed {
		return h.root
	}
	h.parsed = true
	tags, open := h.file.Budget("tags of HTML", maxHTMLTagsInAll), h.file.Budget("open elements of HTML", maxHTMLOpenInAll)
	left := pageSize{*tags, *open}
	text, size, cut := cutAtTagLimit(h.text[:min(len(h.text), maxHTML)], left)
	if h.tooMany = size.exceeds(left); h.tooMany {
		*tags, *open = left.tags/2, left.open/2 // so that many such pages do not take long to count
		return nil
	}
	*tags -= size.tags
	*open -= size.open
	h.cut = cut
	if root, err := html.Parse(strings.NewReader(text)); err == nil {
		h.root = root
	}
	if cut {
		h.text = text
	}
	return h.root
}

// Add adds the text and the tables of the page as blocks.
func (h *HTML) Add(isMail bool) error {
	f := h.file
	if f.Room() == 0 {
		f.NoteFull()
		return nil
	}
	if len(h.text) > maxHTML {
		h.text = h.text[:maxHTML]
		f.AddNote(content.Limit, "more than 16 MiB of HTML: the rest was skipped")
	}
	root := h.parse()
	if h.cut {
		f.AddNote(content.Limit, "too much HTML: the rest was skipped")
	}
	if h.tooMany {
		f.AddNote(content.Limit, "too much HTML in all files: this one was read without its tables")
	}
	if root == nil {
		return addHTMLTokens(f, h.text, isMail)
	}
	markHidden(root, hiddenClasses(f, h.text))
	p := &page{file: f, isMail: isMail}
	p.walk(root, false)
	p.flush()
	if p.err != nil {
		return p.err
	}
	if len(f.Blocks) == 0 && !isMail {
		return content.Errorf(content.Empty, "the file is empty")
	}
	return nil
}

// page turns an HTML tree into blocks: lines of text, and tables that hold data
// rather than layout.
type page struct {
	htmlLines // not yet added
	file      *content.File
	isMail    bool
	quoted    bool // the pending lines are
	rest      bool // an older mail has begun: everything after is quoted
	err       error
}

func (p *page) walk(n *html.Node, quoted bool) {
	if p.err != nil {
		return
	}
	switch n.Type {
	case html.TextNode:
		p.text(n, quoted)
		return
	case html.ElementNode:
		if skippedTags[n.Data] || hidden(n) {
			return
		}
		if n.Data == "br" {
			p.endLine(true)
			return
		}
		if p.control(n) {
			return
		}
		class, id := attribute(n, "class"), attribute(n, "id")
		quoted = quoted || n.Data == "blockquote" || strings.Contains(class, "gmail_quote") || strings.Contains(class, "yahoo_quoted") || strings.Contains(class, "moz-cite")
		if id == "divRplyFwdMsg" || id == "appendonsend" {
			p.flush()
			p.rest = true
		}
		if n.Data == "table" && !isLayout(n) {
			// An older mail that starts in the pending lines does not include the table.
			quoted = quoted || p.rest
			p.flush()
			p.file.Add(content.Block{Table: dataTable(p.file, n), Quoted: quoted})
			return
		}
	}
	block := n.Type == html.ElementNode && blockTags[n.Data]
	if block {
		p.endLine(false)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c, quoted)
		if (isCell(c) || c.Data == "label" || isLabelOf(c)) && c.NextSibling != nil && p.line.Len() > 0 {
			p.line.WriteByte('\t')
		}
	}
	if block {
		p.endLine(false)
		if n.Data == "p" || n.Data == "blockquote" {
			p.addEmptyLine()
		}
	}
}

func (p *page) text(n *html.Node, quoted bool) {
	if quoted != p.quoted && strings.TrimSpace(n.Data) != "" {
		p.flush()
		p.quoted = quoted
	}
	p.addText(n)
}

// flush adds the pending lines as blocks.
func (p *page) flush() {
	p.endLine(false)
	if p.err == nil && len(p.lines) > 0 {
		last := p.lines[len(p.lines)-1]
		quoted := quotedLines(p.lines, p.isMail || len(p.file.Blocks) > 0)
		restIsQuoted := quoted[len(quoted)-1] && !strings.HasPrefix(last, ">") && !attribution.MatchString(last)
		for i := range quoted {
			quoted[i] = quoted[i] || p.quoted || p.rest
		}
		p.err = addMarkedLines(p.file, p.lines, quoted)
		p.rest = p.rest || restIsQuoted
	}
	p.lines = nil
}
