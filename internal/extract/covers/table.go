package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// limits matches the header of a column that states what is insured under a cover.
var limits = vocabulary.Pattern(`(?i)\b{{limits.header}}\b`)

// coverHeader matches headers of a column of covers that are too general to be a heading of
// a list of covers.
var coverHeader = vocabulary.Pattern(`(?i)^\W*{{limits.cover header}}\W*$`)

// IsHeader reports whether a row can be the header of a table of covers with their limits.
func IsHeader(row []string) bool {
	if len(row) < 2 {
		return false
	}
	requested, _ := section([2]string{row[0], ""})
	return (requested || coverHeader.MatchString(row[0])) && limits.MatchString(strings.Join(row[1:], " "))
}

// HasLimits reports whether a row has headers of columns that state what is insured.
func HasLimits(row []string) bool {
	return slices.ContainsFunc(row, func(c string) bool { return limits.MatchString(c) && !amount.MatchString(c) })
}

// IsOther reports whether the line above a table says that the table lists covers that are not requested, such as "The
// underlying program is as follows".
func IsOther(above string) bool {
	_, excluded := section([2]string{above, ""})
	return excluded
}

// Table returns the covers in the first column of a table of covers with their limits, and
// the index of the row of each in Line. The rows begin with the header. It returns nothing
// if the table is another one.
func Table(rows [][]string) []Cover {
	if len(rows) < 2 || !IsHeader(rows[0]) {
		return nil
	}
	var found []Cover
	values := valueColumns(rows[0], 0)
	for i, row := range rows[1:] {
		if len(row) == 0 || len(found) == maxCovers || !selected(cellsOf(row, values)) || tickedNo(rows[0], row) || refusedBehind.MatchString(row[0]) {
			continue
		}
		c, ok := named(row[0], fitItem)
		if !ok && len(vocabulary.Covers().Find(row[0])) > 0 && len(strings.Fields(row[0])) <= maxRowWords && !total.MatchString(row[0]) {
			c, ok = Cover{Text: bare(row[0]), Fit: fitOther}, true
		}
		if ok {
			c.Line = i + 1
			found = append(found, c)
		}
	}
	return found
}

const maxRowWords = 10

// Column returns the covers in a column of a statement of values that has a row for each cover of a location, and
// the index of the first row of each in Line. The column begins with its header.
func Column(cells []string) (found []Cover) {
	if len(cells) == 0 || !IsSection(cells[0]) {
		return nil
	}
	for i, cell := range cells[1:] {
		c, ok := named(cell, fitItem)
		if !ok || total.MatchString(cell) || slices.ContainsFunc(found, func(f Cover) bool { return strings.EqualFold(f.Text, c.Text) }) {
			continue
		}
		c.Line = i + 1
		found = append(found, c)
	}
	return found
}

// Crossed returns the covers of a table that are marked with an X before them: "X PROPERTY | $ 9,840 | X | GENERAL
// LIABILITY | $ 6,215", and the index of the row of each in Line. The rows begin with the header.
func Crossed(rows [][]string) (found []Cover) {
	for i, row := range rows[1:] {
		alone := false // the last cell with text holds only an X
		for _, cell := range row {
			text := strings.TrimSpace(cell)
			if strings.EqualFold(text, "x") {
				alone = true
				continue
			}
			name, marked := text, alone
			if m := crossBefore.FindString(text); m != "" {
				name, marked = text[len(m):], true
			}
			if alone = alone && text == ""; !marked || len(found) == maxCovers {
				continue
			}
			if c, ok := ticked(name); ok {
				c.Line, c.Ticked = i+1, true
				found = append(found, c)
			}
		}
	}
	return found
}

var crossBefore = lazyregexp.New(`^[xX]\s+`)

var (
	total    = vocabulary.Pattern(`(?i)\b{{limits.total}}\b`)
	openBox  = vocabulary.Pattern(`^\W*$|^(?i:{{answers.no}}|{{answers.not wanted|answers.refused}})\W*$`)
	refused  = vocabulary.Pattern(`(?i)^\W*{{answers.refused}}\b`)
	checkBox = lazyregexp.New(`\[\s*\]|☐|□`)
)

// IsTotal reports whether the first text of a row says that the row holds the sums of the rows
// above.
func IsTotal(text string) bool { return total.MatchString(text) }

// selected reports whether the cells beside the name of a cover show that it is requested:
// one of them has a value, and none is an open box.
func selected(cells []string) bool {
	value := false
	for _, c := range cells {
		if c = strings.TrimSpace(c); checkBox.MatchString(c) && !strings.ContainsAny(c, "xX☒☑✓") {
			return false
		}
		if refused.MatchString(c) {
			return false
		}
		value = value || !openBox.MatchString(c) || strings.ContainsAny(c, "☒☑✓✔")
	}
	return value
}
