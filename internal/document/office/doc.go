package office

import (
	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/text"
)

// docFile is a document of Word 97-2003 (MS-DOC). Its text is stored in pieces.
// The properties of its paragraphs, stored on pages of 512 bytes, say which
// paragraphs belong to tables.
type docFile struct {
	main       []byte // the stream that holds text and properties
	table      []byte // the stream that says where they are
	forms      []byte // the stream that holds the state of form fields
	paragraphs []docParagraph
}

// docPiece is a run of characters that are stored together.
type docPiece struct {
	from, to int  // in characters of the document
	at       int  // in bytes of the main stream
	narrow   bool // one byte for a character rather than two
}

// ReadDOC reads a document of Word 97 to 2003.
func ReadDOC(f *content.File) error {
	c, err := compound.Open(f.Data, f.Size)
	if err != nil {
		return err
	}
	d := &docFile{main: c.Stream(compound.Root, "WordDocument")}
	switch {
	case len(d.main) < 0x60 || compound.Uint16(d.main, 0)&0xff00 != 0xa500:
		return content.Errorf(content.Damaged, "damaged Word document")
	case compound.Uint16(d.main, 10)&0x100 != 0:
		return content.Errorf(content.Password, "password protected")
	case compound.Uint16(d.main, 2) < 0xc1:
		return content.Errorf(content.Unsupported, "Word document of version 95 or older: not supported")
	case len(d.main) < 0x1aa:
		return content.Errorf(content.Damaged, "damaged Word document")
	}
	name := "0Table"
	if compound.Uint16(d.main, 10)&0x200 != 0 {
		name = "1Table"
	}
	d.table, d.forms = c.Stream(compound.Root, name), c.Stream(compound.Root, "Data")
	pieces := d.pieces(compound.Slice(d.table, compound.Uint32(d.main, 0x1a2), compound.Uint32(d.main, 0x1a6)))
	if len(pieces) == 0 {
		return content.Errorf(content.Damaged, "damaged Word document")
	}
	d.readParagraphs()
	if err := d.readText(f, pieces); err != nil {
		return err
	}
	text.MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text")
	}
	return nil
}

// pieces reads the piece table. It skips the properties before it.
func (d *docFile) pieces(b []byte) []docPiece {
	for len(b) >= 3 && b[0] == 1 {
		b = b[min(3+compound.Uint16(b, 1), len(b)):]
	}
	if len(b) < 5 || b[0] != 2 {
		return nil
	}
	b = compound.Slice(b, 5, compound.Uint32(b, 1))
	n := (len(b) - 4) / 12
	var list []docPiece
	last := 0
	for i := range max(n, 0) {
		at := compound.Uint32(b, 4*(n+1)+8*i+2)
		p := docPiece{from: int(compound.Uint32(b, 4*i)), to: int(compound.Uint32(b, 4*i+4)), at: int(at & 0x3fffffff), narrow: at&0x40000000 != 0}
		if p.narrow {
			p.at /= 2
		}
		// Pieces must not overlap, so that no more characters are read than the
		// document has.
		if p.from < last || p.to <= p.from || p.at >= len(d.main) {
			continue
		}
		last = p.to
		list = append(list, p)
	}
	return list
}
