package letters

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
)

// role is the kind of firm that a signatory works for, as the title below the name shows.
type role int

const (
	unknownRole role = iota
	ofClient         // buys insurance for the firm: "Finance Director"
	ofInsurer        // "Senior Underwriter"
)

const titleDepth = 4 // lines of a signature in which a title stands

var clientTitle = vocabulary.Pattern(`(?i)^{{job_titles.client title}}(?:\s*(?:[,|(/&–-]|and\b|und\b|et\b|y\b|en\b).*)?$`)

// roleOf returns the role of the person who signs with these lines.
func roleOf(block []layout.Line) role {
	for n, l := range block[:min(len(block), titleDepth)] {
		if parse.NamesBroker(l.Text) {
			return unknownRole
		}
		for m, piece := range piecesOfSignature(l.Text) {
			switch {
			case n == 0 && m == 0:
			case underwriterTitle.MatchString(piece):
				return ofInsurer
			case clientTitle.MatchString(piece):
				return ofClient
			}
		}
	}
	return unknownRole
}

// answeredByInsurer returns the address to which a mail is sent if an underwriter signs it and it quotes an
// older mail. The addressee is then the broker, who has signed the older mail.
func (d *Reader) answeredByInsurer(number int, m *content.Mail) string {
	if m == nil || parse.FirmOf(parse.EmailForm.FindString(m.To)) == "" {
		return ""
	}
	signed, quoted := false, false
	for i, l := range d.Lines {
		if l.At.Part != number || signed && quoted {
			continue
		}
		quoted = quoted || l.At.Quoted
		if !l.At.Quoted && l.Table == nil && layout.IsClosing(l.Text) {
			signed = signed || roleOf(filled(d.Lines[i+1:])) == ofInsurer
		}
	}
	if !signed || !quoted {
		return ""
	}
	email, _, _ := parse.EmailValue(parse.EmailForm.FindString(m.To))
	return email
}

// filled returns the first lines with text.
func filled(lines []layout.Line) (list []layout.Line) {
	for _, l := range lines[:min(len(lines), 2*titleDepth)] {
		if strings.TrimSpace(l.Text) != "" {
			list = append(list, l)
		}
	}
	return list
}

// senderName returns the name that a mail gives to an address of its header.
func senderName(m *content.Mail, email string) string {
	for _, header := range []string{m.From, m.To} {
		if from, err := parseSender(header); err == nil && strings.EqualFold(from.Address, email) {
			return from.Name
		}
	}
	return ""
}
