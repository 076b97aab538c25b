package pdf

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/document/content"
)

// ruledTables puts the segments that lie in grids of rules into tables and boxes
// of forms. It returns the other segments.
func ruledTables(segments []segment, horizontal, vertical []rule, locator locator) (items []item, rest []segment) {
	rest = segments
	for _, g := range findGrids(mergeRules(horizontal), mergeRules(vertical)) {
		if boxes, left := g.formBoxes(rest, locator); boxes != nil {
			items, rest = append(items, boxes...), left
			continue
		}
		if len(g.ys) < 3 {
			continue // a single row of boxes is no table
		}
		table, left := g.table(rest, locator)
		if table == nil {
			continue
		}
		rest = g.addHeader(table, left, locator)
		items = append(items, item{top: g.top(), table: table, xs: g.xs})
	}
	return items, rest
}

// table puts text into the cells of the grid. It returns nil for a grid whose
// cells do not form rows and columns: that is a form rather than a table.
func (g *grid) table(segments []segment, locator locator) (*content.Table, []segment) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	if g.tooLarge() {
		return nil, segments
	}
	owner, cells := g.owners()
	if cells < 4 || cells*2 < rows*columns {
		return nil, segments
	}
	inside, rest := g.fill(owner, segments)
	t := &content.Table{}
	for r := range rows {
		for _, line := range splitRow(inside[r*columns : (r+1)*columns]) {
			row := make([]content.Cell, columns)
			filled := false
			for c := range columns {
				row[c].Merged = owner[r*columns+c] != r*columns+c
				right := c + 1
				for right < columns && owner[r*columns+right] == r*columns+c {
					right++
				}
				row[c].Text = cellText(line[c], g.xs[right])
				row[c].Spans = locator.locate(line[c])
				filled = filled || row[c].Text != ""
			}
			if filled {
				t.Rows = append(t.Rows, row)
				content.SetRefs(row, len(t.Rows))
			}
		}
	}
	if len(t.Rows) < 2 || framesText(inside) {
		return nil, segments
	}
	return t, rest
}

// framesText reports whether the cells contain whole paragraphs. Then the rules
// are frames around parts of a page rather than a table.
func framesText(inside [][]segment) bool {
	filled, lines := 0, 0
	for _, cell := range inside {
		if len(cell) > 0 {
			filled++
		}
		lines += len(textLines(cell))
	}
	return lines > 6*filled
}

// splitRow splits a row that stands for several rows without rules between them:
// it has three lines or more, and nearly every filled cell has text on each of
// them.
func splitRow(cells [][]segment) [][][]segment {
	whole := [][][]segment{cells}
	var baselines []textLine
	filled, full := 0, 0
	for _, cell := range cells {
		if lines := textLines(cell); len(lines) > len(baselines) {
			baselines = lines
		}
	}
	if len(baselines) < 3 {
		return whole
	}
	if first := slices.IndexFunc(cells, func(cell []segment) bool { return len(cell) > 0 }); len(textLines(cells[first])) == 1 {
		return whole // such as the number of the row
	}
	rows := make([][][]segment, len(baselines))
	for i := range rows {
		rows[i] = make([][]segment, len(cells))
	}
	for c, cell := range cells {
		lines := textLines(cell)
		if len(lines) > 0 {
			filled++
		}
		if len(lines) == len(baselines) {
			full++
		}
		at := 0
		for _, line := range lines {
			for at < len(baselines) && baselines[at].y-line.y > 2 {
				at++
			}
			if at == len(baselines) || line.y-baselines[at].y > 2 {
				return whole
			}
			rows[at][c] = append(rows[at][c], line.segments...)
		}
	}
	if filled < 3 || full*10 < filled*7 {
		return whole
	}
	return rows
}

var (
	digitsEnd  = regexp.MustCompile(`^[-($£€]*[\d,.]*[\d,]$`)
	digitsOnly = regexp.MustCompile(`^[\d,.]+[)%]?$`)
)

