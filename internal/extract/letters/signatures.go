package letters

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// readSignatures extracts the broker's details from the block under a closing line.
func (d *Reader) readSignatures(number int, part content.Part) {
	sender := ""
	if part.Mail != nil {
		if !internal(part.Mail) {
			sender, _, _ = parse.EmailValue(parse.EmailForm.FindString(part.Mail.From))
		}
	}
	found := 0
	if to := d.answeredByInsurer(number, part.Mail); to != "" {
		sender = to
	}
	for i, l := range d.Lines {
		if l.At.Part != number || l.Text == "" || !layout.IsClosing(l.Text) {
			continue
		}
		if l.At.Quoted && sender != "" && !d.signedBy(d.Lines[i+1:], senderName(part.Mail, sender), sender) {
			continue // the addressee of a reply, who may work for an insurer
		}
		if found++; found > 20 {
			return
		}
		d.signature(d.Lines[i+1:], l.At, sender)
	}
	if found == 0 && part.Mail != nil {
		d.unclosed(number, part, sender)
	} else if found == 0 {
		d.unclosedText(number)
	}
}

// signedBy reports whether the lines are the signature of the mail's sender, as found
// in an older mail of the same sender.
func (d *Reader) signedBy(lines []layout.Line, name, sender string) bool {
	for _, l := range lines[:min(len(lines), 12)] {
		if name != "" && words.BareKey(l.Text) == words.BareKey(turned(name)) || strings.EqualFold(parse.EmailForm.FindString(l.Text), sender) {
			return true
		}
	}
	return false
}

// unclosed finds a signature without a closing line: a line with only the sender's
// name, followed by other lines.
func (d *Reader) unclosed(number int, part content.Part, sender string) {
	from, err := parseSender(part.Mail.From)
	if err != nil || from.Name == "" || sender == "" {
		return
	}
	name := words.BareKey(turned(from.Name))
	for i, l := range d.Lines {
		first, _, _ := strings.Cut(pairs.Gap.Split(l.Text, 2)[0], ",")
		if l.At.Part == number && !l.At.Quoted && words.BareKey(first) == name && i+1 < len(d.Lines) {
			d.signature(d.Lines[i:], l.At, sender)
			return
		}
	}
	d.firstNameOnly(number, turned(from.Name), sender)
}

// firstNameOnly finds a signature that begins with the first name of the sender alone, below
// other text.
func (d *Reader) firstNameOnly(number int, name, sender string) {
	first, _, _ := strings.Cut(name, " ")
	seen := 0
	for i, l := range d.Lines {
		text := strings.Trim(l.Text, " ,.-–")
		if l.At.Part != number || l.At.Quoted || text == "" {
			continue
		}
		if seen++; seen > 1 && strings.EqualFold(text, first) && i+1 < len(d.Lines) {
			d.signature(d.Lines[i:], l.At, sender)
			return
		}
	}
}

// unclosedText finds the signature of a mail that was saved as text: a line further
// down with only the name in the header, or a person above a broker, below a sentence.
func (d *Reader) unclosedText(number int) {
	name, head, sentence := "", 0, false
	for i, l := range d.Lines {
		if l.At.Part != number || l.Text == "" {
			continue
		}
		if signedInLine(l.Text) {
			d.signature(d.Lines[i:], l.At, "")
			return
		}
		if head > mailHead && d.contactBelow(i) {
			d.signature(d.Lines[i+1:], l.At, "")
			return
		}
		if sentence = sentence || parse.Sentence.MatchString(l.Text); sentence && d.aboveFirm(i) {
			d.signature(d.Lines[i:], l.At, "")
			return
		}
		if head++; name == "" && head <= mailHead {
			if m := layout.QuotedFrom.FindStringSubmatch(l.Text); m != nil {
				first, _, _ := strings.Cut(strings.NewReplacer("<", ",", "(", ",").Replace(m[1]), ",")
				name = words.BareKey(first)
			}
			continue
		}
		if name != "" && len(name) > 5 && words.BareKey(l.Text) == name && i+1 < len(d.Lines) {
			d.signature(d.Lines[i:], l.At, "")
			return
		}
	}
}

// aboveFirm reports whether line i is the name of a person, and the next one that of a broker.
func (d *Reader) aboveFirm(i int) bool {
	person, _, _ := strings.Cut(d.Lines[i].Text, ",")
	if i+1 == len(d.Lines) || !parse.NamesPerson(strings.TrimSpace(person)) {
		return false
	}
	firm := d.Lines[i+1].Text
	return len(firm) <= maxFirm && parse.NamesBroker(firm) && !parse.InsurerName.MatchString(firm) && !strings.ContainsAny(firm, ":@")
}

