package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// besideReader reads the covers in the lines that continue the value of a label for covers, and in lines in columns
// that compare the expiring and the requested policy.
type besideReader struct {
	continued bool // the previous lines are a label for covers and its value
	line      int  // the last of these lines

	compared bool // the previous lines are in columns for the expiring and the requested policy
	first    bool // the requested policy is in the first column
}

const maxColumnHead = 30 // bytes of the header of a column of a comparison

// read returns the covers in an observation.
func (r *besideReader) read(o observe.Observation) (found []Cover) {
	switch {
	case o.Kind == observe.Pair && len(o.Label) <= maxColumnHead && len(o.Text) <= maxColumnHead && r.isHead(o):
		r.compared = true
		return nil
	case r.compared && o.Kind == observe.Pair:
		found = r.comparedCovers(o)
	case r.compared:
		r.compared = false
	}
	if _, excluded := section(o.Headings); excluded {
		r.continued = false
		return nil
	}
	switch requested, excluded := section([2]string{o.Label, ""}); {
	case o.Kind == observe.Pair && !excluded && (requested && onlySection(o.Label) || onlyNumber(o.Label)):
		r.continued, r.line = true, o.Line
		return found
	case r.continued && o.Line <= r.line+maxGap && len(found) == 0:
		found = continuedCovers(o)
		r.continued, r.line = len(found) > 0, o.Line
	default:
		r.continued = false
	}
	return found
}

const maxGap = 2 // lines from one line of a value to the next

// isHead reports whether a line holds the headers of the columns of the expiring and of the requested policy.
func (r *besideReader) isHead(o observe.Observation) bool {
	if amount.MatchString(o.Text) || amount.MatchString(o.Label) {
		return false
	}
	r.first = expiringColumn.MatchString(o.Text)
	return Compares(o.Label, o.Text)
}

// comparedCovers returns the cover in a line of a comparison, if the column of the requested policy has a value.
func (r *besideReader) comparedCovers(o observe.Observation) []Cover {
	cells := gap.Split(strings.TrimSpace(o.Text), maxNameColumns)
	cell := cells[len(cells)-1]
	if r.first {
		cell = cells[0]
	}
	if !selected([]string{cell}) || len(vocabulary.Covers().Whole(bare(o.Label), 1)) == 0 {
		return nil
	}
	if c, ok := named(o.Label, fitPair); ok {
		return []Cover{c}
	}
	return nil
}

// onlyNumber reports whether a label is the number of a section of a policy: "SECTION A".
func onlyNumber(label string) bool {
	number := sectionNumber.FindString(label)
	return number != "" && number == label
}

// gap matches the space between columns.
var gap = lazyregexp.New(`\t+| {2,}`)

// continuedCovers returns the covers in a line below the first line of the value of a label for covers.
func continuedCovers(o observe.Observation) (found []Cover) {
	if o.Kind == observe.Pair {
		name := unlettered(o.Label)
		name = name[len(sectionNumber.FindString(name)):]
		if c, ok := named(name, fitItem); ok && selected([]string{o.Text}) && !denied.MatchString(o.Text) && len(vocabulary.Covers().Whole(bare(name), 1)) > 0 {
			found = append(found, c)
		}
		return found
	}
	if o.Box != observe.NoBox {
		return nil
	}
	if sums := amount.FindAllStringIndex(o.Text, maxNameColumns); len(sums) > 0 && sums[0][0] == 0 {
		for n, sum := range sums { // "USD 25,000,000 Flood"
			end := len(o.Text)
			if n+1 < len(sums) {
				end = sums[n+1][0]
			}
			if c, ok := named(o.Text[sum[1]:end], fitItem); ok {
				found = append(found, c)
			}
		}
		return found
	}
	for _, part := range itemMark.Split(o.Text, maxNameColumns) {
		if part = strings.TrimSpace(part); !denied.MatchString(part) && !refusedBehind.MatchString(part) {
			found = append(found, leading(part)...)
		}
	}
	return found
}

// IsRefused reports whether a text names a cover that is not requested: "Glass (excluded)", "Property - no".
func IsRefused(text string) bool { return refusedBehind.MatchString(text) }

// withoutRefused removes the entries of a list that are not requested.
func withoutRefused(text string) string {
	entries := entriesBy(list, text)
	kept := slices.DeleteFunc(slices.Clone(entries), IsRefused)
	if len(kept) == len(entries) {
		return text
	}
	return strings.Join(kept, ", ")
}

// itemMark matches the number of an item within a line: "(2)".
var itemMark = lazyregexp.New(`(?:^|\s)\(\d{1,2}\)\s`)
