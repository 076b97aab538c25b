package names

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

const (
	headLines = 8 // lines of a letterhead with a name, an address and numbers
	firmLines = 2 // lines of a letterhead that can begin with the name
)

// BrokersLetterhead extracts the broker's name, address and telephone number from the letterhead of a
// part: the name of a firm that is not the insured, above or before its address. The firm is known as
// the broker, its name or the line below says that it is one, or the insured is known and a mail address
// of the document is in the domain of the firm.
func (d *Reader) BrokersLetterhead() {
	company, known := d.Best("company_name"), d.Best("broker_name")
	var emails []string
	for _, email := range parse.EmailForm.FindAllString(d.Text, maxEmails) {
		if local, _, _ := strings.Cut(email, "@"); !sharedBox.MatchString(local) && (company == "" || !parse.FitsInsured(company, email)) {
			emails = append(emails, email)
		}
	}
	for number := range d.Parts {
		head := d.head(number)
		for i, l := range head[:min(len(head), firmLines)] {
			name, rest := firmAtStart(l.Text)
			if !firmLike(name) || parse.DescribesFirm(name) || company != "" && sameFirm(name, company) || known != "" && !sameFirm(name, known) {
				continue
			}
			below := head[i+1:]
			if known == "" && !parse.NamesBroker(name) && !describedBelow(below) && (company == "" || !slices.ContainsFunc(emails, func(e string) bool { return parse.FitsDomain(name, e) })) {
				continue
			}
			d.letterhead(name, rest, l, below)
			return
		}
	}
}

// sharedBox matches the mailbox of a department.
var sharedBox = vocabulary.Pattern(`(?i)^(?:{{firms.department|contacts.mailbox}})s?\b`)

// head returns the lines of a part that can be its letterhead: those above its title, its first label
// and its salutation.
func (d *Reader) head(number int) (head []layout.Line) {
	for _, l := range d.Lines {
		text := strings.TrimSpace(l.Text)
		if l.At.Part < number || l.At.Part == number && l.Table == nil && l.Label == "" && text == "" {
			continue
		}
		if l.At.Part > number || l.At.Quoted || l.Table != nil || l.Label != "" || len(head) == headLines || len(text) > maxHead || letters.Salutation.MatchString(text) {
			break
		}
		if label, value, ok := strings.Cut(text, ":"); ok && len(head) > 0 && value != "" {
			if _, label := recognise.Label(label); label && !phoneStart.MatchString(text) {
				break
			}
		}
		if len(head) > 0 && covers.OnlyTitle(text) {
			break
		}
		head = append(head, l)
	}
	return head
}

var phoneStart = vocabulary.Pattern(`(?i)^\W*{{contacts.phone|contacts.other phone|contacts.phone letter|contacts.other}}\b`)

// firmAtStart splits a line of a letterhead into the name of a firm at its beginning and the rest.
func firmAtStart(text string) (name, rest string) {
	text = strings.TrimSpace(pairs.WithoutMarkup(text))
	if m := parse.LegalAtStart.FindString(text); m != "" {
		return m, text[len(m):]
	}
	if at := headMark.FindStringIndex(text); at != nil {
		return text[:at[0]], text[at[1]:]
	}
	return text, ""
}

// headMark matches what separates the name in a letterhead from what follows.
var headMark = lazyregexp.New(`\s*(?:[,|·•\t]|\s[–—-]\s|\s{3})\s*`)

// describedBelow reports whether one of the next lines says that the firm is a broker: "Courtage en
// assurances - ORIAS 07 000 000".
func describedBelow(below []layout.Line) bool {
	return slices.ContainsFunc(below[:min(len(below), firmLines)], func(l layout.Line) bool {
		text := strings.TrimSpace(l.Text)
		return len(text) <= maxFirmLine && parse.NamesBroker(text) && parse.DescribesFirm(firstClause(text))
	})
}