const maxFirm = 80 // bytes of a line that consists of the name of a firm

// underwriterTitle matches the job title under an underwriter's name.
var underwriterTitle = vocabulary.Pattern(`(?i)^(?:{{job_titles.underwriter rank}}\s+)*{{job_titles.underwriter}}\b`)

// besideTitle matches the name of a person on the same line as the title of an underwriter.
var besideTitle = vocabulary.Pattern(`(?:^|[\s:.,(])((?:\p{Lu}[\pL'’.-]*\s){1,3}\p{Lu}[\pL'’-]+)\s*[,(–-]\s*(?i:{{job_titles.underwriter rank}}\s+)*(?i:{{job_titles.underwriter}})\b`)

const maxTitleLine = 300 // bytes of a line with the title of an underwriter

// readUnderwriter extracts the name above an underwriter's title.
func (d *Reader) readUnderwriter() {
	var above layout.Line
	for _, l := range d.Lines {
		if l.Table != nil && !l.At.Quoted && d.tables.Taken[l.Table] == nil {
			for _, row := range l.Table.Rows[:min(len(l.Table.Rows), layout.MaxPairRows)] {
				for _, c := range row[:min(len(row), layout.MaxFormCells)] {
					d.namedUnderwriter(c.Text, layout.CellPlace(l.At, c))
				}
			}
		}
		text := strings.TrimSpace(l.Text)
		if text == "" {
			continue
		}
		d.namedUnderwriter(text, l.At)
		if len(text) < 80 && underwriterTitle.MatchString(text) && !strings.Contains(text, ":") && above.At.Part == l.At.Part && len(above.Text) < 50 && !strings.Contains(above.Text, ":") {
			if _, _, person := parse.PersonValue(above.Text); person && words.Count(above.Text) >= 2 {
				d.Propose("underwriter", above.Text, source.Subject, 1, above.At)
			}
		}
		above = l
	}
}

// namedUnderwriter proposes the person whom a text names beside the title of an underwriter.
func (d *Reader) namedUnderwriter(text string, at source.Place) {
	if len(text) >= maxTitleLine || !strings.Contains(strings.ToLower(text), "underwrit") {
		return
	}
	for _, form := range []*lazyregexp.Regexp{besideTitle, behindTitle} {
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if name := strings.Join(m[1:], ""); parse.IsPerson(name) {
			d.Propose("underwriter", name, source.Signature, 1, at)
		}
	}
}

// behindTitle matches the name of a person after the title or the department of an underwriter:
// "Property Underwriting, Ms Ada Quill".
var behindTitle = vocabulary.Pattern(`\b(?i:{{job_titles.before underwriter}})\s*:?\s+((?:\p{Lu}[\pL'’.-]*\s){1,2}\p{Lu}[\pL'’-]+)|` +
	`\b(?i:{{job_titles.underwriting}})\b[^,\n]{0,30},\s*(?i:{{names.form of address}})\.?\s+(?:Dr\.\s*)?((?:\p{Lu}[\pL'’.-]*\s){1,2}\p{Lu}[\pL'’-]+)`)

var afterSignature = vocabulary.Pattern(`(?i)^{{letters.from|letters.sent|letters.to|letters.subject}}\s*:|^(?:on .* {{letters.wrote}}|{{letters.after signature}})\b|^[-_]{4,}`)

