package labelled

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

const (
	maxGrid      = 12 // labels side by side
	maxGridLines = 5  // lines of values below the labels

	minInWideGrid = 2 // known labels whose values fit, if most labels are unknown
)

// grid reads labels that stand side by side with their values below them:
//
//	Named insured and mailing address     Producer
//	Alder Ltd                             Birch Agency
//
// It returns the number of lines that the values take. At least half of the columns must be
// known labels, and one of the values must have the form of its field.
func (r *Reader) grid(i int, text string) int {
	heads := pairs.Cells(words.Unnumbered(text))
	if last := len(heads) - 1; last > 1 && parse.HasDigit(heads[last]) && !strings.ContainsFunc(heads[last], unicode.IsLetter) {
		if _, known := labelsOf(heads[:last]); known == last {
			heads = heads[:last] // the number at the end of the line is no label
		}
	}
	if slices.ContainsFunc(heads, sumAlone.MatchString) {
		return 0 // "Annual premium   $9,000"
	}
	if len(heads) < 2 || len(heads) > maxGrid || inlineValue(heads) {
		return 0
	}
	labels, known := labelsOf(heads)
	if known == 0 || known*2 < len(heads) && (known < minInWideGrid || known*4 < len(heads)) {
		return 0
	}
	first := r.nextText(i, 1)
	if first < 0 {
		return 0
	}
	for n, h := range heads {
		if m, ok := recognise.PartlyKnown(h); labels[n].Field == "" && ok && len(h) <= assign.MaxClearLabel {
			labels[n] = m
		}
	}
	values, last := r.belowGrid(first, labels, places(r.Lines[i].Text, heads))
	fitting, filled := 0, 0
	for n, m := range labels {
		if m.Field == "" || values[n] == "" || m.Doubt > 0 {
			continue
		}
		if filled++; r.Fits(m.Field, values[n]) {
			fitting++
		}
	}
	if fitting == 0 || fitting*2 < filled || known*2 < len(heads) && fitting < minInWideGrid {
		return 0
	}
	var named [2]party.Party
	for n, m := range labels {
		if m.Field == "" || m.Doubt > 0 && !r.Fits(m.Field, values[n]) {
			continue
		}
		at := r.Lines[first].At
		at.Boxed = true
		if m.Field == "estimated_premium" && r.listsSums(first, len(heads)) {
			continue // the premium of one of several lines
		}
		r.Assign(m, values[n], 0.95, at)
		if len(heads) == 2 && recognise.NamesFirm(m.Field) {
			named[n] = r.Whose
		}
	}
	if named[0] != party.Nobody && named[1] != party.Nobody {
		r.Sides = named
	}
	return last - i
}

// sumAlone matches an amount with its currency.
var sumAlone = vocabulary.Pattern(`^(?:{{money.sign}}|{{money.code}})\s*\d[\d.,]*$`)

// belowGrid joins the lines of the values below labels, column by column. It also returns the
// index of the last line that it has read.
func (r *Reader) belowGrid(first int, labels []recognise.Match, columns []int) (values []string, last int) {
	values = make([]string, len(labels))
	last = first - 1
	for k, lines := first, 0; k < len(r.Lines) && lines < maxGridLines; k++ {
		if r.BetweenLines(k) {
			continue
		}
		lines++
		l := r.Lines[k]
		cells := pairs.Cells(l.Text)
		if extra := len(cells) - 1; k == first && extra == len(labels) && extra > 1 && parse.HasDigit(cells[extra]) {
			cells = cells[:extra] // a code after the columns
		}
		if l.At.Part != r.Lines[first].At.Part || l.Table != nil || l.Label != "" || len(cells) == 0 || len(cells) > len(labels) || len(pairs.ColonPairs(l.Text)) > 0 {
			break
		}
		if k > first && (!continues(cells, labels) || r.startsLabels(l.Text)) {
			break
		}
		if _, n := labelsOf(cells); n*2 >= len(cells) {
			break
		}
		below := nearestColumns(places(l.Text, cells), columns)
		for n, c := range cells {
			values[below[n]] = strings.Trim(values[below[n]]+"\n"+c, "\n")
		}
		last = k
	}
	return values, last
}

// startsLabels reports whether a line contains labels with their values, other than a trading name below
// the name of a firm.
func (r *Reader) startsLabels(text string) bool {
	return slices.ContainsFunc(r.unmarked(text), func(p columnPair) bool { return p.label.Field != "dba_aka" })
}

// listsSums reports whether at least two lines, each with at most the number of columns, end with
// a sum, as in a list of premiums.
func (r *Reader) listsSums(first, columns int) bool {
	for _, k := range []int{first, r.nextText(first, 1)} {
		if k < 0 || k >= len(r.Lines) || r.Lines[k].At.Part != r.Lines[first].At.Part {
			return false
		}
		cells := pairs.Cells(r.Lines[k].Text)
		if len(cells) < 2 || len(cells) > columns || !parse.MoneyForm.MatchString(cells[len(cells)-1]) {
			return false
		}
	}
	return true
}

