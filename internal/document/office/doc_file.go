package office

import (
	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
)

// docFile is the streams of a document of Word 97-2003.
type docFile struct {
	main  []byte // a header, text, and pages of properties
	table []byte // structures that say where these are
	forms []byte // the state of form fields
	run   docRun // the last one that was searched
}

// Positions at which the main stream states the position and the length of a
// structure in the table stream.
const (
	docRuns       = 0xfa
	docParagraphs = 0x102
	docPieces     = 0x1a2
)

func openDOC(f *content.File) (*docFile, error) {
	c, err := compound.Open(f.Data, f.Size)
	if err != nil {
		return nil, err
	}
	d := &docFile{main: c.Stream(compound.Root, "WordDocument")}
	switch {
	case len(d.main) < 0x60 || compound.Uint16(d.main, 0)&0xff00 != 0xa500:
		return nil, content.Errorf(content.Damaged, "damaged Word document")
	case compound.Uint16(d.main, 10)&0x100 != 0:
		return nil, content.Errorf(content.Password, "password protected")
	case compound.Uint16(d.main, 2) < 0xc1:
		return nil, content.Errorf(content.Unsupported, "Word document of version 95 or older: not supported")
	case len(d.main) < 0x1aa:
		return nil, content.Errorf(content.Damaged, "damaged Word document")
	}
	name := "0Table"
	if compound.Uint16(d.main, 10)&0x200 != 0 {
		name = "1Table"
	}
	d.table, d.forms = c.Stream(compound.Root, name), c.Stream(compound.Root, "Data")
	return d, nil
}

// structure returns a structure of the table stream, given where the main stream
// states its position and length.
func (d *docFile) structure(at int) []byte {
	return compound.Slice(d.table, compound.Uint32(d.main, at), compound.Uint32(d.main, at+4))
}

// propertyPage returns a page of 512 bytes that holds properties, given its number
// as a structure states it; nil when the file ends before it.
func (d *docFile) propertyPage(number uint32) []byte {
	page := compound.Slice(d.main, number&0x3fffff*512, 512)
	if len(page) < 512 {
		return nil
	}
	return page
}
