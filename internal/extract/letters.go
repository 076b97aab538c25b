package extract

import (
	"regexp"
	"strings"
)

var (
	salutation = regexp.MustCompile(`(?i)^(?:dear\b|to whom it may concern|gentlemen|ladies and gentlemen|re\s*:|to\s*:|attn\b|attention\b)`)
	placeOnly  = regexp.MustCompile(`^[\pL .,]*$`)
)

// readLetterhead extracts the broker's address and number from the lines under its
// name at the top of a letter.
func (d *extractor) readLetterhead(number int) {
	var head []line
	for _, l := range d.lines {
		if l.at.part != number || strings.TrimSpace(l.text) == "" {
			continue
		}
		if len(head) == 6 || l.table != nil || l.label != "" || len(l.text) > 120 || salutation.MatchString(strings.TrimSpace(l.text)) {
			break
		}
		head = append(head, l)
	}
	for i, l := range head {
		if i > 1 || !brokerish(l.text) || len(strings.Fields(l.text)) > 7 || strings.ContainsAny(l.text, ":@") || docTitle.MatchString(l.text) {
			continue
		}
		d.propose("broker_name", l.text, fromProse, 0.95, l.at)
		d.signatureAddress(head[i+1:])
		for _, below := range head[i+1:] {
			if phoneLine.MatchString(below.text) {
				d.propose("broker_contact_phone", below.text, fromProse, 1, below.at)
				return
			}
		}
		return
	}
}

var phoneLine = regexp.MustCompile(`(?i)^\W*(?:tel(?:ephone)?|phone|t|p|ph)\b\.?\s*(?:no\.?)?\s*:?\s*[+(\d]`)

// readLetter extracts the date of a letter, which is on a line of its own above the
// addressee.
func (d *extractor) readLetter(number int) {
	const head = 30 // lines within which a letter must begin
	var dated *line
	seen := 0
	for i := range d.lines {
		l := &d.lines[i]
		text := strings.TrimSpace(l.text)
		if l.at.part != number || text == "" {
			continue
		}
		if seen++; seen > head {
			return
		}
		if dated == nil && len(text) < 50 {
			if found := dates(text, d.order); len(found) == 1 && placeOnly.MatchString(text[:found[0].start]) && len(strings.Fields(text[:found[0].start])) <= 3 && strings.Trim(text[found[0].end:], " .,") == "" {
				dated = l
			}
		}
		if dated != nil && salutation.MatchString(text) {
			d.propose("document_date", dated.text, fromSignature, 1, dated.at)
			return
		}
	}
}
