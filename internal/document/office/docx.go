package office

import (
	"errors"
	"io"
	"strings"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/text"
)

const maxDocumentXML = 64 << 20

// ReadDOCX reads a Word document: its text and tables, then its headers,
// footers and notes, then the files embedded in it.
func ReadDOCX(f *content.File) error {
	z, err := archive.Open(f)
	if err != nil {
		return err
	}
	main := mainPart(z, "word/document.xml")
	if !z.Has(main) {
		return content.Errorf(content.Damaged, "damaged Word document")
	}
	if err := readDocumentXML(f, z, main, false); err != nil {
		return err
	}
	for _, rel := range relationsOf(z, main) {
		switch rel.kind {
		case "header", "footer":
			err = readDocumentXML(f, z, rel.target, true)
		case "footnotes", "endnotes":
			err = readDocumentXML(f, z, rel.target, false)
		}
		if err != nil {
			return err
		}
	}
	text.MarkQuoted(f.Blocks, false)
	if err := attachEmbedded(f, z, "word/embeddings/"); err != nil {
		return err
	}
	if len(f.Blocks) == 0 {
		if f.Cause == content.Damaged {
			return content.Errorf(content.Damaged, "damaged Word document")
		}
		if f.Note != "" {
			return content.Errorf(f.Cause, "%s", f.Note)
		}
		f.AddNote(content.NoText, "no text")
	}
	return nil
}

// readDocumentXML reads one part of a Word document, such as its body or a page
// header. A part that is missing is skipped.
func readDocumentXML(f *content.File, z *archive.Zip, name string, headerFooter bool) error {
	rc, err := z.OpenEntry(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	in := &io.LimitedReader{R: rc, N: maxDocumentXML}
	p := &docxParser{file: f, headerFooter: headerFooter, paragraph: &strings.Builder{}}
	err = walkXML(in, f.Unzip, p.visit)
	p.endParagraph()
	for len(p.tables) > 0 {
		p.endTable()
	}
	switch {
	case f.Err() != nil:
		return f.Err()
	case in.N <= 0, errors.Is(err, archive.ErrLimit):
		f.AddNote(content.Limit, "too much unpacked content: the rest was skipped")
	case err != nil && !errors.Is(err, errFull):
		f.AddNote(content.Damaged, "damaged Word document: only partly read")
	}
	return nil
}

// docxParser turns the XML of a Word document into blocks.
type docxParser struct {
	file         *content.File
	headerFooter bool
	paragraph    *strings.Builder
	outer        []*strings.Builder // paragraphs around a text box
	tables       []*docxTable       // open ones, the innermost last
	inner        []content.Block    // tables inside tables, added after the outer one
	cells        int
	skip         int  // depth inside elements whose text is not shown
	inText       bool // inside w:t
	events       int
}

var errFull = errors.New("no room for more text")

// skippedElements are the elements whose text is not shown.
var skippedElements = map[string]bool{"Fallback": true, "del": true, "moveFrom": true, "instrText": true, "delText": true, "delInstrText": true, "rubyText": true}

func (p *docxParser) visit(e element) error {
	if p.events++; p.events%10_000 == 0 && p.file.Err() != nil {
		return p.file.Err()
	}
	switch {
	case e.opens && (p.skip > 0 || skippedElements[e.name] && e.prefix != "m"):
		p.skip++
	case p.skip > 0:
		if e.ends {
			p.skip--
		}
	case e.opens:
		return p.open(e)
	case e.ends:
		return p.close(e)
	case p.inText:
		p.paragraph.Write(e.text)
	}
	return nil
}

func (p *docxParser) open(e element) error {
	switch e.name {
	case "t":
		p.inText = true
	case "tab":
		// A tab stop in the properties of a paragraph has a position.
		if e.attr("pos") == "" {
			p.paragraph.WriteByte('\t')
		}
	case "br", "cr":
		p.paragraph.WriteByte('\n')
	case "noBreakHyphen":
		p.paragraph.WriteByte('-')
	case "sym":
		p.paragraph.WriteString(decode.Symbol(e.attr("char")))
	case "checked":
		if e.prefix != "w14" {
			value := e.attr("val")
			p.paragraph.WriteString(checkbox(value != "0" && value != "false"))
		}
	case "txbxContent":
		if len(p.outer) > 100 {
			return errXMLDepth
		}
		p.outer = append(p.outer, p.paragraph)
		p.paragraph = &strings.Builder{}
	case "tbl":
		p.endParagraph()
		p.tables = append(p.tables, &docxTable{})
	default:
		if t := p.table(); t != nil {
			t.property(e)
		}
	}
	return nil
}

// checkbox returns the sign of a checkbox.
func checkbox(checked bool) string {
	if checked {
		return "☒"
	}
	return "☐"
}

func (p *docxParser) close(e element) error {
	switch e.name {
	case "t":
		p.inText = false
	case "p":
		if !p.endParagraph() {
			return errFull
		}
	case "txbxContent":
		p.endParagraph()
		if n := len(p.outer); n > 0 {
			p.paragraph, p.outer = p.outer[n-1], p.outer[:n-1]
		}
	case "tc":
		p.endParagraph()
		if t := p.table(); t != nil {
			t.endCell(&p.cells)
		}
	case "tr":
		if t := p.table(); t != nil {
			t.endRow()
		}
	case "tbl":
		if len(p.tables) > 0 && !p.endTable() {
			return errFull
		}
	}
	return nil
}

// endParagraph adds the collected text to the open cell, or as a block. It
// reports whether there is room for more.
func (p *docxParser) endParagraph() bool {
	text := strings.TrimSpace(p.paragraph.String())
	p.paragraph.Reset()
	if text == "" {
		return true
	}
	if t := p.table(); t != nil {
		t.addParagraph(text)
		return true
	}
	return p.file.Add(content.Block{Text: text, HeaderFooter: p.headerFooter})
}

// table returns the innermost open table, nil when none is open.
func (p *docxParser) table() *docxTable {
	if len(p.tables) == 0 {
		return nil
	}
	return p.tables[len(p.tables)-1]
}

// endTable adds the innermost open table. It reports whether there is room for
// more.
func (p *docxParser) endTable() bool {
	n := len(p.tables) - 1
	blocks := p.tables[n].blocks(p.headerFooter)
	p.tables = p.tables[:n]
	if n > 0 {
		p.inner = append(p.inner, blocks...)
		return true
	}
	p.inner = append(blocks, p.inner...)
	for _, b := range p.inner {
		if !p.file.Add(b) {
			return false
		}
	}
	p.inner = nil
	return true
}
