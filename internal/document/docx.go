package document

import (
	"io"
	"strconv"
	"strings"
)

const maxDocumentXML = 64 << 20

// readDOCX reads a Word document: its text and tables, then its headers,
// footers and notes, then the files embedded in it.
func readDOCX(r *reading, part *Part, src source) error {
	z, err := openArchive(src)
	if err != nil {
		return err
	}
	main := z.mainPart("word/document.xml")
	if !z.has(main) {
		return unreadable(Damaged, "damaged Word document")
	}
	if err := r.wordPart(part, z, main, false); err != nil {
		return err
	}
	for _, rel := range z.relations(main) {
		switch rel.kind {
		case "header", "footer":
			err = r.wordPart(part, z, rel.target, true)
		case "footnotes", "endnotes":
			err = r.wordPart(part, z, rel.target, false)
		}
		if err != nil {
			return err
		}
	}
	quoteBlocks(part.Blocks, false)
	if err := r.attachEmbedded(z, src, "word/embeddings/"); err != nil {
		return err
	}
	if len(part.Blocks) == 0 {
		if part.Cause == Damaged {
			return unreadable(Damaged, "damaged Word document")
		}
		if part.Note != "" {
			return unreadable(part.Cause, "%s", part.Note)
		}
		part.note(NoText, "no text")
	}
	return nil
}

func (r *reading) wordPart(part *Part, z *archive, name string, head bool) error {
	rc, err := z.open(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	in := &io.LimitedReader{R: rc, N: maxDocumentXML}
	w := &wordWalk{r: r, part: part, head: head, para: &strings.Builder{}}
	err = walkXML(in, w.visit)
	w.endParagraph()
	for len(w.tables) > 0 {
		w.endTable()
	}
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case in.N <= 0:
		part.note(Limit, "too much inside: the rest left out")
	case err != nil && err != errWordFull:
		part.note(Damaged, "damaged Word document: read in part")
	}
	return nil
}

// wordWalk turns the XML of a Word document into blocks.
type wordWalk struct {
	r      *reading
	part   *Part
	head   bool
	para   *strings.Builder
	outer  []*strings.Builder // paragraphs around a text box
	tables []*wordTable       // open ones, the innermost last
	inner  []Block            // tables inside tables, added after the outer one
	cells  int
	skip   int  // depth inside text that is not shown
	inText bool // inside w:t
	events int
}

type wordTable struct {
	table  Table
	row    []Cell
	cell   strings.Builder
	span   int
	merged bool
}

var errWordFull = io.ErrShortBuffer

var notShown = map[string]bool{"Fallback": true, "del": true, "moveFrom": true, "instrText": true, "delText": true, "delInstrText": true, "rubyText": true}

func (w *wordWalk) visit(e element) error {
	if w.events++; w.events%10_000 == 0 && w.r.ctx.Err() != nil {
		return w.r.ctx.Err()
	}
	switch {
	case e.opens && (w.skip > 0 || notShown[e.name] && e.space != "m"):
		w.skip++
	case w.skip > 0:
		if e.ends {
			w.skip--
		}
	case e.opens:
		return w.open(e)
	case e.ends:
		return w.close(e)
	case w.inText:
		w.para.Write(e.text)
	}
	return nil
}

func (w *wordWalk) open(e element) error {
	switch e.name {
	case "t":
		w.inText = true
	case "tab":
		// A tab stop of the paragraph's properties has a position.
		if e.attr("pos") == "" {
			w.para.WriteByte('\t')
		}
	case "br", "cr":
		w.para.WriteByte('\n')
	case "noBreakHyphen":
		w.para.WriteByte('-')
	case "sym":
		w.para.WriteString(symbol(e.attr("char")))
	case "txbxContent":
		if len(w.outer) > 100 {
			return errXMLDepth
		}
		w.outer = append(w.outer, w.para)
		w.para = &strings.Builder{}
	case "tbl":
		w.endParagraph()
		w.tables = append(w.tables, &wordTable{})
	default:
		w.property(e)
	}
	return nil
}

