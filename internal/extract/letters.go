package extract

import (
	"regexp"
	"strings"
)

var (
	salutation = regexp.MustCompile(`(?i)^(?:dear\b|to whom it may concern|gentlemen|ladies and gentlemen|re\s*:|to\s*:|attn\b|attention\b)`)
	placeOnly  = regexp.MustCompile(`^[\pL .,]*$`)
)

// readLetter takes the date of a letter: a line of its own above whom the
// letter addresses.
func (d *document) readLetter(number int) {
	const head = 30 // lines in which a letter must have begun
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
