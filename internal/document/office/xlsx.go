package office

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/content"
)

// xlsxWorkbook is a workbook in the form of Excel 2007 and later. It is read here
// as a stream of XML rather than by a library: a library that hides the type and
// the style of a cell cannot tell a postal code from a number, nor a number from a
// date.
type xlsxWorkbook struct {
	workbook
	zip    *archive.Zip
	shared []string // the texts that cells refer to by number
}

// xlsxSheet says where the XML of a sheet is.
type xlsxSheet struct {
	name   string
	target string
	hidden bool
}

// ReadXLSX reads a workbook of Excel 2007 and later: its sheets, the hidden ones
// last, then the files embedded in it.
func ReadXLSX(f *content.File) error {
	z, err := archive.Open(f)
	if err != nil {
		return err
	}
	b := &xlsxWorkbook{workbook: newWorkbook(f), zip: z}
	main := mainPart(z, "xl/workbook.xml")
	relations := relationsOf(z, main)
	sheets, err := b.listSheets(main, relations)
	if err != nil {
		return err
	}
	for _, rel := range relations {
		switch rel.kind {
		case "sharedStrings":
			b.readShared(rel.target)
		case "styles":
			b.styles = readStyles(z, rel.target)
		}
	}
	sort.SliceStable(sheets, func(i, j int) bool { return !sheets[i].hidden && sheets[j].hidden })
	for _, s := range sheets[:b.limitSheets(len(sheets))] {
		if err := b.readSheet(s); err != nil {
			return err
		}
	}
	if err := attachEmbedded(f, z, "xl/embeddings/"); err != nil {
		return err
	}
	return b.checkEmpty()
}

// listSheets lists the sheets in the order of the workbook.
func (b *xlsxWorkbook) listSheets(main string, relations []relation) ([]xlsxSheet, error) {
	rc, err := b.zip.OpenEntry(main)
	if err != nil {
		return nil, content.Errorf(content.Damaged, "damaged Excel workbook")
	}
	defer rc.Close()
	targets := map[string]string{}
	for _, rel := range relations {
		targets[rel.id] = rel.target
	}
	var list []xlsxSheet
	err = walkXML(io.LimitReader(rc, 16<<20), b.file.Unzip, func(e element) error {
		switch {
		case !e.opens:
		case e.name == "workbookPr":
			b.date1904 = e.attr("date1904") == "1" || e.attr("date1904") == "true"
		case e.name == "sheet" && len(list) < 10_000:
			target := targets[relationID(e)]
			if target == "" {
				target = fmt.Sprintf("xl/worksheets/sheet%d.xml", len(list)+1)
			}
			state := e.attr("state")
			list = append(list, xlsxSheet{e.attr("name"), target, state == "hidden" || state == "veryHidden"})
		}
		return nil
	})
	if len(list) == 0 {
		return nil, content.Errorf(content.Damaged, "damaged Excel workbook")
	}
	if err != nil {
		b.file.AddNote(content.Damaged, "damaged Excel workbook: only partly read")
	}
	return list, nil
}

// relationID returns the id attribute that has a prefix, such as r:id.
func relationID(e element) string {
	id := ""
	for _, a := range e.attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			id = a.Value
		}
	}
	return id
}

// readShared reads the texts that cells refer to by number, without the
// phonetic hints of East Asian text.
func (b *xlsxWorkbook) readShared(name string) {
	rc, err := b.zip.OpenEntry(name)
	if err != nil {
		return
	}
	defer rc.Close()
	var text strings.Builder
	inText, inHint, size := false, false, 0
	err = walkXML(rc, b.file.Unzip, func(e element) error {
		switch {
		case e.name == "si" && e.ends:
			b.shared = append(b.shared, strings.TrimSpace(text.String()))
			if size += text.Len(); !b.addShared(text.Len(), len(b.shared), size) {
				return archive.ErrLimit
			}
			text.Reset()
		case e.name == "t":
			inText = e.opens
		case e.name == "rPh":
			inHint = e.opens
		case inText && !inHint:
			writeCellText(&text, e.text)
		}
		return nil
	})
	b.noteDamage(err)
}

func (b *xlsxWorkbook) noteDamage(err error) {
	switch {
	case err == nil:
	case errors.Is(err, archive.ErrLimit):
		b.file.AddNote(content.Limit, "too much unpacked content: the rest was skipped")
	default:
		b.file.AddNote(content.Damaged, "damaged Excel workbook: only partly read")
	}
}

// readSheet adds one sheet as a table. A sheet without a filled cell adds nothing.
func (b *xlsxWorkbook) readSheet(s xlsxSheet) error {
	rc, err := b.zip.OpenEntry(s.target)
	if err != nil {
		b.file.AddNote(content.Damaged, "sheet "+s.name+" is missing")
		return nil
	}
	defer rc.Close()
	p := &xlsxParser{sheet: sheet{workbook: &b.workbook}, shared: b.shared}
	err = walkXML(rc, b.file.Unzip, p.visit)
	if b.file.Err() != nil {
		return b.file.Err()
	}
	if err != nil && !errors.Is(err, errSheetFull) {
		b.noteDamage(err)
	}
	p.end(s.name, s.hidden)
	return nil
}
