package document

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

const (
	maxSharedTexts = 2_000_000
	maxSharedBytes = 24 << 20
)

// workbook is a workbook in the form of Excel 2007 and later. The sheets are streamed: a
// reader that hides the type and the style of a cell cannot tell a postal code
// from a number, nor a number from a date.
type workbook struct {
	book
	zip    *archive
	shared []string
}

type sheet struct {
	name   string
	target string
	hidden bool
}

func readXLSX(r *reading, part *Part, src source) error {
	z, err := openArchive(src)
	if err != nil {
		return err
	}
	b := &workbook{book: book{r: r, part: part}, zip: z}
	main := z.mainPart("xl/workbook.xml")
	sheets, err := b.sheets(main)
	if err != nil {
		return err
	}
	for _, rel := range z.relations(main) {
		switch rel.kind {
		case "sharedStrings":
			b.readShared(rel.target)
		case "styles":
			b.styles = readStyles(z, rel.target)
		}
	}
	sort.SliceStable(sheets, func(i, j int) bool { return !sheets[i].hidden && sheets[j].hidden })
	if len(sheets) > maxSheets {
		part.note(Limit, fmt.Sprintf("more than %d sheets: the rest left out", maxSheets))
		sheets = sheets[:maxSheets]
	}
	for _, s := range sheets {
		if err := b.sheet(s); err != nil {
			return err
		}
	}
	if err := r.attachEmbedded(z, src, "xl/embeddings/"); err != nil {
		return err
	}
	return b.noneKept()
}

// sheets lists the sheets in the order of the workbook.
func (b *workbook) sheets(main string) ([]sheet, error) {
	rc, err := b.zip.open(main)
	if err != nil {
		return nil, unreadable(Damaged, "damaged Excel workbook")
	}
	defer rc.Close()
	targets := map[string]string{}
	for _, rel := range b.zip.relations(main) {
		targets[rel.id] = rel.target
	}
	var list []sheet
	err = walkXML(io.LimitReader(rc, 16<<20), func(e element) error {
		switch {
		case !e.opens:
		case e.name == "workbookPr":
			b.date1904 = e.attr("date1904") == "1" || e.attr("date1904") == "true"
		case e.name == "sheet" && len(list) < 10_000:
			id := ""
			for _, a := range e.attrs {
				if a.Name.Local == "id" && a.Name.Space != "" {
					id = a.Value
				}
			}
			target := targets[id]
			if target == "" {
				target = fmt.Sprintf("xl/worksheets/sheet%d.xml", len(list)+1)
			}
			state := e.attr("state")
			list = append(list, sheet{e.attr("name"), target, state == "hidden" || state == "veryHidden"})
		}
		return nil
	})
	if len(list) == 0 {
		return nil, unreadable(Damaged, "damaged Excel workbook")
	}
	if err != nil {
		b.part.note(Damaged, "damaged Excel workbook: read in part")
	}
	return list, nil
}

// readShared reads the texts that cells refer to by number, without the
// phonetic hints of East Asian text.
func (b *workbook) readShared(name string) {
	rc, err := b.zip.open(name)
	if err != nil {
		return
	}
	defer rc.Close()
	var text strings.Builder
	inText, inHint, size := false, false, 0
	err = walkXML(rc, func(e element) error {
		switch {
		case e.name == "si" && e.ends:
			b.shared = append(b.shared, text.String())
			if size += text.Len(); size > maxSharedBytes || len(b.shared) > maxSharedTexts {
				return errUnzipped
			}
			text.Reset()
		case e.name == "t":
			inText = e.opens
		case e.name == "rPh":
			inHint = e.opens
		case inText && !inHint && text.Len() < maxCellText:
			text.Write(e.text)
		}
		return nil
	})
	b.noteDamage(err)
}

func (b *workbook) noteDamage(err error) {
	switch {
	case err == nil:
	case errors.Is(err, errUnzipped):
		b.part.note(Limit, "too much inside: the rest left out")
	default:
		b.part.note(Damaged, "damaged Excel workbook: read in part")
	}
}

// sheet reads one sheet into a table; a sheet without a filled cell gives none.
func (b *workbook) sheet(s sheet) error {
	rc, err := b.zip.open(s.target)
	if err != nil {
		b.part.note(Damaged, "sheet "+s.name+" is missing")
		return nil
	}
	defer rc.Close()
	w := &sheetWalk{cells: cells{book: &b.book}, shared: b.shared}
	err = walkXML(rc, w.visit)
	if b.r.ctx.Err() != nil {
		return b.r.ctx.Err()
	}
	if err != nil && !errors.Is(err, errSheetFull) {
		b.noteDamage(err)
	}
	w.end(s.name, s.hidden)
	return nil
}
