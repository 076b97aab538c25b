package labelled

import (
	"strings"
	"unicode"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/forms"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// columnPair is a label with its value, and the column of the line in which they stand.
type columnPair struct {
	label  recognise.Match
	value  string
	column int
}

// Limits for labels and values without a mark between them.
const (
	maxUnmarked      = 24 // words in a column
	maxUnmarkedLabel = 6  // words
	minInnerLabel    = 3  // bytes in the first word of a label that follows a value
	fitUnmarked      = 0.85
)

// unmarked finds labels with their values in a line without marks between them, such as "City
// Pittsburgh   State PA   Zip 15210". Each value must have the form of its field.
func (r *Reader) unmarked(text string) []columnPair {
	if strings.Contains(text, ":") || strings.HasSuffix(text, ".") && strings.Count(text, " ") > forms.MaxBoxWords/2 {
		return nil
	}
	var found []columnPair
	for n, column := range pairs.ColumnsOf(text) {
		fields := strings.Fields(words.Unnumbered(column))
		if len(fields) < 2 || len(fields) > maxUnmarked {
			continue
		}
		if _, label := recognise.LabelForms()[words.Key(column)]; label {
			continue // a label such as "City, State, ZIP"
		}
		for _, p := range r.labelsIn(fields) {
			p.column = n
			found = append(found, p)
		}
	}
	return found
}

// unmarkedLine reads a line of labels and values without marks between them. It returns false for
// other lines. At least half of the columns must be such pairs.
func (r *Reader) unmarkedLine(text string, at source.Place) bool {
	columns := len(pairs.ColumnsOf(text))
	found := r.unmarked(text)
	paired := map[int]bool{}
	for _, p := range found {
		paired[p.column] = true
	}
	if len(found) == 0 || len(paired)*2 < columns || len(paired) == 1 && columns > 1 && len(pairs.Split(text)) > 0 {
		return false
	}
	for _, p := range found {
		if r.Sides[0] != party.Nobody && p.column < len(r.Sides) {
			r.SetParty(r.Sides[p.column], true)
		}
		r.Assign(p.label, p.value, fitUnmarked, at)
	}
	return true
}

// labelsIn splits a text into labels and their values. It returns nil if the text contains
// anything else.
func (r *Reader) labelsIn(fields []string) []columnPair {
	for n := min(maxUnmarkedLabel, len(fields)-1); n >= 1; n-- {
		m, ok := bareLabel(fields[:n])
		if !ok {
			continue
		}
		if m.Field == "broker_name" && pairs.BeginsName(fields[0]) {
			if !parse.LegalName.MatchString(strings.Join(fields[n:], " ")) {
				return nil
			}
			return []columnPair{{label: m, value: strings.Join(fields, " ")}}
		}
		for end := n + 1; end < len(fields); end++ {
			if value := strings.Join(fields[n:end], " "); r.Fits(m.Field, value) {
				if len(fields[end]) < minInnerLabel {
					continue // such as the state "CA", which is not a label
				}
				if rest := r.labelsIn(fields[end:]); rest != nil {
					return append([]columnPair{{label: m, value: value}}, rest...)
				}
			}
		}
		if numbered := parse.HasDigit(fields[n-1]); numbered && !parse.HasDigit(fields[n][:1]) {
			continue // in "Address 1 Mill Lane", the number belongs to the value
		}
		if value := strings.Join(fields[n:], " "); r.Fits(m.Field, value) && !r.onlyExplains(m.Field, value) {
			return []columnPair{{label: m, value: value}}
		}
	}
	return nil
}

// onlyExplains reports whether a text is a value only because of words in brackets, which belong to the label: "Turnover
// (year to June 2031)".
func (r *Reader) onlyExplains(name, text string) bool {
	inside := words.Bracketed.FindString(text)
	return strings.ContainsFunc(inside, unicode.IsLetter) && !r.Accepts(name, strings.Replace(text, inside, "", 1))
}

// bareLabel finds the field of words that are a known label, or that are all known.
func bareLabel(fields []string) (recognise.Match, bool) {
	text := strings.Join(fields, " ")
	if len(text) < 2 || !words.Capital(text) && text[0] != '#' && !strings.Contains(parse.Digits, text[:1]) {
		return recognise.Match{}, false
	}
	if last := fields[len(fields)-1]; parse.HasDigit(last) && (len(last) > 2 || len(fields) < 2 || last[0] == '(') {
		return recognise.Match{}, false // the "(903)" of "Phone (903) 555-0175" is part of the value
	}
	key := words.Key(text)
	if m, ok := recognise.LabelForms()[key]; ok && (m.From == source.Label || len(fields) > 1) {
		return m, true
	}
	m, ok := recognise.Composed(key)
	return m, ok && m.Doubt == 0
}

// periodInColumns reads a label for the dates of the policy with both dates in columns beside it:
// "Inception / expiry     1 May 2027     30 April 2028".
func (r *Reader) periodInColumns(text string, at source.Place) bool {
	if strings.Contains(text, "?") || !parse.HasDigit(text) {
		return false
	}
	cells := pairs.ColumnsOf(text)
	if len(cells) != 3 || len(cells[0]) > assign.MaxLabel {
		return false
	}
	m, ok := assign.ClearLabel(strings.TrimRight(cells[0], ": "))
	if !ok || m.Field != "~period" && m.Field != "policy_inception_date" {
		return false
	}
	for _, c := range cells[1:] {
		if found := parse.Dates(c, r.Order); len(found) != 1 || found[0].End-found[0].Start < len(c)-maxBesideDate {
			return false
		}
	}
	r.Assign(m, cells[1]+" - "+cells[2], fitUnmarked, at)
	return true
}

const maxBesideDate = 12 // bytes beside a date in its column, such as a time of day
