// Package office reads the documents of Microsoft Office: Word and Excel, in
// the ZIP form of 2007 and later, in the binary form of 97-2003, and in the XML
// form of Excel 2003.
package office

import (
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/text"
)

// ReadDOC reads a document of Word 97 to 2003 (MS-DOC).
func ReadDOC(f *content.File) error {
	d, err := openDOC(f)
	if err != nil {
		return err
	}
	pieces := d.pieces()
	if len(pieces) == 0 {
		return content.Errorf(content.Damaged, "damaged Word document")
	}
	if err := readDOCText(f, d, pieces); err != nil {
		return err
	}
	text.MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text")
	}
	return nil
}
