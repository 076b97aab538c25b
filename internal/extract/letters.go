package extract

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/lazyregexp"
)

var (
	salutation = lazyregexp.New(`(?i)^(?:dear\b|to whom it may concern|gentlemen|ladies and gentlemen|re\s*:|to\s*:|attn\b|attention\b)`)
	placeOnly  = lazyregexp.New(`^[\pL .,]*$`)
)

// readLetterhead extracts the broker's address and number from the lines under its
// name at the top of a letter.
func (d *extractor) readLetterhead(number int) {
	var head []line
	for _, l := range d.lines {
		if l.at.Part != number || strings.TrimSpace(l.text) == "" {
			continue
		}
		if len(head) == 6 || l.table != nil || l.label != "" || len(l.text) > 120 || salutation.MatchString(strings.TrimSpace(l.text)) {
			break
		}
		head = append(head, l)
	}
	for i, l := range head {
		if i > 1 || !parse.NamesBroker(l.text) || len(strings.Fields(l.text)) > 7 || strings.ContainsAny(l.text, ":@") || parse.DocTitle.MatchString(l.text) {
			continue
		}
		d.propose("broker_name", l.text, source.Prose, 0.95, l.at)
		d.signatureAddress(head[i+1:])
		for _, below := range head[i+1:] {
			if phoneLine.MatchString(below.text) {
				d.propose("broker_contact_phone", below.text, source.Prose, 1, below.at)
				return
			}
		}
		return
	}
}

var phoneLine = lazyregexp.New(`(?i)^\W*(?:tel(?:ephone)?|phone|t|p|ph)\b\.?\s*(?:no\.?)?\s*:?\s*[+(\d]`)

// readLetter extracts the date of a letter, which is on a line of its own above the
// addressee.
func (d *extractor) readLetter(number int) {
	const head = 30 // lines within which a letter must begin
	var dated *line
	seen := 0
	for i := range d.lines {
		l := &d.lines[i]
		text := strings.TrimSpace(l.text)
		if l.at.Part != number || text == "" {
			continue
		}
		if seen++; seen > head {
			return
		}
		if dated == nil && len(text) < 50 {
			if found := parse.Dates(text, d.order); len(found) == 1 && placeOnly.MatchString(text[:found[0].Start]) && len(strings.Fields(text[:found[0].Start])) <= 3 && strings.Trim(text[found[0].End:], " .,") == "" {
				dated = l
			}
		}
		if dated != nil && salutation.MatchString(text) {
			d.propose("document_date", dated.text, source.Signature, 1, dated.at)
			return
		}
	}
}

// subjectLine returns the index of the line with the subject of a letter: the line that
// stands alone above or below the salutation. It returns -1 if there is none.
func (d *extractor) subjectLine(number int) int {
	const head = 60 // lines within which a letter must begin
	alone := func(i, direction int) int {
		for i += direction; i >= 0 && i < len(d.lines) && d.lines[i].at.Part == number; i += direction {
			text := strings.TrimSpace(d.lines[i].text)
			switch {
			case d.lines[i].table != nil || d.lines[i].label != "":
				return -1
			case text == "":
			case len(text) < maxSubject && blankLine(d.lines, i-1) && blankLine(d.lines, i+1) && !strings.ContainsAny(text[len(text)-1:], ".,?!:;"):
				return i
			default:
				return -1
			}
		}
		return -1
	}
	seen := 0
	for i, l := range d.lines {
		if l.at.Part != number && seen == 0 {
			continue
		}
		if seen++; seen > head || l.at.Part != number {
			break
		}
		if text := strings.TrimSpace(l.text); len(text) < 60 && greeting.MatchString(text) {
			if n := alone(i, -1); n >= 0 {
				return n
			}
			return alone(i, 1)
		}
	}
	return -1
}

const maxSubject = 120 // bytes

// greeting matches the line that greets the reader of a letter.
var greeting = lazyregexp.New(`(?i)^(?:dear|hi|hello|good (?:morning|afternoon)|gentlemen|ladies|to whom|sehr geehrte[rn]?|guten tag|hallo|liebe[r]?|madame|monsieur|bonjour|cher|chère|estimad[oa]s?|muy señor|hola|buenos|geachte|beste)\b`)

func blankLine(lines []line, i int) bool {
	return i < 0 || i >= len(lines) || lines[i].text == "" && lines[i].label == "" && lines[i].table == nil
}
