package letters

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// ReadMails extracts values from the headers and signatures of mails.
func (d *Reader) ReadMails() {
	dated := false // the date of the outer mail is also the date of everything that it contains
	for number, part := range d.Parts {
		d.readSubject(number, part)
		d.readSignatures(number, part)
		if part.Mail == nil {
			d.readLetter(number)
			d.readLetterhead(number)
			d.readPrinted(number)
			d.readSender(number)
			d.readGreeting(number, "")
			continue
		}
		at := source.Place{Part: number, Evidence: readPlace(part)}
		if sent, err := mail.ParseDate(part.Mail.Date); err == nil && !dated {
			from := source.Signature
			if dated = number == 0; dated {
				from = source.Form
			}
			d.Propose("document_date", sent.Format(time.DateOnly), from, 1, at)
		}
		from, err := parseSender(part.Mail.From)
		if err != nil || parse.NoReply.MatchString(from.Address) || part.Depth > 0 && d.Parts[0].Mail != nil {
			continue
		}
		if internal(part.Mail) {
			d.readForwarded(number)
			continue
		}
		if to, err := parseSender(part.Mail.To); err == nil && strings.EqualFold(to.Address, d.answeredByInsurer(number, part.Mail)) {
			from = to
		}
		if domain := parse.FirmOf(from.Address); domain == "" || parse.InsurerName.MatchString(domain) {
			continue
		}
		if !d.clients[number] {
			d.readGreeting(number, part.Mail.To)
		}
		d.Propose("broker_email", from.Address, source.Prose, 1, at)
		if from.Name != "" && !strings.Contains(from.Name, "@") {
			d.Propose("broker_contact_points", turned(from.Name), source.Subject, 1, at)
		}
	}
	d.readUnderwriter()
	if dated {
		d.Drop("the mail has a date", func(c resolve.Reading) bool { return c.Field == "document_date" && c.Part > 0 })
	}
}

// parseSender reads the name and the address of a sender. A name with a comma need not be quoted:
// "Quill, Ada <ada@example.com>".
func parseSender(text string) (*mail.Address, error) {
	from, err := mail.ParseAddress(text)
	if err == nil {
		return from, nil
	}
	name, rest, ok := strings.Cut(text, "<")
	if email := parse.EmailForm.FindString(rest); ok && email != "" {
		return &mail.Address{Name: strings.Trim(strings.TrimSpace(name), `"'`), Address: email}, nil
	}
	return nil, err
}

var printedSent = vocabulary.Pattern(`(?i)^\W*{{letters.sent}}\s*:\s*(.+)$`)

var printedTo = vocabulary.Pattern(`(?i)^\W*{{letters.to}}\s*:`)

// readPrinted extracts the sender of a mail that was printed or saved as text, with
// its header at the top.
func (d *Reader) readPrinted(number int) {
	var from layout.Line
	for i, l := range d.Lines {
		if l.At.Part != number || i > 20 && from.Text == "" {
			continue
		}
		if m := layout.QuotedFrom.FindStringSubmatch(l.Text); m != nil {
			if from.Text != "" {
				return
			}
			from = l
			continue
		}
		if from.Text == "" {
			continue
		}
		if m := printedSent.FindStringSubmatch(l.Text); m != nil {
			d.Propose("document_date", m[1], source.Subject, 1, l.At)
		}
		if !printedTo.MatchString(l.Text) {
			continue
		}
		sender, to := parse.EmailForm.FindString(from.Text), parse.FirmOf(parse.EmailForm.FindString(l.Text))
		if house := parse.FirmOf(sender); house == "" || house == to || parse.InsurerName.MatchString(house) || parse.NoReply.MatchString(sender) {
			return
		}
		d.Propose("broker_email", sender, source.Subject, 1, from.At)
		return
	}
}

// internal reports whether a mail stays within one company, as when an insurer's desk
// forwards a broker's mail: then the broker is in the mail below.
func internal(m *content.Mail) bool {
	from, to := parse.FirmOf(parse.EmailForm.FindString(m.From)), parse.FirmOf(parse.EmailForm.FindString(m.To))
	return from != "" && from == to
}

// readForwarded extracts the sender of the first mail below that came from another
// company.
func (d *Reader) readForwarded(number int) {
	house := parse.FirmOf(parse.EmailForm.FindString(d.Parts[number].Mail.From))
	for _, l := range d.Lines {
		m := layout.QuotedFrom.FindStringSubmatch(l.Text)
		if m == nil || l.At.Part != number {
			continue
		}
		from, err := parseSender(strings.NewReplacer("[mailto:", "<", "]", ">").Replace(strings.TrimSpace(m[1])))
		if err != nil || parse.FirmOf(from.Address) == house {
			continue
		}
		d.Propose("broker_email", from.Address, source.Synonym, 1, l.At)
		if from.Name != "" && !strings.Contains(from.Name, "@") {
			d.Propose("broker_contact_points", turned(from.Name), source.Signature, 1, l.At)
		}
		return
	}
}

func readPlace(part content.Part) content.Place { return content.Place{Part: part.Name} }

// turned returns "Sophie Grant" for "Grant, Sophie".
func turned(name string) string {
	last, first, ok := strings.Cut(name, ", ")
	if ok && !strings.Contains(first, ",") && words.Count(first) <= 2 {
		return first + " " + last
	}
	return name
}

