package office

import (
	"io"
	"strconv"

	"understudy.example/internal/document/archive"
)

// readStyles lists the number format of each cell style.
func readStyles(z *archive.Zip, name string) []numberFormat {
	rc, err := z.OpenEntry(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	custom := formatCodes{codes: map[int]string{}}
	var styles []numberFormat
	inCells := false
	_ = walkXML(io.LimitReader(rc, 32<<20), z.Left(), func(e element) error {
		switch {
		case e.name == "cellXfs":
			inCells = e.opens
		case e.opens && e.name == "numFmt" && len(custom.codes) < 10_000:
			id, _ := strconv.Atoi(e.attr("numFmtId"))
			custom.codes[id] = cutFormatCode(e.attr("formatCode"))
		case e.opens && e.name == "xf" && inCells && len(styles) < 100_000:
			id, _ := strconv.Atoi(e.attr("numFmtId"))
			styles = append(styles, custom.format(id))
		}
		return nil
	})
	return styles
}
