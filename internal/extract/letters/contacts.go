package letters

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Limits of the search for persons beside mail addresses.
const (
	aboveMail = 4 // texts above a mail address that can name its owner
	belowMail = 2
)

// ContactsByMail extracts the persons to whom mail addresses belong, and their numbers: a
// name beside an address that contains a part of the name. The domain determines for which
// firm they work.
func (d *Reader) ContactsByMail(firm, company string) {
	texts := d.TextsInOrder(d.tables.Taken)
	for i, t := range texts {
		email := parse.EmailForm.FindString(t.Text)
		if email == "" || parse.NoReply.MatchString(email) {
			continue
		}
		fields := [3]string{"broker_contact_points", "broker_contact_phone", "broker_email"}
		switch {
		case company != "" && parse.FitsInsured(company, email):
			fields = [3]string{"contact_name", "phone_number", "email_id"}
		case firm != "" && parse.FitsDomain(firm, email) || strings.EqualFold(email, d.Best("broker_email")):
		default:
			continue
		}
		for n := i; n >= max(i-aboveMail, 0) && texts[n].At.Part == t.At.Part; n-- {
			if name := ownerOf(email, texts[n].Text); name != "" {
				d.Propose(fields[0], name, source.Signature, fitBeside, texts[n].At)
				d.Propose(fields[2], email, source.Signature, fitBeside, t.At)
				break
			}
		}
		if d.Best(fields[1]) != "" {
			continue
		}
		for n := i; n < min(i+1+belowMail, len(texts)) && texts[n].At.Part == t.At.Part; n++ {
			if phone, _, ok := parse.PhoneValue(texts[n].Text); ok && len(parse.DigitsForm.FindAllString(phone, -1)) >= 9 {
				d.Propose(fields[1], phone, source.Signature, fitBeside, texts[n].At)
				break
			}
		}
	}
}

// OwnMail drops the email addresses of other people at the broker if the contact's own email address is known.
func (d *Reader) OwnMail() {
	contact, email := d.Best("broker_contact_points"), d.Best("broker_email")
	isOwn := func(c resolve.Reading) bool { return c.Field == "broker_email" && ownerOf(c.Text, contact) != "" }
	isOthers := func(c resolve.Reading) bool {
		return c.Field == "broker_contact_points" && c.Text != contact && ownerOf(email, c.Text) != ""
	}
	if contact != "" && ownerOf(email, contact) == "" && slices.ContainsFunc(d.Readings, isOwn) && slices.ContainsFunc(d.Readings, isOthers) {
		d.Drop("it is another person's email address", func(c resolve.Reading) bool { return c.Field == "broker_email" && !isOwn(c) })
	}
}

// SentByInsured assigns the details of a mail's sender to the insured if the domain shows that the
// insured itself has sent it, and those of the addressee to the broker if the domain names one.
func (d *Reader) SentByInsured(firm, company string) {
	for number, part := range d.Parts {
		if part.Mail == nil || company == "" {
			continue
		}
		from, err := parseSender(part.Mail.From)
		if err != nil || !parse.FitsInsured(company, from.Address) || firm != "" && parse.FitsDomain(firm, from.Address) {
			continue
		}
		sender := words.BareKey(turned(from.Name))
		d.Edit(func(c *resolve.Reading) {
			switch {
			case c.Part != number || c.Features[resolve.Quoted] > 0:
			case c.Field == "broker_contact_points" && words.BareKey(c.Text) == sender:
				c.Field, c.Group = "contact_name", candidate.Group("contact_name")
			case c.Field == "broker_contact_phone" && c.Features[resolve.Label] == 0:
				c.Field, c.Group = "phone_number", candidate.Group("phone_number")
			}
		})
		to, err := parseSender(part.Mail.To)
		if err != nil || !parse.BrokersDomain(to.Address) || d.Best("broker_email") != "" {
			continue
		}
		at := source.Place{Part: number, Evidence: readPlace(part)}
		d.Propose("broker_email", to.Address, source.Subject, 1, at)
		if to.Name != "" && !strings.Contains(to.Name, "@") {
			d.Propose("broker_contact_points", turned(to.Name), source.Subject, 1, at)
		}
	}
}

// sentBy matches the line at the top of a fax or a memorandum that names its sender.
var sentBy = vocabulary.Pattern(`(?i)^\W*{{letters.from|letters.sender}}\s*:\s*(\S.*)$`)

// readSender extracts the broker from the line of a fax or a memorandum that names its sender:
// "FROM: QUILL INSURANCE AGENCY / ADA QUILL   PH 555-010-0150".
func (d *Reader) readSender(number int) {
	seen, toInsurer := 0, false
	for _, l := range d.Lines {
		text := strings.TrimSpace(l.Text + strings.TrimSpace(l.Label+": "+l.Value))
		if l.At.Part != number || l.At.Quoted || l.Table != nil || l.Text+l.Value == "" {
			continue
		}
		if seen++; seen > maxSenderLine {
			return
		}
		if printedTo.MatchString(text) && addressesInsurer.MatchString(text) {
			toInsurer = true
		}
		m := sentBy.FindStringSubmatch(strings.TrimSuffix(text, ":"))
		if m == nil || len(parse.Dates(m[1], d.Order)) > 0 {
			continue
		}
		details := parse.DetailsOf(m[1])
		if !parse.NamesBroker(details.Firm) && (!toInsurer || details.Firm == "" || details.Person == "" || parse.InsurerName.MatchString(details.Firm)) {
			return
		}
		d.Propose("broker_name", details.Firm, source.Signature, 1, l.At)
		d.Propose("broker_contact_points", details.Person, source.Signature, 1, l.At)
		d.Propose("broker_contact_phone", details.Phone, source.Signature, fitBeside, l.At)
		d.Propose("broker_email", details.Email, source.Signature, fitBeside, l.At)
		return
	}
}

