package names

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// Limits of the search for the broker.
const (
	maxFirmWords = 7
	nearFirm     = 4 // lines below the name of a firm that can state its details
	maxEmails    = 20
)

// readDescribed extracts the firm that a line such as "Insurance Brokers" describes: the
// text before it, on the same line or on the line above.
func (d *Reader) readDescribed() {
	above := layout.Line{}
	for _, l := range d.Lines {
		text := strings.TrimSpace(l.Text)
		if text == "" || l.Table != nil || l.At.Quoted {
			above = layout.Line{}
			continue
		}
		name := ""
		if len(text) > maxFirmLine || !parse.NamesBroker(text) {
			if above.Text == "" || !d.isDateline(text) {
				above = l
			}
			continue
		}
		pieces := piecesOf(text)
		if len(pieces) > 1 && parse.DescribesFirm(pieces[1]) && parse.NamesBroker(pieces[1]) {
			name = pieces[0]
		} else if len(pieces) > 0 && parse.DescribesFirm(firstClause(pieces[0])) && above.At.Part == l.At.Part && above.Text != "" {
			name = firstPiece(above.Text)
		}
		if firmLike(name) && !parse.DescribesFirm(name) && !namesBody(name) {
			d.Propose("broker_name", name, source.Prose, 0.95, l.At)
		}
		above = l
	}
}

// isDateline reports whether a line states only the place and the date of a letter, or its date.
func (d *Reader) isDateline(text string) bool {
	found := parse.Dates(text, d.Order)
	return len(found) == 1 && len(text) <= maxDateline && found[0].Start <= maxDateline/2
}

const maxDateline = 50 // bytes

// firstPiece returns the text in the first column of a line.
func firstPiece(text string) string {
	if columns := pairs.ColumnsOf(text); len(columns) > 0 {
		return strings.Trim(columns[0], " ,;")
	}
	return ""
}

// firstClause returns the text before the first comma or full stop.
func firstClause(text string) string {
	if at := strings.IndexAny(text, ",.–|"); at > 0 {
		return text[:at]
	}
	return text
}

var pieceMarks = strings.NewReplacer(" – ", "  ", " — ", "  ", " - ", "  ", " | ", "  ", "•", "  ", " · ", "  ")

// piecesOf splits a line of a letterhead, a footer or a signature.
func piecesOf(text string) []string {
	var pieces []string
	for _, p := range pairs.ColumnsOf(pieceMarks.Replace(text)) {
		pieces = append(pieces, strings.Trim(p, " ,;"))
	}
	return pieces
}

// firmLike reports whether a text can be the name of a firm.
func firmLike(name string) bool {
	if name == "" || len(name) > 80 || !words.Capital(name) || strings.ContainsAny(name, ":@?") || words.Count(name) > maxFirmWords ||
		parse.HasDigit(name) || parse.JobTitle.MatchString(name) || experts.MatchString(name) || layout.IsClosing(name) || parse.InsurerName.MatchString(name) && !parse.NamesBroker(name) {
		return false
	}
	_, known := recognise.Known(name)
	return !known && !letters.Salutation.MatchString(name)
}

const maxFirmLine = 250 // bytes of a line that is searched for a firm

// PhoneBesideBroker extracts the telephone number below the broker's name or mail address, or
// beside it in a table, if no label states it.
func (d *Reader) PhoneBesideBroker(firm string) {
	email, person := d.Best("broker_email"), d.Best("broker_contact_points")
	if d.Best("broker_contact_phone") != "" || firm == "" && email == "" {
		return
	}
	is := func(text string) bool {
		return firm != "" && containsFold(text, firm) || email != "" && containsFold(text, email) || person != "" && strings.Contains(text, person)
	}
	try := func(text string, at source.Place) bool {
		phone, _, ok := parse.PhoneValue(text)
		if ok = ok && len(parse.DigitsForm.FindAllString(phone, -1)) >= 9; ok {
			d.Propose("broker_contact_phone", phone, source.Prose, 0.9, at)
		}
		return ok
	}
	for i, l := range d.Lines {
		if l.At.Quoted {
			continue
		}
		if l.Table != nil {
			for _, row := range l.Table.Rows[:min(len(l.Table.Rows), layout.MaxPairRows)] {
				if !is(layout.RowText(row)) {
					continue
				}
				for _, c := range row {
					if c.Number == nil && strings.ContainsAny(c.Text, " -.()+/") && try(c.Text, layout.CellPlace(l.At, c)) {
						return
					}
				}
			}
			continue
		}
		if !is(l.Text + l.Value) {
			continue
		}
		for _, near := range d.Lines[i:min(i+1+nearFirm, len(d.Lines))] {
			text := near.Text + near.Value
			if text == "" || near.At.Part != l.At.Part {
				break
			}
			if try(text, near.At) {
				return
			}
		}
	}
}

// containsFold reports whether a text contains another one, whatever the case.
func containsFold(text, part string) bool {
	return len(text) >= len(part) && strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// DetailsBelowFirm assigns to the broker the numbers and mail addresses below its name that
// were read as the insured's because no heading says whose they are.
func (d *Reader) DetailsBelowFirm(firm, company string) {
	if firm == "" {
		return
	}
	below := map[int]bool{} // numbers of lines
	for i, l := range d.Lines {
		if l.Table != nil || !containsFold(l.Text+l.Value, firm) || company != "" && containsFold(l.Text, company) {
			continue
		}
		for n := i; n <= i+nearFirm && n < len(d.Lines) && (company == "" || !containsFold(d.Lines[n].Text, company)); n++ {
			below[n] = true
		}
	}
	d.Edit(func(c *resolve.Reading) {
		if below[c.Place] && c.Field == "phone_number" {
			c.Field, c.Group = "broker_contact_phone", candidate.Group("broker_contact_phone")
		}
	})
}