// subjectOf returns the subject of a mail, a printed mail or a letter.
func (d *Reader) subjectOf(number int) string {
	if m := d.Parts[number].Mail; m != nil {
		return m.Subject
	}
	if d.Parts[number].Depth > 0 {
		return ""
	}
	greeted := false
	for i, l := range d.Lines {
		if i > 40 || l.At.Part != number {
			break
		}
		label, value, _ := strings.Cut(l.Text, ":")
		if vocabulary.Set("letters.subject")[strings.ToLower(strings.TrimSpace(label))] {
			return strings.TrimSpace(value)
		}
		// The line under the salutation of a letter, unless it is part of the letter's
		// text.
		if text := strings.TrimSpace(pairs.WithoutMark(l.Text)); greeted && text != "" {
			if len(text) < 110 && words.Capital(text) && (len(pairs.Dashed.Split(text, -1)) > 1 || parse.LegalName.MatchString(label) && value != "") && !strings.ContainsAny(text[len(text)-1:], ".,?!:") {
				return text
			}
			greeted = false
		} else if strings.HasPrefix(text, "Dear ") && len(text) < 60 {
			greeted = true
		}
	}
	return ""
}

// underSubject returns the line under the subject of a letter.
func (d *Reader) underSubject(number int) string {
	for i, l := range d.Lines {
		if i > 40 || l.At.Part != number {
			break
		}
		if label, _, ok := strings.Cut(l.Text, ":"); ok && vocabulary.Set("letters.subject")[strings.ToLower(strings.TrimSpace(label))] && i+1 < len(d.Lines) {
			return d.Lines[i+1].Text
		}
	}
	return ""
}

// joinsCovers reports whether a word consists of the names of several covers: "Property/Liability".
func joinsCovers(word string) bool {
	names := strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '+' })
	return len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return len(vocabulary.Covers().Whole(name, 0)) == 0 })
}

// beginsName reports whether the words begin with a company name whose first word is a number, as in
// "84 Alder Company", or a word that also stands beside names, as in "New Horizons LLC". before is the
// word before them.
func beginsName(before string, fields []string) bool {
	if len(fields) < 2 || SubjectWord.MatchString(strings.Trim(fields[1], ",.()")) || !parse.LegalAtStart.MatchString(strings.Join(fields, " ")) {
		return false
	}
	return (before == "" || strings.EqualFold(before, "for")) && (numberInName.MatchString(fields[0]) || wordOfName.MatchString(fields[0]))
}

// readSubject extracts the insured's name from a subject: any name with a legal form,
// and other names only if the subject is about insurance.
func (d *Reader) readSubject(number int, part content.Part) {
	text, from := d.subjectOf(number), source.Subject
	trade := text
	if part.Mail == nil {
		trade += " " + d.underSubject(number)
	}
	for mark := replyMark.FindStringIndex(text); mark != nil && mark[0] == 0; mark = replyMark.FindStringIndex(text) {
		text = text[mark[1]:]
	}
	at := source.Place{Part: number, Line: 1 << 20, Evidence: readPlace(part)}
	for _, p := range subjectAt.Split(text, -1) {
		p = strings.TrimSpace(p)
		kept := []string{}
		fields := strings.Fields(p)
		// Insurance terms around the name are removed.
		before := ""
		for len(fields) > 0 && !beginsName(before, fields) && (SubjectWord.MatchString(strings.Trim(fields[0], ",.()")) || joinsCovers(fields[0])) {
			before, fields = fields[0], fields[1:]
		}
		for len(fields) > 0 && SubjectWord.MatchString(strings.Trim(fields[len(fields)-1], ",.()")) {
			fields = fields[:len(fields)-1]
		}
		kept = append(kept, fields...)
		name := strings.Join(kept, " ")
		if legal := parse.LegalAtStart.FindString(name); legal != "" && strings.HasPrefix(name[len(legal):], ",") {
			name = legal // "Quill GmbH, Beginn"
		}
		if len(kept) == 0 || len(kept) > 7 || !words.Capital(name) && !parse.LegalAtStart.MatchString(name) || parse.NamesBroker(name) || parse.InsurerName.MatchString(name) {
			continue
		}
		if !parse.LegalName.MatchString(name) && (len(kept) < 2 || !tradeWords.MatchString(trade)) {
			continue
		}
		if covers.OnlyTitle(name) {
			continue
		}
		d.Propose("company_name", name, from, 1, at)
		if dates := parse.Dates(text, d.Order); len(dates) > 0 {
			break
		}
	}
	if startWords.MatchString(text) {
		if all := parse.Dates(text, d.Order); len(all) > 0 {
			d.Propose("policy_inception_date", text[all[0].Start:all[0].End], from, 1, at)
		}
	}
	if renewalWord.MatchString(trade) {
		d.Propose("form_submission_type", "Renewal", from, 1, at)
	} else if newWords.MatchString(trade) {
		d.Propose("form_submission_type", "New Business", from, 1, at)
	}
	if quoteWords.MatchString(text) {
		at.Line++
		d.Propose("form_submission_type", "Quote", from, 1, at)
	}
}