// addressesInsurer matches a line that sends a document to an underwriter.
var addressesInsurer = vocabulary.Pattern(`(?i)\b(?:{{job_titles.underwriter}}|{{job_titles.underwriting}})s?\b`)

const maxSenderLine = 10 // lines of text at the top of a fax

// Signer extracts the person who signs a letter with the broker's letterhead, if nothing else names
// the broker's contact.
func (d *Reader) Signer(firm, company string) {
	if firm == "" || d.Best("broker_contact_points") != "" {
		return
	}
	head, seen, part := false, 0, -1
	for i, l := range d.Lines {
		text := strings.TrimSpace(l.Text)
		if text == "" || l.At.Quoted {
			continue
		}
		if l.At.Part != part {
			part, head, seen = l.At.Part, false, 0
		}
		if seen++; seen <= maxHead && strings.Contains(text, firm) {
			head = true
		}
		if !head || !layout.IsClosing(text) {
			continue
		}
		for _, below := range d.Lines[i+1 : min(i+1+belowClosing, len(d.Lines))] {
			name, _, _ := strings.Cut(strings.TrimSpace(below.Text), ",")
			if name == firm || name == "" {
				continue
			}
			if below.At.Part == part && parse.IsPerson(name) && (company == "" || !strings.Contains(company, name)) {
				d.Propose("broker_contact_points", name, source.Signature, fitBeside, below.At)
			}
			return
		}
	}
}

const (
	maxHead      = 6 // lines of a letterhead
	belowClosing = 6 // lines below a closing, with the space for a signature
)

const fitBeside = 0.9

// personIn matches the names of persons within a text.
var personIn = vocabulary.Pattern(`\p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?(?: \p{Lu}\.?)?(?: {{names.particle}})*(?: \p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?){1,2}`)

// addressed matches the form of address before the name of a person.
var addressed = vocabulary.Pattern(`\b(?i:{{names.form of address}})\b\.?\s`)

// ownerOf returns the person named in a text whose mail address it is; "" if there is none.
func ownerOf(email, text string) string {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	local = parse.Unaccented(local)
	text = addressed.ReplaceAllString(words.Cut(text, layout.MaxLine), ", ") // "steht Ihnen Herr Jens Quill"
	for _, name := range personIn.FindAllString(text, maxOwners) {
		if first, rest, ok := strings.Cut(name, " "); ok && recognise.LabelForms()[words.Key(first)].Field != "" {
			name = rest // without the label of "Contact Jo Farr"
		}
		fields := strings.Fields(parse.Unaccented(strings.ToLower(name)))
		var initials strings.Builder
		for _, w := range fields {
			initials.WriteString(w[:1])
			for part := range strings.SplitSeq(w, "-") {
				if len(part) >= minOwner && strings.Contains(local, part) && !parse.NamesBroker(name) && !parse.LegalName.MatchString(name) {
					return name
				}
			}
		}
		if len(initials.String()) > 1 && local == initials.String() && !parse.NamesBroker(name) {
			return name
		}
	}
	return ""
}

const (
	maxOwners = 10 // names in a text that are compared with a mail address
	minOwner  = 3  // bytes of a part of a name
)

// withoutRegister returns a line of a signature without registration and licence numbers, which look like telephone
// numbers and postal codes: "ABN 12 345 678 901 | AFSL 123456".
func withoutRegister(text string) string {
	pieces := strings.Split(text, "|")
	for i, piece := range pieces {
		if number := parse.RegisterNumber.FindString(piece); number != "" {
			pieces[i] = " " + strings.Trim(piece[len(number):], " ,–-") + " "
		}
	}
	pieces = slices.DeleteFunc(pieces, func(piece string) bool { return strings.TrimSpace(piece) == "" })
	return strings.TrimSpace(strings.Join(pieces, "|"))
}

const mailHead = 8 // lines that can hold the header of a mail saved as text

// contactBelow reports whether line i is a heading such as "Your contact", above the name of a person.
func (d *Reader) contactBelow(i int) bool {
	if len(d.Lines[i].Text) > maxContactHeading || !contactHeading.MatchString(d.Lines[i].Text) {
		return false
	}
	for _, l := range d.Lines[i+1 : min(i+3, len(d.Lines))] {
		if first, _, _ := strings.Cut(l.Text, ","); strings.TrimSpace(l.Text) != "" {
			return l.Table == nil && l.Label == "" && parse.IsPerson(strings.TrimSpace(first))
		}
	}
	return false
}

var contactHeading = vocabulary.Pattern(`(?i)^\W*(?:\d{1,2}[.)]\s*)?{{letters.contact heading}}\W*$`)

const maxContactHeading = 40 // bytes