func (d *Reader) signature(lines []layout.Line, at source.Place, sender string) {
	var block []layout.Line
	for _, l := range lines {
		if len(block) >= 10 || l.At.Part != at.Part || l.Table != nil || l.At.Quoted != at.Quoted || l.At.Line > at.Line+24 || len(l.Text) > maxSigned && len(piecesOfSignature(l.Text)) < minPieces {
			break
		}
		if t := strings.TrimSpace(l.Text); t != "" {
			if afterSignature.MatchString(t) {
				break
			}
			if l.Text = withoutRegister(l.Text); l.Text != "" {
				block = append(block, l)
			}
		}
	}
	role := roleOf(block)
	if role == ofInsurer {
		return
	}
	firm, email, phone, person := -1, "", "", ""
	subject := strings.ToLower(d.subjectOf(at.Part))
	name := ""
	client := false // the subject of the mail contains the firm, so the sender is on the insured's staff
	for n, l := range block {
		for _, piece := range piecesOfSignature(l.Text) {
			if e := parse.EmailForm.FindString(piece); e != "" && email == "" {
				email = e
			}
			if _, _, ok := parse.PhoneValue(piece); ok && phone == "" && len(parse.DigitsForm.FindAllString(piece, -1)) >= 9 {
				phone = parse.PhoneForm.FindString(piece)
			}
			if parse.WebsiteForm.FindString(piece) == piece || firm >= 0 || n > 4 {
				continue
			}
			if rest, titled := afterTitle(piece); titled {
				if rest != "" {
					firm, name = n, rest
				}
				continue
			}
			first, _, _ := strings.Cut(strings.ToLower(piece), " ")
			switch {
			case strings.Contains(l.Text, "|") && len(first) > 4 && !SubjectWord.MatchString(first) && strings.Contains(subject, first) && !strings.Contains(piece, "@"):
				firm, client, name = n, true, piece
			case parse.LegalName.MatchString(piece), parse.NamesBroker(piece),
				sender != "" && n > 0 && parse.FitsDomain(piece, sender) && !strings.Contains(piece, "@") && !strings.Contains(piece, "www"):
				firm, name = n, piece
			}
		}
		if n == 0 {
			person = l.Text
		}
	}
	if email == "" {
		email = sender
	}
	if firm < 0 && (email == "" || parse.FirmOf(email) == "") && phone == "" {
		return
	}
	if m := parse.LegalName.FindString(name); m != "" {
		name = m
	}
	if name != "" && parse.InsurerName.MatchString(name) && !parse.NamesBroker(name) {
		d.Propose("insurer", name, source.Signature, 1, at)
		return
	}
	if role == ofClient && sender != "" && name != "" && !parse.NamesBroker(name) && !parse.BrokersDomain(sender) {
		client = true
		d.clients[at.Part] = true
	}
	names := [4]string{"broker_name", "broker_contact_points", "broker_email", "broker_contact_phone"}
	if named := d.Best("company_name"); client || named != "" && (parse.NameKey(named) == parse.NameKey(name) || email != "" && parse.FitsInsured(named, email)) {
		names = [4]string{"company_name", "contact_name", "email_id", "phone_number"}
	}
	if firm >= 0 {
		d.Propose(names[0], name, source.Signature, 1, block[firm].At)
	}
	d.Propose(names[1], person, source.Signature, 1, at)
	d.Propose(names[2], email, source.Signature, 1, at)
	d.Propose(names[3], phone, source.Signature, 1, at)
	if names[0] == "broker_name" {
		d.signatureAddress("broker_address", block[min(max(firm+1, 1), len(block)):])
		if firm >= 0 {
			d.firmAddress(block[firm])
		}
	} else if role == ofClient {
		d.signatureAddress("address", block[min(max(firm+1, 1), len(block)):])
	}
}

// firmAddress extracts an address that follows the firm on its line.
func (d *Reader) firmAddress(l layout.Line) {
	m := parse.LegalName.FindStringIndex(l.Text)
	if m == nil {
		return
	}
	rest := withoutNumbers(strings.Trim(l.Text[m[1]:], " ,|–-"))
	if a := address.Parse(rest); parse.WrittenAddress(a) && a.Street != "" {
		d.Propose("broker_address", rest, source.Signature, 0.9, l.At)
	}
}

// signatureAddress extracts the address from the lines under a firm: the line with the
// postal code, and the lines above it that begin with the street.
func (d *Reader) signatureAddress(field string, lines []layout.Line) {
	for n, l := range lines {
		if !parse.HasDigit(l.Text) || !addressLine(l.Text) || len(parse.Dates(l.Text, d.Order)) > 0 {
			continue // it has no postal code
		}
		written := withoutNumbers(l.Text)
		a := address.Parse(written)
		if a.PostalCode == "" {
			continue
		}
		if !parse.HasDigit(a.Street) && !address.IsStreet(a.Street) {
			above := ""
			for k := n - 1; k >= max(n-3, 0) && addressLine(lines[k].Text) && !parse.JobTitle.MatchString(lines[k].Text); k-- {
				above = lines[k].Text + "\n" + above
				if parse.HasDigit(lines[k].Text) || address.IsStreet(lines[k].Text) {
					written = above + written
				}
			}
		}
		d.Propose(field, written, source.Signature, 0.9, l.At)
	}
}

// addressLine reports whether a line of a signature can be part of an address.
func addressLine(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.ContainsAny(text, "@:") && !phoneLine.MatchString(text) && parse.PhoneForm.FindString(text) != text && parse.WebsiteForm.FindString(text) != text
}
