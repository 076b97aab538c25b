package office

import (
	"sort"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
)

// ReadXLS reads a workbook of Excel 3 to 2003: its sheets, the hidden ones last.
func ReadXLS(f *content.File) error {
	stream, err := workbookStream(f)
	if err != nil {
		return err
	}
	b := &xlsWorkbook{workbook: newWorkbook(f), formats: map[int]string{}, left: len(stream)}
	if err := b.readGlobals(stream); err != nil {
		return err
	}
	sort.SliceStable(b.sheets, func(i, j int) bool { return !b.sheets[i].hidden && b.sheets[j].hidden })
	for _, s := range b.sheets[:b.limitSheets(len(b.sheets))] {
		if err := readXLSSheet(b, stream, s); err != nil {
			return err
		}
	}
	return b.checkEmpty()
}

// workbookStream returns the records of a workbook. Since Excel 5 they are a
// stream in a compound file.
func workbookStream(f *content.File) ([]byte, error) {
	head := make([]byte, 8)
	_, _ = f.Data.ReadAt(head, 0)
	if string(head) != compound.Magic {
		return f.Bytes()
	}
	c, err := compound.Open(f.Data, f.Size)
	if err != nil {
		return nil, err
	}
	if stream := c.Stream(compound.Root, "Workbook"); stream != nil {
		return stream, nil
	}
	return c.Stream(compound.Root, "Book"), nil
}
