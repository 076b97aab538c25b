package parse

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Details are the parts of a text such as "Birch Agency – Jo Farr – 308-555-0141".
type Details struct {
	Firm, Person, Phone, Email, Address string
}

// DetailsOf splits a text that names a firm or a person together with an address, a telephone
// number or a mail address.
func DetailsOf(text string) (d Details) {
	d.Email = EmailForm.FindString(text)
	text = strings.NewReplacer("<", "", ">", "").Replace(EmailForm.ReplaceAllString(text, ", "))
	if first, rest, ok := strings.Cut(text, "\n"); ok && !HasDigit(first) && !strings.ContainsAny(first, ",;|") {
		d.Firm, text = strings.TrimSpace(first), rest
	} else if m := LegalAtStart.FindString(text); m != "" {
		d.Firm, text = m, text[len(m):]
	}
	if found, _ := AddressesIn(text); len(found) > 0 {
		d.Address = found[0]
		text = strings.Replace(text, found[0], ", ", 1)
		if first, town, ok := strings.Cut(found[0], ","); ok && d.Firm == "" && NamesBroker(first) && !DigitsForm.MatchString(first) {
			d.Firm, d.Address = first, strings.TrimSpace(town) // "Birch Agency, Dayton OH 45402"
		}
	}
	if phone, _, ok := PhoneValue(text); ok && len(DigitsForm.FindAllString(phone, -1)) >= minPhone {
		d.Phone = phone
		text = strings.Replace(text, phone, ", ", 1)
	}
	pieces := detailMarks.Split(text, maxDetails)
	for n, piece := range pieces {
		piece = strings.Trim(phoneLabel.ReplaceAllString(strings.Trim(piece, " .:"), ""), " .:")
		named := title.FindString(piece)
		name := piece[len(named):]
		if job := TitleAndArea.FindString(name); job != "" && d.Firm+d.Person != "" && !NamesBroker(name) {
			name = name[len(job):] // "Vice President"
		}
		switch {
		case name == "":
		case d.Person == "" && IsPerson(name) && (n > 0 || d.Firm != "" || named != "" || namesFirm(pieces[1:])):
			d.Person = name
		case d.Firm == "":
			d.Firm = piece
		}
	}
	return d
}

// namesFirm reports whether one of the texts names a broker, or a company with its legal form.
func namesFirm(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return NamesBroker(text) || LegalAtStart.MatchString(text) })
}

const (
	minPhone   = 9 // digits
	maxDetails = 12
)

var (
	detailMarks = lazyregexp.New(`\s[-–—/]\s|\s*[,;|·•\n()]\s*|\s{2,}|\t`)
	phoneLabel  = vocabulary.Pattern(`(?i)\b{{contacts.phone|contacts.other phone|contacts.other}}\b[.:]?`)
	title       = vocabulary.Pattern(`^(?i:{{names.to}}|{{names.form of address}})\b[.:]?\s+`)
	personForm  = vocabulary.Pattern(`^(?:\p{Lu}\.\s?)*\p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?(?: \p{Lu}\.?)?(?: {{names.particle}})*(?: \p{Lu}[\pL'’]+(?:-\p{Lu}[\pL'’]+)?){0,2}$`)
)

// IsPerson reports whether a text looks like the name of a person, and is not a known label, a firm
// or a place.
func IsPerson(text string) bool {
	if !personForm.MatchString(text) || words.Count(text) < 2 || NamesBroker(text) || LegalName.MatchString(text) || firmEnd.MatchString(text) || InsurerName.MatchString(text) ||
		address.IsStreet(text) || address.IsCity(text, "") || endsInState(text) || address.NamesCountry(text) || IsNoName(text) {
		return false
	}
	_, known := recognise.Known(text)
	return !known
}

// endsInState reports whether a text ends with the code of a state, as a city with its state does.
func endsInState(text string) bool {
	last := text[strings.LastIndexByte(text, ' ')+1:]
	_, _, ok := address.State(last)
	return len(last) == 2 && strings.ToUpper(last) == last && ok
}

// IsJoiner reports whether a word is one of the small words within names.
func IsJoiner(word string) bool {
	return word == "&" || vocabulary.Set("names.joiner")[word] || vocabulary.Set("names.small word")[word]
}