// cellText joins the lines of a cell, whose right edge is given. It keeps a line break if the first
// word of the next line would have fit on the line, and otherwise joins the lines with a space. A
// number that is broken over lines is joined without a space.
func cellText(segments []segment, right float64) string {
	text := ""
	end := 0.0 // right end of the line above
	for _, line := range textLines(segments) {
		next := strings.ReplaceAll(line.String(), "\t", " ")
		switch {
		case text == "":
			text = next
		case digitsEnd.MatchString(text) && digitsOnly.MatchString(next):
			text += next
		case end+line.firstWord()+0.6*line.size < right:
			text += "\n" + next
		default:
			text = joinLine(text, next)
		}
		end = line.segments[len(line.segments)-1].x1
	}
	return strings.TrimSpace(text)
}

// joinLine adds the next line of a text. A word that is broken at a hyphen is joined; the hyphen stays
// before a capital: "Non-" and "Combustible".
func joinLine(text, next string) string {
	before, broken := strings.CutSuffix(text, "-")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(next)
	switch {
	case !broken || !unicode.IsLetter(last) || !unicode.IsLetter(first):
		return text + " " + next
	case unicode.IsLower(first):
		return before + next
	}
	return text + next
}

// firstWord estimates the width of the first word of a line.
func (l *textLine) firstWord() float64 {
	s := l.segments[0]
	word, _, _ := strings.Cut(s.text, " ")
	return (s.x1 - s.x0) * float64(len(word)) / float64(max(len(s.text), 1))
}

// Limits of a header above the uppermost rule of a table.
const (
	minHeaderColumns = 4   // of the table
	maxHeaderLines   = 5   // of a cell of the header
	headerGap        = 2.5 // between its lines, and above the rule, in multiples of the size of the text
)

// addHeader adds a header that stands above the uppermost rule of a table whose first row is no
// header. The texts of the header stand between the borders of the columns. It returns the text that
// is not part of the header.
func (g *grid) addHeader(t *content.Table, segments []segment, locator locator) []segment {
	columns := len(g.xs) - 1
	if columns < minHeaderColumns || len(t.Rows[0]) != columns || filledWithDigits(t.Rows[0]) < 2 {
		return segments
	}
	var above []segment
	for _, s := range segments {
		if s.y > g.top()-1 && s.y < g.top()+headerGap*s.size*maxHeaderLines && s.x1 > g.xs[0] && s.x0 < g.xs[columns] {
			above = append(above, s)
		}
	}
	lines := textLines(above)
	slices.Reverse(lines)
	cells := make([][]segment, columns)
	used := map[segment]bool{}
	bottom := g.top()
	for _, l := range lines[:min(len(lines), maxHeaderLines)] {
		if l.y-bottom > headerGap*l.size {
			break
		}
		inColumns := make([][]segment, columns)
		fits := true
		for _, s := range l.segments {
			j := g.columnAround(s)
			if j < 0 {
				fits = false
				break
			}
			inColumns[j] = append(inColumns[j], s)
		}
		if !fits {
			break
		}
		for j, list := range inColumns {
			for _, s := range list {
				cells[j] = append(cells[j], s)
				used[s] = true
			}
		}
		bottom = l.y
	}
	filled := 0
	row := make([]content.Cell, columns)
	for j, cell := range cells {
		if len(cell) > 0 {
			filled++
		}
		row[j].Text = strings.ReplaceAll(cellText(cell, g.xs[j+1]), "\n", " ")
		row[j].Spans = locator.locate(cell)
	}
	if filled < columns-1 || filledWithDigits(row) > filled/2 {
		return segments
	}
	t.Rows = append([][]content.Cell{row}, t.Rows...)
	for i, r := range t.Rows {
		content.SetRefs(r, i+1)
	}
	return slices.DeleteFunc(slices.Clone(segments), func(s segment) bool { return used[s] })
}

// columnAround returns the column that contains a whole segment, or -1.
func (g *grid) columnAround(s segment) int {
	for j := range len(g.xs) - 1 {
		if s.x0 >= g.xs[j]-2 && s.x1 <= g.xs[j+1]+2 {
			return j
		}
	}
	return -1
}

// filledWithDigits returns the number of cells that contain digits.
func filledWithDigits(row []content.Cell) (n int) {
	for _, c := range row {
		if strings.ContainsAny(c.Text, "0123456789") {
			n++
		}
	}
	return n
}