// property reads what says something of the open table or of a form's box.
func (w *wordWalk) property(e element) {
	value := e.attr("val")
	switch e.name {
	case "checked":
		if e.space != "w14" {
			w.para.WriteString(map[bool]string{true: "☐", false: "☒"}[value == "0" || value == "false"])
		}
		return
	}
	if len(w.tables) == 0 {
		return
	}
	t := w.tables[len(w.tables)-1]
	n, _ := strconv.Atoi(value)
	switch e.name {
	case "tblCaption":
		t.table.Title = value
	case "gridBefore":
		for range min(n, 100) {
			t.row = append(t.row, Cell{})
		}
	case "tc":
		t.span, t.merged = 1, false
		t.cell.Reset()
	case "gridSpan":
		t.span = min(max(n, 1), 100)
	case "vMerge", "hMerge":
		t.merged = value != "restart"
	}
}

// symbol gives the few signs of symbol fonts that forms use.
func symbol(char string) string {
	switch strings.ToUpper(char) {
	case "F0FE", "F078", "F053", "F052", "F0FD":
		return "☒"
	case "F0A8", "F06F", "F071", "F0A3", "F02A":
		return "☐"
	case "F0FC":
		return "✓"
	case "F0B7", "F0A7":
		return "•"
	case "F02D":
		return "-"
	}
	return ""
}

func (w *wordWalk) close(e element) error {
	switch e.name {
	case "t":
		w.inText = false
	case "p":
		if !w.endParagraph() {
			return errWordFull
		}
	case "txbxContent":
		w.endParagraph()
		if n := len(w.outer); n > 0 {
			w.para, w.outer = w.outer[n-1], w.outer[:n-1]
		}
	case "tc":
		w.endCell()
	case "tr":
		if n := len(w.tables); n > 0 {
			t := w.tables[n-1]
			if len(t.row) > 0 && len(t.table.Rows) < maxRows {
				t.table.Rows = append(t.table.Rows, t.row)
			}
			t.row = nil
		}
	case "tbl":
		if len(w.tables) > 0 && !w.endTable() {
			return errWordFull
		}
	}
	return nil
}

// endParagraph adds the collected text to the open cell, or as a block.
func (w *wordWalk) endParagraph() bool {
	text := strings.TrimSpace(w.para.String())
	w.para.Reset()
	if text == "" {
		return true
	}
	if n := len(w.tables); n > 0 {
		cell := &w.tables[n-1].cell
		if cell.Len() > 0 {
			cell.WriteByte('\n')
		}
		cell.WriteString(text)
		return true
	}
	return w.r.keep(w.part, Block{Text: text, Head: w.head})
}

func (w *wordWalk) endCell() {
	w.endParagraph()
	if len(w.tables) == 0 {
		return
	}
	t := w.tables[len(w.tables)-1]
	for i := range max(t.span, 1) {
		if w.cells++; w.cells > maxCells || len(t.row) >= maxColumns {
			break
		}
		c := Cell{Merged: t.merged || i > 0, Ref: "row " + strconv.Itoa(len(t.table.Rows)+1) + ", column " + strconv.Itoa(len(t.row)+1)}
		if i == 0 {
			c.Text = strings.TrimSpace(t.cell.String())
			c.Merged = c.Merged && c.Text == ""
		}
		t.row = append(t.row, c)
	}
	t.cell.Reset()
}

// endTable adds the innermost open table. A frame of one cell is text.
func (w *wordWalk) endTable() bool {
	n := len(w.tables) - 1
	t := w.tables[n]
	w.tables = w.tables[:n]
	if len(t.row) > 0 {
		t.table.Rows = append(t.table.Rows, t.row)
	}
	var blocks []Block
	switch {
	case len(t.table.Rows) == 1 && len(t.table.Rows[0]) == 1:
		for line := range strings.SplitSeq(t.table.Rows[0][0].Text, "\n") {
			if line != "" {
				blocks = append(blocks, Block{Text: line, Head: w.head})
			}
		}
	case hasText(t.table.Rows):
		blocks = append(blocks, Block{Table: &t.table, Head: w.head})
	}
	if n > 0 {
		w.inner = append(w.inner, blocks...)
		return true
	}
	w.inner = append(blocks, w.inner...)
	for _, b := range w.inner {
		if !w.r.keep(w.part, b) {
			return false
		}
	}
	w.inner = nil
	return true
}

func hasText(rows [][]Cell) bool {
	for _, row := range rows {
		for _, c := range row {
			if c.Text != "" {
				return true
			}
		}
	}
	return false
}
