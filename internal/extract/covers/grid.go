package covers

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/extract/vocabulary"
)

// GridCover is a cover in a table, with its cell.
type GridCover struct {
	Cover
	Row, Column int
}

// Limits of tables of covers whose header is not that of a table of covers alone.
const (
	maxNameColumns = 4 // columns of which one can hold the covers
	minGrid        = 2 // covers of such a table
	maxGridHead    = 5 // words of a cell of the header
	maxMatrixRows  = 12
)

var (
	expiringColumn = vocabulary.Pattern(`(?i)\b{{limits.expiring column}}\b`)
	wantedColumn   = vocabulary.Pattern(`(?i)\b{{limits.wanted column}}\b`)
)

// Grid returns the covers in a table whose first row is its header. The covers can be in one of the first columns, or
// in the header itself, above rows for limits and deductibles. The table can also have columns for the expiring and
// the requested policy, and the header can have two rows. isLabel reports whether a text is a label of something else.
func Grid(rows [][]string, isLabel func(string) bool) []GridCover {
	if len(rows) < 2 || len(Crossed(rows)) > 0 {
		return nil
	}
	if found := matrix(rows); len(found) > 0 {
		return found
	}
	head, first := gridHead(rows)
	names, clear := nameColumn(head, rows[first:])
	if names < 0 {
		return nil
	}
	values := valueColumns(head, names)
	var found, unknown []GridCover
	for i, row := range rows[first:] {
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			break
		}
		if names >= len(row) || strings.TrimSpace(row[names]) == "" || !selected(cellsOf(row, values)) || tickedNo(head, row) || refusedBehind.MatchString(row[names]) {
			continue
		}
		place := func(c Cover) GridCover { return GridCover{c, first + i, names} }
		if c, ok := namedInGrid(row[names], clear); ok {
			found = append(found, place(c))
		} else if c, ok := unnamed(row[names]); ok && !isLabel(row[names]) {
			unknown = append(unknown, place(c))
		}
	}
	if clear && len(found) > 0 && len(unknown) <= len(found) {
		found = append(found, unknown...)
	}
	return found[:min(len(found), maxCovers)]
}

// namedInGrid returns the cover that a cell names, which can also stand before details: "Hired-in Plant (any one item)". Below a
// clear header, it can have further words.
func namedInGrid(text string, clear bool) (Cover, bool) {
	if total.MatchString(text) || HasLimits([]string{bare(text)}) {
		return Cover{}, false
	}
	if c, ok := named(text, fitItem); ok {
		return c, true
	}
	if c, ok := named(entryTail.ReplaceAllString(text, ""), fitItem); ok {
		return c, true
	}
	if words := len(strings.Fields(text)); clear && len(vocabulary.Covers().Find(text)) > 0 && words <= maxRowWords && !retention.MatchString(text) {
		return Cover{Text: bare(text), Fit: fitOther}, true
	}
	return Cover{}, false
}

// unnamed returns the cover that a cell in a column of covers stands for, if its words are not known.
func unnamed(text string) (Cover, bool) {
	name := bare(text)
	if words := len(strings.Fields(name)); words == 0 || words > maxWords || total.MatchString(name) || retention.MatchString(name) || answer.MatchString(name) || limits.MatchString(name) || !strings.ContainsFunc(name, unicode.IsLetter) {
		return Cover{}, false
	}
	return Cover{Text: name, Fit: fitOther}, true
}

// gridHead returns the texts of the header by column, and the index of the first row below it. A header has two rows if the
// second one states what the columns hold: "Expiring | Requested" above "Limit | Retention | Limit | Retention".
func gridHead(rows [][]string) ([]string, int) {
	if len(rows) < 3 || len(rows[1]) < minGrid {
		return rows[0], 1
	}
	heads := 0
	for _, c := range rows[1][1:] {
		switch {
		case strings.TrimSpace(c) == "":
		case limits.MatchString(c) && !amount.MatchString(c) && !refused.MatchString(c) && len(strings.Fields(c)) <= maxGridHead:
			heads++
		default:
			heads = -len(rows[1])
		}
	}
	if _, ok := namedInGrid(rows[1][0], false); heads < minGrid || ok {
		return rows[0], 1
	}
	head := slices.Clone(rows[1])
	above := ""
	for j := range head {
		if j < len(rows[0]) && strings.TrimSpace(rows[0][j]) != "" {
			above = rows[0][j]
		}
		head[j] = strings.TrimSpace(above + " " + head[j])
	}
	return head, 2
}

