// Package letters reads running text: letters, mails with their signatures and subjects,
// sentences, and titles.
package letters

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

var (
	// Salutation matches the line at the beginning of a letter that names its reader or subject.
	Salutation = vocabulary.Pattern(`(?i)^(?:{{letters.greeting|letters.attention}}\b|{{letters.subject|letters.to}}\s*:)`)
	placeOnly  = lazyregexp.New(`^[\pL .,]*$`)
)

// Reader reads running text.
type Reader struct {
	*candidate.Set
	tables  *sov.Tables
	clients map[int]bool // the parts that the insured's staff has signed
}

// New returns a reader that proposes candidates for the set. tables are the statements of values.
func New(d *candidate.Set, tables *sov.Tables) *Reader {
	return &Reader{Set: d, tables: tables, clients: map[int]bool{}}
}

const minPhone = 9 // digits of a telephone number without a label

// readLetterhead extracts the broker's address and number from the lines under its
// name at the top of a letter.
func (d *Reader) readLetterhead(number int) {
	var head []layout.Line
	for _, l := range d.Lines {
		if l.At.Part != number || strings.TrimSpace(l.Text) == "" {
			continue
		}
		if len(head) == 6 || l.Table != nil || l.Label != "" || len(l.Text) > 120 || Salutation.MatchString(strings.TrimSpace(l.Text)) {
			break
		}
		head = append(head, l)
	}
	for i, l := range head {
		if i > 1 || !parse.NamesBroker(l.Text) || words.Count(l.Text) > 7 || strings.ContainsAny(l.Text, ":@") || parse.DocTitle.MatchString(l.Text) || pairs.LabelFirst(l.Text) || NamesFirms(l.Text) {
			continue
		}
		if i == 1 && describesFirm(l.Text) && words.Capital(head[0].Text) && !strings.ContainsAny(head[0].Text, ":@"+parse.Digits) {
			l = head[0]
		}
		d.Propose("broker_name", l.Text, source.Prose, 0.95, l.At)
		d.signatureAddress("broker_address", head[i+1:])
		for _, below := range head[i+1:] {
			if email := parse.EmailForm.FindString(below.Text); email != "" {
				d.Propose("broker_email", email, source.Prose, 0.9, below.At)
				break
			}
		}
		for _, below := range head[i+1:] {
			for _, detail := range detailMark.Split(below.Text, maxDetails) {
				if phoneLine.MatchString(detail) || parse.PhoneForm.FindString(detail) == detail && len(parse.DigitsForm.FindAllString(detail, -1)) >= minPhone {
					d.Propose("broker_contact_phone", detail, source.Prose, 1, below.At)
					return
				}
			}
		}
		return
	}
}

// describesFirm reports whether a line under the name of a firm says that it is a broker, with or without its
// number in a register: "Courtier - ORIAS 00 000 000".
func describesFirm(text string) bool {
	what, _, _ := pairs.CutAt(descriptionEnd, text)
	if what == "" {
		what = text
	}
	return len(text) < maxDescription && parse.DescribesFirm(what)
}

var descriptionEnd = lazyregexp.New(`\s[-–—·|]\s|,\s`)

const maxDescription = 80 // bytes

var phoneLine = vocabulary.Pattern(`(?i)^\W*{{contacts.phone|contacts.phone letter}}\b\.?\s*(?:no\.?)?\s*:?\s*[+(\d]`)

// readLetter extracts the date of a letter, which is on a line of its own above the
// addressee.
func (d *Reader) readLetter(number int) {
	const head = 30 // lines within which a letter must begin
	var dated *layout.Line
	seen := 0
	for i := range d.Lines {
		l := &d.Lines[i]
		text := strings.TrimSpace(l.Text)
		if l.At.Part != number || text == "" {
			continue
		}
		if seen++; seen > head {
			return
		}
		if seen <= titleLines && dated == nil && !Salutation.MatchString(text) {
			d.dateBeside(*l, text)
		}
		if dated == nil && len(text) < 50 {
			if found := parse.Dates(text, d.Order); len(found) == 1 && placeOnly.MatchString(text[:found[0].Start]) && words.Count(text[:found[0].Start]) <= 3 && strings.Trim(text[found[0].End:], " .,") == "" {
				dated = l
			}
		}
		if dated != nil && Salutation.MatchString(text) {
			d.Propose("document_date", dated.Text, source.Signature, 1, dated.At)
			return
		}
	}
}

const titleLines = 12 // lines at the top of a part that can be its title

// dateBeside extracts the date that stands alone beside the title of a document.
func (d *Reader) dateBeside(l layout.Line, text string) {
	cells := pairs.ColumnsOf(text)
	if len(cells) != 2 || strings.Contains(text, ":") || !covers.OnlyTitle(words.Bracketed.ReplaceAllString(cells[0], "")) {
		return
	}
	if found := parse.Dates(cells[1], d.Order); len(found) == 1 && strings.Trim(cells[1][:found[0].Start]+cells[1][found[0].End:], " .,") == "" {
		d.Propose("document_date", cells[1], source.Prose, 1, l.At)
	}
}

// NamesFirms reports whether several columns of a line name firms.
func NamesFirms(text string) bool {
	firms := 0
	for _, column := range ColumnGap.Split(strings.TrimSpace(text), -1) {
		if parse.LegalName.MatchString(column) || parse.NamesBroker(column) {
			firms++
		}
	}
	return firms > 1
}