// places returns the columns, in characters, in which the cells of a line begin.
func places(text string, cells []string) []int {
	at := make([]int, len(cells))
	from := 0
	for n, c := range cells {
		if i := strings.Index(text[from:], c); i >= 0 {
			at[n] = utf8.RuneCountInString(text[:from+i])
			from += i + len(c)
		}
	}
	return at
}

// nearestColumns returns the column below whose label each value stands. If columns are empty, a
// value is in the one whose label begins nearest to it; otherwise, the values are in order.
func nearestColumns(values, columns []int) []int {
	below := make([]int, len(values))
	for n := range values {
		below[n] = n
	}
	if len(values) == len(columns) || values[len(values)-1] < columns[len(values)-1] {
		return below
	}
	next := 0
	for n, at := range values {
		for next+1 < len(columns)-(len(values)-1-n) && distance(at, columns[next+1]) <= distance(at, columns[next]) {
			next++
		}
		below[n] = next
		next++
	}
	return below
}

func distance(a, b int) int { return max(a-b, b-a) }

// continues reports whether a line can continue the values above it: all its texts stand below
// labels whose values can have several lines.
func continues(cells []string, labels []recognise.Match) bool {
	for n, c := range cells {
		if c != "" && !assign.SeveralLines[labels[n].Field] {
			return false
		}
	}
	return true
}

// inlineValue reports whether one of the columns holds a label together with its value.
func inlineValue(columns []string) bool {
	for _, c := range columns {
		if at := strings.Index(c, ":"); at >= 0 && at+1 < len(c) {
			return true
		}
	}
	return false
}

// labelsOf returns the fields that the texts name without doubt, and the number of such texts.
func labelsOf(texts []string) (labels []recognise.Match, known int) {
	labels = make([]recognise.Match, len(texts))
	for n, text := range texts {
		if m, ok := assign.ClearLabel(text); ok {
			labels[n] = m
			known++
		} else if vocabulary.Set("other_labels.figure")[words.Key(text)] {
			known++
		}
	}
	return labels, known
}

// wrappedLabel reads a label that continues on the next line, with the value beside its first line.
//
//	PRINCIPAL     1 Mill Lane, Derby DE1 1AA
//	ADDRESS
func (r *Reader) wrappedLabel(i int, text string) (m recognise.Match, value string, taken int) {
	cells := pairs.Cells(text)
	if len(cells) == 0 || len(cells) > 2 || i+1 >= len(r.Lines) || strings.Contains(text, ":") {
		return recognise.Match{}, "", 0
	}
	if m, value, taken = r.labelBeside(i, cells); taken > 0 || len(cells) == 1 {
		return m, value, taken
	}
	next := pairs.Cells(r.Lines[i+1].Text)
	if len(next) != 1 || r.Lines[i+1].Table != nil || r.Lines[i+1].At.Part != r.Lines[i].At.Part || len(next[0]) > assign.MaxLabel/2 {
		return recognise.Match{}, "", 0
	}
	if _, known := assign.ClearLabel(cells[0]); known {
		return recognise.Match{}, "", 0
	}
	m, ok := assign.ClearLabel(cells[0] + " " + next[0])
	if !ok || !r.Accepts(m.Field, cells[1]) {
		return recognise.Match{}, "", 0
	}
	return m, cells[1], 1
}

// labelBeside reads a label over several lines that ends with a colon, with the lines of its value
// beside or between them. cells are the columns of the first line.
//
//	ADDRESS OF    1 Mill Lane
//	INSURED:      Derby
//	              DE1 1AA
func (r *Reader) labelBeside(i int, cells []string) (m recognise.Match, value string, taken int) {
	if len(cells[0]) > assign.MaxLabel/2 {
		return recognise.Match{}, "", 0
	}
	label, values, whole := cells[0], cells[1:], false
	n := 1
	for ; n <= maxBeside && i+n < len(r.Lines); n++ {
		l := r.Lines[i+n]
		if l.Table != nil || l.Label != "" || l.At.Part != r.Lines[i].At.Part {
			break
		}
		if rest, ok := strings.CutPrefix(l.Text, layout.EmptyColumn+"\t"); ok {
			values = append(values, rest)
			continue
		}
		next := pairs.Cells(l.Text)
		if whole || len(next) == 0 || len(next) > 2 || len(next[0]) > assign.MaxLabel/2 {
			break
		}
		end, marked := strings.CutSuffix(next[0], ":")
		label, values, whole = label+" "+end, append(values, next[1:]...), marked
	}
	if value = strings.Join(values, "\n"); !whole || value == "" {
		return recognise.Match{}, "", 0
	}
	m, ok := assign.ClearLabel(label)
	if !ok || !r.Accepts(m.Field, value) {
		return recognise.Match{}, "", 0
	}
	return m, value, n - 1
}

const maxBeside = 8 // lines of such a label and its value
