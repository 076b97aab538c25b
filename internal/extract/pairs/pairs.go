// Package pairs finds labels with their values in a line of text.
package pairs

import (
	"strings"
	"unicode/utf8"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// Pair is a label with its value.
type Pair struct{ Label, Value string }

var boxes = vocabulary.Pattern(`(?i)^(?:(?:` + parse.Ticked + `|` + parse.Unticked + `)\s*{{answers.choice}}|{{answers.choice}}\s*(?:` + parse.Ticked + `|` + parse.Unticked + `))$`)

var (
	anyBox   = lazyregexp.New(parse.Ticked + `|` + parse.Unticked)
	opensBox = lazyregexp.New(`^(?:` + parse.Ticked + `|` + parse.Unticked + `)`)
)

// Split splits a line into its labels and values: at colons, tabs, wide
// gaps and bars. It returns nothing for a line without a label. The caller must not change the list.
func Split(text string) []Pair { return splits.Of(text) }

var splits = memo.New(split)

func split(text string) []Pair {
	text = strings.TrimSpace(text)
	segments := []string{}
	for _, s := range splitAtGaps(text) {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if n := len(segments) - 1; n >= 0 && (boxes.MatchString(s) || parse.BothWords.MatchString(segments[n]+" ") || opensBox.MatchString(s) && strings.Contains(segments[n], ":") && anyBox.MatchString(segments[n])) {
			segments[n] += " " + s // "[ ] Yes   [x] No" is one answer
			continue
		}
		segments = append(segments, s)
	}
	var pieces []Pair
	for i := 0; i < len(segments); i++ {
		if found := ColonPairs(segments[i]); len(found) > 0 {
			last := &found[len(found)-1]
			if last.Value == "" && i+1 < len(segments) && len(ColonPairs(segments[i+1])) == 0 {
				last.Value = segments[i+1]
				i++
			}
			i += wideAddress(last, segments[i+1:])
			pieces = append(pieces, found...)
			continue
		}
		if _, ok := recognise.Label(segments[i]); ok && i+1 < len(segments) && len(segments) <= 8 {
			if _, next := recognise.Known(segments[i+1]); !next && len(ColonPairs(segments[i+1])) == 0 {
				pieces = append(pieces, Pair{segments[i], segments[i+1]})
				i++
			}
			continue
		}
		if left, right, ok := strings.Cut(segments[i], "="); ok && len(segments) == 1 && setting.MatchString(left) {
			pieces = append(pieces, Pair{left, strings.TrimSpace(right)})
			continue
		}
		if left, right, ok := CutAt(Dashed, segments[i]); ok && len(segments) == 1 && !isAddress(segments[i], left) {
			if m, known := recognise.Label(left); known && (m.From == source.Label || strings.HasPrefix(m.Field, "~") || len(right) > 0 && parse.HasDigit(right[:min(len(right), 4)])) {
				pieces = append(pieces, Pair{left, right})
			}
		}
	}
	return pieces
}

// isAddress reports whether a text is an address with a dash behind its street: "Calle Mayor 5 - 28013 Madrid".
func isAddress(text, street string) bool {
	if !parse.HasDigit(street) || len(text) > parse.MaxAddress {
		return false
	}
	a, ok := parse.Arranged(text)
	return ok && address.IsStreet(street) && a.Street == strings.TrimSpace(street)
}

// setting matches the name in a line such as "MailingCity=Dayton".
var setting = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_ .#/-]{1,40}$`)

// wideAddress adds the segments that complete an address, and counts them: "Address: 9 Mill
// Street     Dayton     OH     45402".
func wideAddress(p *Pair, rest []string) int {
	if len(rest) == 0 || p.Value == "" {
		return 0
	}
	if m, ok := recognise.Label(p.Label); !ok || !addressLabels[m.Field] {
		return 0
	}
	var value strings.Builder
	value.WriteString(p.Value)
	for n, s := range rest[:min(len(rest), maxWide)] {
		if len(ColonPairs(s)) > 0 {
			return 0
		}
		value.WriteString(", " + strings.TrimSpace(s))
		if parse.WrittenAddress(address.Parse(value.String())) {
			p.Value = value.String()
			return n + 1
		}
	}
	return 0
}

const maxWide = 4 // segments

var addressLabels = words.Set("address", "~address", "broker_address")

// splitAtGaps splits a text at tabs, wide gaps and bars. Most lines have none, which is
// checked faster without the pattern.
func splitAtGaps(text string) []string {
	if !strings.ContainsAny(text, "\t|") && !strings.Contains(text, "  ") {
		return []string{text}
	}
	return Gap.Split(text, -1)
}

// CutAt returns the text before and the text after the first match of form, and whether there is
// one.
func CutAt(form *lazyregexp.Regexp, text string) (string, string, bool) {
	if m := form.FindStringIndex(text); m != nil {
		return text[:m[0]], text[m[1]:], true
	}
	return "", "", false
}

// IsAside reports whether a label, in the form that words.Key returns, belongs to no field, but ends
// the value before it.
func IsAside(key string) bool { return vocabulary.Set("other_labels.aside")[key] }

// ColonPairs reads "label: value label: value" from a segment; the first label
// need not be known, the others must be.
func ColonPairs(text string) []Pair {
	var pieces []Pair
	start := 0
	for at := 0; at < len(text); at++ {
		if text[at] != ':' && !strings.HasPrefix(text[at:], "?") {
			continue
		}
		if at+1 < len(text) && (text[at+1] == '/' || text[at+1] >= '0' && text[at+1] <= '9' && at > 0 && text[at-1] >= '0' && text[at-1] <= '9') {
			continue // a web address or a time
		}
		before := text[start:at]
		if len(pieces) == 0 {
			if end := strings.LastIndex(before, ". "); end > 0 && words.Count(before) > maxFirstLabel && strings.TrimSpace(text[at+1:]) != "" {
				before = before[end+2:] // a sentence stands before a label and its value
			}
			if words.Key(before) == "" || len(before) > 200 || words.Count(before) > maxFirstLabel && text[at] == ':' && !strings.Contains(before, "?") {
				if len(before) > 200 || text[at] == ':' {
					return nil
				}
			}
			pieces = append(pieces, Pair{Label: before})
			start = at + 1
			continue
		}
		if rest, label, ok := labelAtEnd(before); ok {
			pieces[len(pieces)-1].Value = rest
			pieces = append(pieces, Pair{Label: label})
			start = at + 1
		}
	}
	if len(pieces) > 0 {
		pieces[len(pieces)-1].Value = strings.TrimSpace(text[start:])
	}
	return pieces
}

// labelAtEnd splits the label off the end of a text: a known one, or one that is composed of
// known words.
func labelAtEnd(text string) (rest, label string, ok bool) {
	fields := strings.Fields(text)
	for _, known := range []func(key string, words int) bool{
		func(key string, _ int) bool {
			h, header := recognise.HeaderForms()[key]
			return recognise.LabelForms()[key].Field != "" || IsAside(key) || header && h.From == source.Header && len(key) >= minHeader
		},
		func(key string, words int) bool {
			m, ok := recognise.Composed(key)
			return ok && m.Doubt == 0 && words > 1
		},
	} {
		for n := min(maxLabelAtEnd, len(fields)); n >= 1; n-- {
			label := strings.Join(fields[len(fields)-n:], " ")
			if n == 1 && len(label) < minLabelAtEnd {
				break
			}
			if n > 1 && n < len(fields) && words.Key(fields[len(fields)-n]) == "" && endsWithDate(strings.Join(fields[max(0, len(fields)-n-maxDateWords):len(fields)-n+1], " ")) {
				continue // the year belongs to the value: "1 March 2027 - expiry:"
			}
			if known(words.Key(label), n) {
				return strings.TrimRight(strings.Join(fields[:len(fields)-n], " "), " ,;|/"), label, true
			}
		}
	}
	return "", "", false
}

// endsWithDate reports whether a text ends with a date.
func endsWithDate(text string) bool {
	dates := parse.Dates(text, parse.UnknownOrder)
	return len(dates) > 0 && strings.Trim(text[dates[len(dates)-1].End:], " -–—") == ""
}

// Limits of a label within a line.
const (
	maxDateWords  = 5 // before a mark that ends a date
	maxFirstLabel = 8 // words of the first label of a line
	maxLabelAtEnd = 5 // words
	minLabelAtEnd = 3 // bytes
	minHeader     = 5 // bytes of a label that is only known as a header
)

// strict are fields whose values are recognised by their form, so that a label can
// precede them without a colon.
var strict = words.Set("policy_inception_date", "end_date", "document_date", "estimated_premium", "broker_email", "broker_contact_phone", "~email", "~phone", "~period", "annual_revenue", "annual_payroll", "100_pct_limit", "year_founded", "fein", "business_interruption_period", "~website", "quote_target_date", "retroactive_date", "total_part_time_employees", "total_number_of_locations", field.PowerUnits, "underwriter_email")

// Prefixed reads a label and a value without a colon: "Effective Date 04/01/2026".
func Prefixed(text string) (recognise.Match, string, bool) {
	fields := strings.Fields(text)
	if len(fields) > 14 {
		return recognise.Match{}, "", false
	}
	for n := min(5, len(fields)-1); n >= 1; n-- {
		m, ok := recognise.LabelForms()[words.Key(strings.Join(fields[:n], " "))]
		rest := strings.Join(fields[n:], " ")
		if !ok || m.From != source.Label {
			continue
		}
		if n == 1 && len(fields[0]) < 4 {
			return recognise.Match{}, "", false
		}
		if strict[m.Field] && parse.HasDigit(rest) || strict[m.Field] && parse.EmailForm.MatchString(rest) {
			return m, rest, true
		}
		if m.Field == "broker_name" && BeginsName(fields[0]) {
			return m, text, parse.LegalName.MatchString(rest)
		}
		if (m.Field == "company_name" || m.Field == "broker_name") && words.Capital(rest) && parse.LegalName.MatchString(rest) {
			return m, rest, true
		}
		return recognise.Match{}, "", false
	}
	return recognise.Match{}, "", false
}

// BeginsName reports whether a word can begin the name of a firm. Some of these words are also labels of the broker:
// "Correduría de Seguros Alerce, S.A.".
func BeginsName(word string) bool { return vocabulary.Set("firms.name start")[words.Key(word)] }

// Gap matches what separates the columns of a line: tabs, two or more spaces, bars and dots.
var Gap = lazyregexp.New(`\t+| {2,}|\s[·•]\s|\s\|\s?|^\|\s?|\s?\|$`)

// mark is a mark of Markdown, or of a list, at the beginning of a line.
const mark = `\s*(?:[#>*•·▪●○◦–—-]+\s+|\*\*)`

// Markup matches a mark of Markdown or of a list at the beginning of a line, and the marks of bold
// text.
var Markup = lazyregexp.New(`^` + mark + `|\*\*`)

var marks = lazyregexp.New(`^(?:` + mark + `)+|\*\*`)

// Dashed matches a dash or an equals sign between spaces.
var Dashed = lazyregexp.New(`\s+[-–—=]\s+`)

// WithoutMarkup removes all marks at the beginning of a line at once, however many there
// are, and the marks of bold text.
func WithoutMarkup(text string) string {
	if !canBeMarked(text) {
		return text
	}
	for marks.MatchString(text) {
		text = marks.ReplaceAllString(text, "")
	}
	return text
}

// WithoutMark returns a line without the mark at its beginning, such as that of a list item, and without the marks of
// bold text.
func WithoutMark(text string) string {
	if !canBeMarked(text) {
		return text
	}
	return Markup.ReplaceAllString(text, "")
}

// canBeMarked reports whether Markup can match a line. Most lines begin with a letter or a digit, and this
// check is faster than the pattern.
func canBeMarked(text string) bool {
	start := strings.TrimLeft(text, "\t\n\f\r ")
	return start != "" && (start[0] >= utf8.RuneSelf || strings.IndexByte("#>*-", start[0]) >= 0) || strings.Contains(text, "**")
}

// Cells splits a line at its wide gaps. It keeps the empty columns, which document readers mark
// with a no-break space.
func Cells(text string) []string {
	var cells []string
	for _, s := range splitAtGaps(text) {
		if strings.Trim(s, " ") != "" {
			cells = append(cells, strings.TrimSpace(s))
		}
	}
	return cells
}

// ColumnsOf splits a line at its wide gaps. The caller must not change the list.
func ColumnsOf(text string) []string { return columns.Of(text) }

var columns = memo.New(func(text string) []string {
	var cells []string
	for _, s := range splitAtGaps(text) {
		if s = strings.TrimSpace(s); s != "" {
			cells = append(cells, s)
		}
	}
	return cells
})

// LabelFirst reports whether a line begins with a label in a column of its own: "Broker      Alder Insurance Brokers".
func LabelFirst(text string) bool {
	columns := ColumnsOf(text)
	if len(columns) < 2 {
		return false
	}
	_, ok := recognise.Label(columns[0])
	return ok
}
