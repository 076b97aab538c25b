package text

import (
	"fmt"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
)

// writeTable adds a list of objects as a table. Objects within these are further columns, and lists of
// objects within these are rows of their own, with the cells of the object around them.
func (w *jsonWriter) writeTable(heading string, v *jsonValue) {
	t := jsonTable{columns: map[string]int{}}
	for i := range v.items {
		if item := &v.items[i]; item.members != nil {
			t.addRows(nil, "", item)
		}
	}
	if t.full {
		w.f.AddNote(content.Limit, fmt.Sprintf("more than %d rows: the rest was skipped", len(t.rows)))
	}
	table := &content.Table{Rows: make([][]content.Cell, 0, len(t.rows)+1)}
	for r, texts := range append([][]string{t.header}, t.rows...) {
		row := make([]content.Cell, len(texts))
		for c, text := range texts {
			if text != "" {
				row[c] = content.Cell{Text: text, Ref: content.CellRef(r+1, c+1)}
			}
		}
		table.Rows = append(table.Rows, row)
	}
	place := content.Place{Line: v.line}
	if heading != "" {
		w.add(content.Block{Place: place})
		w.add(content.Block{Text: heading, Place: place})
	}
	if table.HasText() && !w.full {
		w.add(content.Block{Table: table, Place: place})
	}
}

// jsonTable collects the rows of a table.
type jsonTable struct {
	columns map[string]int // by the keys that lead to their values
	header  []string
	rows    [][]string
	cells   int
	full    bool
}

// addRows adds the row of an object, which begins with the given cells, or the rows of the first list of
// objects in it.
func (t *jsonTable) addRows(row []string, path string, v *jsonValue) {
	var inner *jsonValue
	row = t.fill(append([]string(nil), row...), path, v, &inner)
	if inner == nil {
		t.cells += len(row) + 1
		if t.full = t.full || t.cells > content.MaxCells || len(t.rows) >= content.MaxRows-1; !t.full {
			t.rows = append(t.rows, row)
		}
		return
	}
	for i := range inner.items {
		if item := &inner.items[i]; item.members != nil && !t.full {
			t.addRows(row, path+"/"+inner.key, item)
		}
	}
}

// fill sets the cells of a row to the values of an object and of the objects in it. It sets inner to the first
// list of objects.
func (t *jsonTable) fill(row []string, path string, v *jsonValue, inner **jsonValue) []string {
	for i := range v.members {
		m := &v.members[i]
		switch {
		case m.members != nil:
			row = t.fill(row, path+"/"+m.key, m, inner)
		case m.isTable():
			if *inner == nil {
				*inner = m
			}
		default:
			text := m.text
			if m.items != nil {
				text = m.list()
			}
			column := t.column(path, m.key)
			if column < 0 {
				continue
			}
			for len(row) <= column {
				row = append(row, "")
			}
			row[column] = text
		}
	}
	return row
}

// column returns the column of a key, or -1 if there are too many. Its header is the key, with the key of the
// object around it if the header would occur twice.
func (t *jsonTable) column(path, key string) int {
	if c, ok := t.columns[path+"/"+key]; ok {
		return c
	}
	if len(t.header) >= content.MaxColumns {
		return -1
	}
	header := key
	if slices.Contains(t.header, key) {
		header = strings.TrimSpace(path[strings.LastIndex(path, "/")+1:] + " " + strings.ToLower(key))
	}
	t.columns[path+"/"+key] = len(t.header)
	t.header = append(t.header, header)
	return len(t.header) - 1
}