// letterhead proposes the details of the broker in a letterhead that begins with its name.
func (d *Reader) letterhead(name, rest string, l layout.Line, below []layout.Line) {
	d.Propose("broker_name", name, source.Signature, 1, l.At)
	lines := append([]layout.Line{{Text: rest, At: l.At}}, below...)
	placed := d.Best("broker_address") != ""
	for i, l := range lines {
		if placed || len(parse.Dates(l.Text, d.Order)) > 0 {
			continue
		}
		written := headAddress(l.Text)
		if written == "" && i+1 < len(lines) {
			written = headAddress(strings.Trim(l.Text, " ,") + ", " + strings.TrimSpace(lines[i+1].Text))
		}
		if written != "" {
			d.Propose("broker_address", written, source.Signature, 1, l.At)
			break
		}
	}
	for _, l := range lines {
		if phone, _, _ := parse.PhoneValue(l.Text); len(parse.DigitsForm.FindAllString(phone, -1)) >= minPhone && len(parse.Dates(l.Text, d.Order)) == 0 {
			if value, _, ok := parse.PhoneValue(l.Text); ok && letterheadPhone.MatchString(l.Text) {
				d.Propose("broker_contact_phone", value, source.Signature, 0.8, l.At)
				return
			}
		}
	}
}

// BrokersAddressBelow extracts the broker's address from the lines below its name, which a label states, if
// nothing else states it.
func (d *Reader) BrokersAddressBelow(firm string) {
	if firm == "" || d.Best("broker_address") != "" {
		return
	}
	for i, l := range d.Lines {
		text := strings.TrimRight(strings.TrimSpace(l.Text+l.Value), " ,.")
		if l.Table != nil || l.At.Quoted || len(text) > maxFirmLine || !strings.HasSuffix(text, firm) {
			continue
		}
		var lines []string
		for n := i + 1; n < len(d.Lines) && n-i <= maxAddressLines; n++ {
			below := d.Lines[n]
			text := strings.TrimSpace(below.Text)
			if d.BetweenLines(n) || len(lines) == 0 && attention.MatchString(text) {
				continue
			}
			if text == "" || below.At.Part != l.At.Part || strings.ContainsAny(text, ":@\t") || len(text) > maxAddressLine || len(parse.Dates(text, d.Order)) > 0 {
				break
			}
			lines = append(lines, text)
			whole := strings.Join(lines, ", ")
			if a := address.Parse(whole); parse.WrittenAddress(a) && a.Street != "" && parse.HasDigit(a.Street) {
				d.Propose("broker_address", whole, source.Signature, fitBelow, d.Lines[i+1].At)
				return
			}
		}
	}
}

// attention matches a line that names a person between a firm and its address.
var attention = vocabulary.Pattern(`(?i)^{{contacts.person}}\b`)

// Limits of an address below the broker's name.
const (
	maxAddressLines = 6  // with a line that names a person
	maxAddressLine  = 60 // bytes
	fitBelow        = 0.9
)

// letterheadPhone matches a telephone number with its label, or one that stands alone.
var letterheadPhone = vocabulary.Pattern(`(?i)(?:^|[\s|·•,;])(?:{{contacts.phone|contacts.phone letter}})\b\.?\s*:?\s*[+(\d]|^[\s+()\d./-]+$`)

// headAddress returns the address in a line of a letterhead: in one of its parts, or in two parts beside
// each other.
func headAddress(text string) string {
	pieces := headGap.Split(text, maxPieces)
	for _, joined := range []int{1, 2} {
		for i := 0; i+joined <= len(pieces); i++ {
			piece, _, _ := strings.Cut(strings.Join(pieces[i:i+joined], ", "), ". ")
			piece = strings.Trim(piece, " ,.")
			if found, _ := parse.AddressesIn(piece); len(found) > 0 {
				return found[0]
			}
			if a := address.Parse(piece); len(piece) <= parse.MaxAddress && parse.WrittenAddress(a) && a.Street != "" && parse.HasDigit(piece) {
				return piece
			}
		}
	}
	return ""
}

const maxPieces = 8 // of a line of a letterhead