// nameColumn returns the column of a table that names covers, or -1, and whether its header says so.
func nameColumn(head []string, rows [][]string) (column int, clear bool) {
	column, most := -1, 0
	for j := range head[:min(len(head), maxNameColumns)] {
		if len(strings.Fields(head[j])) > maxGridHead || !valuesBeside(head, j) {
			continue
		}
		requested, _ := section([2]string{head[j], ""})
		listed := requested || coverHeader.MatchString(head[j])
		known, filled := 0, 0
		for _, row := range rows {
			if j >= len(row) || strings.TrimSpace(row[j]) == "" {
				continue
			}
			filled++
			if _, ok := named(row[j], fitItem); ok {
				known++
			}
		}
		compared := known >= minGrid && len(valueColumns(head, j)) < len(head)-1
		if known > most && (listed && known*3 >= filled || compared || known >= minGrid && known*2 > filled) {
			column, clear, most = j, listed, known
		}
	}
	return column, clear
}

// valuesBeside reports whether a header has a column for what is insured or requested to the right of column j.
func valuesBeside(head []string, j int) bool {
	return slices.ContainsFunc(head[j+1:], func(c string) bool {
		return limits.MatchString(c) || expiringColumn.MatchString(c) || wantedColumn.MatchString(c)
	})
}

// valueColumns returns the columns to the right of column j that state what is requested: those of the requested
// policy, if the header names it, otherwise all that are not those of the expiring policy.
func valueColumns(head []string, j int) (columns []int) {
	var others, rest []int
	for n := j + 1; n < len(head); n++ {
		switch expiring := expiringColumn.MatchString(head[n]); {
		case wantedColumn.MatchString(head[n]) && !expiring:
			columns = append(columns, n)
		case !expiring:
			others = append(others, n)
		}
		rest = append(rest, n)
	}
	switch {
	case len(columns) > 0 && len(columns)+len(others) < len(rest):
		return columns
	case len(others) > 0:
		return append(columns, others...)
	}
	return append(columns, rest...)
}

// tickedNo reports whether the column for No of a row has a mark.
func tickedNo(head, row []string) bool {
	for j, c := range head[:min(len(head), len(row))] {
		if noColumn.MatchString(strings.TrimSpace(c)) && strings.TrimSpace(row[j]) != "" && len(strings.TrimSpace(row[j])) <= maxUnknown && !checkBox.MatchString(row[j]) {
			return true
		}
	}
	return false
}

// noColumn matches the header of a column for No.
var noColumn = vocabulary.Pattern(`(?i)^(?:{{answers.no}})\W*$`)

// WantedColumn reports whether one of the headers is that of a column of the requested policy.
func WantedColumn(head []string) bool {
	return slices.ContainsFunc(head, func(c string) bool { return wantedColumn.MatchString(c) && !expiringColumn.MatchString(c) })
}

// WantedBeside returns the column of the requested policy in a header that also has one of the expiring policy, or -1.
func WantedBeside(head []string) int {
	wanted, expiring := -1, false
	for j, c := range head {
		if len(c) > maxColumnHead || amount.MatchString(c) {
			continue
		}
		if expiringColumn.MatchString(c) {
			expiring = true
		} else if wanted < 0 && wantedColumn.MatchString(c) {
			wanted = j
		}
	}
	if !expiring || wanted == 0 {
		return -1
	}
	return wanted
}

// YesNoColumns returns the columns for yes and no in a header, or -1 for both.
func YesNoColumns(head []string) (yes, no int) {
	yes, no = -1, -1
	for j, c := range head {
		switch c = strings.TrimSpace(c); {
		case yesColumn.MatchString(c):
			yes = j
		case noColumn.MatchString(c):
			no = j
		}
	}
	if yes < 0 || no < 0 {
		return -1, -1
	}
	return yes, no
}

// yesColumn matches the header of a column for Yes.
var yesColumn = vocabulary.Pattern(`(?i)^(?:{{answers.yes}})\W*$`)

// Compares reports whether two headers are those of the expiring and of the requested policy.
func Compares(a, b string) bool {
	return expiringColumn.MatchString(a) && wantedColumn.MatchString(b) && !expiringColumn.MatchString(b) ||
		expiringColumn.MatchString(b) && wantedColumn.MatchString(a) && !expiringColumn.MatchString(a)
}

// cellsOf returns the cells of a row in the columns.
func cellsOf(row []string, columns []int) (cells []string) {
	for _, j := range columns {
		if j < len(row) {
			cells = append(cells, row[j])
		}
	}
	return cells
}
