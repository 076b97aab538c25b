package document

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

const maxHTML = 16 << 20

func readHTML(r *reading, part *Part, src source) error {
	data, err := src.bytes()
	if err != nil {
		return err
	}
	return r.html(part, decode(data, htmlCharset(data)), false)
}

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})`)

// htmlCharset gives the charset that a page declares, empty when it does not.
func htmlCharset(page []byte) string {
	m := metaCharset.FindSubmatch(page[:min(len(page), 4096)])
	if m == nil || bytes.HasPrefix(bytes.ToLower(m[1]), []byte("utf-16")) {
		return "" // a page in UTF-16 cannot say so in bytes
	}
	return string(m[1])
}

// page turns an HTML tree into blocks: lines of text, and tables that hold
// data rather than layout.
type page struct {
	r      *reading
	part   *Part
	line   strings.Builder
	lines  []string // not yet added
	quoted bool     // of the pending lines
	inMail bool
	rest   bool // an older mail has begun: all that follows is quoted
	err    error
}

func (r *reading) html(part *Part, text string, inMail bool) error {
	if len(text) > maxHTML {
		text = text[:maxHTML]
		part.note(Limit, "more than 16 MiB of HTML: the rest left out")
	}
	text, cut := cutHTML(text)
	if cut {
		part.note(Limit, "too much HTML: the rest left out")
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return r.flatHTML(part, text, inMail)
	}
	p := &page{r: r, part: part, inMail: inMail}
	p.walk(root, false)
	p.flush()
	if p.err != nil {
		return p.err
	}
	if len(part.Blocks) == 0 && !inMail {
		return unreadable(Empty, "the file is empty")
	}
	return nil
}

var (
	dropped = map[string]bool{"script": true, "style": true, "head": true, "noscript": true, "template": true, "svg": true, "object": true, "iframe": true}
	breaks  = map[string]bool{
		"p": true, "div": true, "li": true, "ul": true, "ol": true, "dl": true, "dt": true, "dd": true, "tr": true, "table": true, "h1": true, "h2": true,
		"h3": true, "h4": true, "h5": true, "h6": true, "section": true, "article": true, "header": true, "footer": true, "blockquote": true, "pre": true,
		"form": true, "fieldset": true, "address": true, "center": true, "hr": true, "title": true, "main": true, "option": true, "figure": true,
	}
)

func (p *page) walk(n *html.Node, quoted bool) {
	if p.err != nil {
		return
	}
	switch n.Type {
	case html.TextNode:
		p.text(n, quoted)
		return
	case html.ElementNode:
		if dropped[n.Data] || hidden(n) {
			return
		}
		if n.Data == "br" {
			p.endLine(true)
			return
		}
		class, id := attribute(n, "class"), attribute(n, "id")
		quoted = quoted || n.Data == "blockquote" || strings.Contains(class, "gmail_quote") || strings.Contains(class, "yahoo_quoted") || strings.Contains(class, "moz-cite")
		if id == "divRplyFwdMsg" || id == "appendonsend" {
			p.flush()
			p.rest = true
		}
		if n.Data == "table" && !isLayout(n) {
			p.table(n, quoted || p.rest)
			return
		}
	}
	block := n.Type == html.ElementNode && breaks[n.Data]
	if block {
		p.endLine(false)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c, quoted)
		if cell := c.Data == "td" || c.Data == "th"; cell && c.NextSibling != nil && p.line.Len() > 0 {
			p.line.WriteByte('\t')
		}
	}
	if block {
		p.endLine(false)
		if n.Data == "p" || n.Data == "blockquote" {
			p.blank()
		}
	}
}

func (p *page) text(n *html.Node, quoted bool) {
	if quoted != p.quoted && strings.TrimSpace(n.Data) != "" {
		p.flush()
		p.quoted = quoted
	}
	if n.Parent != nil && n.Parent.Data == "pre" {
		lines := strings.Split(n.Data, "\n")
		for i, line := range lines {
			p.line.WriteString(line)
			if i < len(lines)-1 {
				p.endLine(true)
			}
		}
		return
	}
	s := n.Data
	words := strings.Fields(s)
	if (len(words) == 0 || startsBlank(s)) && p.line.Len() > 0 {
		p.line.WriteByte(' ')
	}
	p.line.WriteString(strings.Join(words, " "))
	if len(words) > 0 && endsBlank(s) {
		p.line.WriteByte(' ')
	}
}

func startsBlank(s string) bool { return strings.TrimLeft(s[:1], " \t\r\n") == "" }
func endsBlank(s string) bool   { return strings.TrimRight(s[len(s)-1:], " \t\r\n") == "" }

// endLine closes the line; an empty one is kept only when it was written.
func (p *page) endLine(written bool) {
	line := strings.TrimRight(strings.ReplaceAll(p.line.String(), "  ", " "), " \t")
	p.line.Reset()
	if strings.TrimSpace(line) != "" {
		p.lines = append(p.lines, strings.TrimLeft(line, " "))
	} else if written {
		p.blank()
	}
}

func (p *page) blank() {
	if len(p.lines) > 0 && p.lines[len(p.lines)-1] != "" {
		p.lines = append(p.lines, "")
	}
}

// flush adds the pending lines as blocks.
func (p *page) flush() {
	p.endLine(false)
	if p.err == nil && len(p.lines) > 0 {
		quoted := quotedLines(p.lines, p.inMail || len(p.part.Blocks) > 0)
		if len(quoted) > 0 && quoted[len(quoted)-1] && !strings.HasPrefix(p.lines[len(p.lines)-1], ">") && !attribution.MatchString(p.lines[len(p.lines)-1]) {
			defer func() { p.rest = true }()
		}
		for i := range quoted {
			quoted[i] = quoted[i] || p.quoted || p.rest
		}
		p.err = p.r.lines(p.part, p.lines, quoted)
	}
	p.lines = nil
}

func hidden(n *html.Node) bool {
	style := strings.ReplaceAll(strings.ToLower(attribute(n, "style")), " ", "")
	return strings.Contains(style, "display:none") || n.Data == "input" && attribute(n, "type") == "hidden"
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// isLayout reports whether a table only places text: it has tables inside, or
// a single row or column.
func isLayout(table *html.Node) bool {
	rows, widest, nested := 0, 0, false
	var look func(*html.Node)
	look = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !nested; c = c.NextSibling {
			switch {
			case c.Data == "table" && c.Type == html.ElementNode:
				nested = true
			case c.Data == "tr" && c.Type == html.ElementNode:
				rows++
				cells := 0
				for d := c.FirstChild; d != nil; d = d.NextSibling {
					if d.Data == "td" || d.Data == "th" {
						cells++
					}
				}
				widest = max(widest, cells)
				look(c)
			default:
				look(c)
			}
		}
	}
	look(table)
	return nested || rows < 2 || widest < 2
}

// table adds a data table, with merged cells spread.
func (p *page) table(n *html.Node, quoted bool) {
	p.flush()
	t := &Table{}
	below := map[int]int{} // column: rows still covered by a cell above
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch c.Data {
			case "caption":
				t.Title = flatText(c)
			case "tr":
				if len(t.Rows) < maxRows && !hidden(c) {
					t.Rows = append(t.Rows, tableRow(c, len(t.Rows)+1, below))
				}
			default:
				visit(c)
			}
		}
	}
	visit(n)
	if !p.r.keep(p.part, Block{Table: t, Quoted: quoted}) {
		p.err = nil
	}
}

func tableRow(tr *html.Node, number int, below map[int]int) []Cell {
	var row []Cell
	add := func(c Cell) {
		c.Ref = fmt.Sprintf("row %d, column %d", number, len(row)+1)
		row = append(row, c)
	}
	covered := func() {
		for below[len(row)] > 0 && len(row) < maxColumns {
			below[len(row)]--
			add(Cell{Merged: true})
		}
	}
	for c := tr.FirstChild; c != nil && len(row) < maxColumns; c = c.NextSibling {
		if c.Data != "td" && c.Data != "th" {
			continue
		}
		covered()
		across, _ := strconv.Atoi(attribute(c, "colspan"))
		down, _ := strconv.Atoi(attribute(c, "rowspan"))
		for i := range min(max(across, 1), 100) {
			if down > 1 {
				below[len(row)] = min(down-1, 1000)
			}
			if i == 0 {
				add(Cell{Text: flatText(c)})
			} else {
				add(Cell{Merged: true})
			}
		}
	}
	covered()
	return row
}

// flatText gives the text under a node, its blocks and breaks as lines.
func flatText(n *html.Node) string {
	p := page{}
	p.inMail = true
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			p.text(n, false)
		case n.Type == html.ElementNode && (dropped[n.Data] || hidden(n)):
		case n.Data == "br":
			p.endLine(false)
		default:
			if breaks[n.Data] {
				p.endLine(false)
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
			if breaks[n.Data] {
				p.endLine(false)
			}
		}
	}
	walk(n)
	p.endLine(false)
	return strings.TrimSpace(strings.Join(p.lines, "\n"))
}
