package letters

import (
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
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
		case company != "" && parse.FitsDomain(company, email):
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

const fitBeside = 0.9

// personIn matches the names of persons within a text.
var personIn = vocabulary.Pattern(`\p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?(?: \p{Lu}\.?)?(?: {{names.particle}})*(?: \p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?){1,2}`)

// ownerOf returns the person named in a text whose mail address it is; "" if there is none.
func ownerOf(email, text string) string {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	local = parse.Unaccented(local)
	for _, name := range personIn.FindAllString(words.Cut(text, layout.MaxLine), maxOwners) {
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
