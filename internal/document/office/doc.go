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
