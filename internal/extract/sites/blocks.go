// Package sites reads insured locations that labels describe: blocks of labels, cards, lists of
// addresses and fields of forms.
package sites

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

var (
	sumItem   = vocabulary.Pattern(`(?i)([A-Za-z][A-Za-z&/ ]{0,40}?)\s*[:=@]?\s*({{money.sign|money.code}}?\s*\d[\d,.]*\s*{{money.scale}}?)\b`)
	siteTail  = vocabulary.Pattern(`(?i)^\W*([A-Z][\w&/ ,'’-]{2,80}?)\s*\({{sites.location}}\s*(?:#|no\.?)?\s*(\d{1,4})\)\W*$`)
	occupiers = vocabulary.Pattern(`(?i)\b{{sites.occupier}}\b`)
	siteTitle = vocabulary.Pattern(`(?i)\b{{sites.title}}\b`)
)

// blocks collects locations that are described one after the other, each with its own
// labels.
type blocks struct {
	*candidate.Set
	taken   map[*content.Table]map[int]bool // rows of tables that belong to a statement of values
	rows    []location.Row
	current *location.Row
	listed  bool // below a heading such as "Locations"
	quoted  bool // whether the older mails are read instead of the newest
	passing bool // the open location counts only if values or details of the building follow
	isCard  bool // the open location is a card
	cards   []location.Row
	kind    string              // the column of the kind of property that the last label named
	headers map[string]labelled // by label
	choices choices
	notes   []location.Row
	details []location.Row // numbered blocks that state values, but no place
}

// Blocks finds locations outside of tables: blocks of labels under
// "Location 1", lists of addresses, and lists of sums by site. details are blocks with the number of a
// location that state its values, but not where it is.
func Blocks(d *candidate.Set, taken map[*content.Table]map[int]bool, quoted bool) (rows, details []location.Row) {
	if !slices.ContainsFunc(d.Lines, func(l layout.Line) bool { return l.At.Quoted == quoted }) {
		return nil, nil
	}
	b := &blocks{Set: d, taken: taken, quoted: quoted, headers: map[string]labelled{}}
	for _, l := range d.Lines {
		b.choices.count(l.Text)
		if l.Table != nil && len(l.Table.Rows) <= layout.MaxPairRows {
			for _, row := range l.Table.Rows {
				b.choices.count(rowLine(row[:min(len(row), layout.MaxFormCells)]))
			}
		}
	}
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		switch {
		case l.At.Quoted != quoted:
		case l.Table != nil:
			if taken[l.Table] == nil {
				b.table(l.Table, l.At)
			}
		case l.Label != "":
			if !pairs.FormName.MatchString(l.Label) {
				b.pair(l.Label, l.Value, l.At)
			}
		case strings.TrimSpace(l.Text) != "":
			if whole, n := b.addressBelow(i); n > 0 && b.address(whole, l.At) {
				i += n
				continue
			}
			if n := b.headed(i); n > 0 {
				i += n
				continue
			}
			if n := b.stackedLines(i); n > 0 {
				i += n
				continue
			}
			if value, n := b.valueBelow(i); n > 0 {
				b.pair(l.Text, value, l.At)
				i += n
				continue
			}
			if whole, ok := b.wrapped(i); ok {
				l.Text = whole
				i++
			}
			b.text(l.Text, l.At)
		}
	}
	b.close()
	if len(b.rows) == 0 {
		b.rows = b.cards
	}
	return b.detailed(b.merged())
}

// valueBelow returns the value below a line that is only a label of the open location, and the
// number of lines that it takes.
func (b *blocks) valueBelow(i int) (string, int) {
	label := strings.TrimSpace(b.Lines[i].Text)
	if b.current == nil || len(pairs.ColumnsOf(label)) > 1 || strings.Contains(strings.TrimRight(label, "? "), "?") || len(label) > passages.MaxLabel || strings.ContainsAny(label, ":;"+parse.Digits) {
		return "", 0
	}
	m, ok := recognise.AnyHeader(strings.TrimRight(label, "? "))
	if !ok || passages.IsHeading(label) || !location.ValueColumns[m.Field] && !location.BuildingColumns[m.Field] {
		return "", 0
	}
	for n := 1; n <= 3 && i+n < len(b.Lines); n++ {
		next := b.Lines[i+n]
		text := strings.TrimSpace(next.Text)
		switch {
		case next.Table != nil || next.Label != "" || len(text) > 80:
			return "", 0
		case text == "" || strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
			continue
		}
		if passages.IsHeading(text) {
			return "", 0
		}
		if left, _, ok := strings.Cut(text, ":"); ok {
			if _, known := b.header(left); known {
				return "", 0 // the line above is a heading: "Building characteristics"
			}
		}
		if _, label := recognise.AnyHeader(text); label && !isAnswer(text) && !parse.HasDigit(text) {
			return "", 0
		}
		return text, n
	}
	return "", 0
}

// namesParty reports whether a line is the heading of a party's details.
func namesParty(line string) bool {
	for _, h := range party.Headings {
		if h.Party != party.Site && h.Party != party.Nobody && h.Form.MatchString(line) {
			return !occupiers.MatchString(line)
		}
	}
	return false
}

func (b *blocks) close() {
	switch {
	case b.current == nil:
	case b.isLocation() && b.isCard:
		b.cards = append(b.cards, *b.current)
	case b.isLocation():
		b.rows = append(b.rows, *b.current)
	case !b.isCard && !b.current.Place() && b.current.LocationKey() != "" && (b.current.Values() || b.current.DescribesBuilding()):
		b.details = append(b.details, *b.current)
	}
	b.current, b.passing, b.isCard = nil, false, false
}

func (b *blocks) text(text string, at source.Place) {
	line := strings.TrimSpace(pairs.WithoutMark(text))
	if layout.IsClosing(line) {
		b.close()
		b.listed = false
		return
	}
	if b.question(line, at) {
		return
	}
	if found := b.gapPairs(line); len(found) > 0 {
		for _, p := range found {
			b.pair(p.Label, p.Value, at)
		}
		return
	}
	if left, right, ok := strings.Cut(line, ":"); ok && siteLabel.MatchString(left) && (!passages.IsHeading(line) || !strings.Contains(right, ":")) && b.address(strings.TrimSpace(right), at) {
		return
	}
	if columns := pairs.ColumnsOf(line); len(columns) == 2 && siteLabel.MatchString(columns[0]) && wholeAddress(columns[1]) && b.address(columns[1], at) {
		return // "Location     1 Mill Lane, Derby DE1 1AA", which is not location 1
	}
	if id, rest, ok := passages.Heading(line); ok && len(line) < passages.MaxHeading && (!parse.Sentence.MatchString(line) || rest != "" && passages.IsAddress(rest)) {
		b.open(id, rest, at)
		return
	}
	if m := siteTail.FindStringSubmatch(line); m != nil {
		b.open(m[2], m[1], at)
		return
	}
	if passages.Corrects.MatchString(line) {
		return // see corrected
	}
	if left, right, ok := strings.Cut(line, ":"); ok && siteLabel.MatchString(left) && b.addressed(right, at) {
		return
	}
	if b.listed && len(line) < 120 && parse.HasDigit(line) && !passages.ListItem.MatchString(text) && wholeAddress(line) && b.address(line, at) {
		b.passing = false
		return
	}
	if left, right, ok := pairs.CutAt(pairs.Dashed, line); ok && b.current != nil {
		if m, known := recognise.Header(left); known && recognise.MoneyColumns[m.Field] && parse.HasDigit(right) && len(right) < 30 {
			b.pair(left, right, at)
			return
		}
	}
	if left, right, ok := pairs.CutAt(pairs.Dashed, line); ok && siteLabel.MatchString(left) && b.address(right, at) {
		return
	}
	if b.named(line, at) {
		return
	}
	if label, _, ok := strings.Cut(line, ":"); !ok || !passages.IsHeading(label) {
		b.describe(line, at) // otherwise it is about the next location
	}
	if b.inline(line, at) {
		return
	}
	if m := passages.ListItem.FindStringSubmatch(text); m != nil && !b.listed && b.passed(m[1], text, at) {
		return
	}
	pieces := pairs.Split(line)
	if b.sums(line, at) {
		return
	}
	if m := passages.ListItem.FindStringSubmatch(text); m != nil && b.listed && !slices.ContainsFunc(pieces, func(p pairs.Pair) bool { return isHeader(words.Unnumbered(p.Label)) }) {
		b.item(m[1], at)
		return
	}
	if len(pieces) == 0 || len(pieces) == 1 && pieces[0].Value == "" {
		heading := words.Count(line) <= 8 && !strings.HasSuffix(line, ".")
		if heading && siteTitle.MatchString(line) {
			b.listed = true
		} else if heading && len(line) > 3 && !SumsInsured.MatchString(line) {
			b.listed = b.listed && len(pieces) == 0
			if words.Count(line) <= 4 && !parse.HasDigit(line) && namesParty(line) {
				b.close()
				b.listed = false
			}
		}
	}
	for _, p := range pieces {
		b.pair(p.Label, p.Value, at)
	}
}

// wholeAddress reports whether a line is an address and nothing else.
func wholeAddress(line string) bool {
	found, before := parse.AddressesIn(line)
	return len(found) == 1 && strings.TrimSpace(before[0]) == "" && len(found[0]) > len(line)-4
}

// item reads a line of a list of locations: an address, or a name with its
// protections.
func (b *blocks) item(text string, at source.Place) {
	head, rest, _ := pairs.CutAt(pairs.Dashed, text)
	if head == "" {
		head = text
	}
	row := location.Row{Cells: map[string]location.Cell{}, At: at}
	cell := func(t string) location.Cell { return location.Cell{Text: t, From: source.Prose, At: at} }
	a := address.Parse(head)
	switch {
	case parse.WrittenAddress(a) && a.Street != "":
		row.Cells["location_address"] = cell(head)
	case len(head) < 80:
		row.Cells["~name"] = cell(head)
	default:
		return
	}
	if rest != "" {
		row.Cells["~fire_protection"] = cell(rest)
		location.DescribeBuilding(row, rest, at)
	}
	if row.Place() {
		b.rows = append(b.rows, row)
		return
	}
	b.notes = append(b.notes, row)
}

// SumsInsured matches a heading of insured sums, which does not name the insured.
var SumsInsured = vocabulary.Pattern(`(?i)\b{{property.sums insured}}\b`)
