package assign

import (
	"strings"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

const (
	maxFitting = 120 // bytes of a text that is known to be a value by its form alone
	maxAround  = 12  // letters and digits around a value of a strict form
)

// Fits reports whether the form of a text shows that it is a value of a field. Such a value needs
// no mark between it and the label beside or above it.
func (r *Assigner) Fits(name, text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxFitting || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "?") {
		return false
	}
	if name == "legal_entity_type" { // the name of a legal form is also a known label: "Corporation"
		return len(text) <= MaxLabel && parse.IsCompanyType(text)
	}
	if _, label := recognise.LabelForms()[words.Key(text)]; label {
		return false
	}
	first, rest, _ := strings.Cut(text, "\n")
	switch name {
	case "~name", "~legal_name", "company_name", "broker_name", "insurer":
		return parse.LegalAtStart.MatchString(text) || properName(first) && (parse.NamesBroker(first) || addressedBelow(text, rest))
	case "~contact", "contact_name", "broker_contact_points", "underwriter":
		_, fit, ok := parse.PersonValue(text)
		return ok && fit == 1 && parse.PersonName.MatchString(strings.TrimSpace(contactTail.Split(first, 2)[0]))
	case "~street", "~street2":
		return parse.HasDigit(text) && (address.IsStreet(text) || addressStart.MatchString(text))
	case "address", "~address", "broker_address":
		a := address.Parse(words.OneLine(text))
		return parse.WrittenAddress(a) || parse.AddressWords(text) && parse.HasDigit(text) && (address.IsStreet(a.Street) || addressStart.MatchString(a.Street)) && !strings.ContainsAny(text, "$£€@")
	case "~city_line":
		a := address.Parse(text)
		return a.City != "" && a.Street == "" && (a.PostalCode != "" || a.State != "")
	case "~city":
		return properName(text) && !parse.HasDigit(text) && strings.Count(text, " ") < 4
	case "~state":
		_, _, ok := address.State(text)
		return ok
	case "~postal_code":
		_, _, ok := parse.Value("postal_code", field.Text, text, r.Order)
		return ok && strings.Count(text, " ") <= 1
	case "primary_naics_2012", "primary_sic":
		return !strings.ContainsFunc(text, unicode.IsLetter) && r.Accepts(name, text)
	case "~country", "risk_country":
		_, _, ok := address.Country(text)
		return ok
	case "coverage", "product":
		return len(vocabulary.Covers().Whole(text, 1)) > 0
	case "dba_aka":
		return properName(text) && strings.Count(text, " ") < MaxLabelWords
	}
	return r.hasStrictForm(name, text)
}

// addressedBelow reports whether the lines below a name are an address.
func addressedBelow(text, rest string) bool {
	return rest != "" && !parse.HasDigit(text[:len(text)-len(rest)]) && parse.HasDigit(rest) && parse.WrittenAddress(address.Parse(words.OneLine(rest)))
}

var (
	// addressStart matches the beginning of an address without a word such as "street".
	addressStart = vocabulary.Pattern(`(?i)^(?:\d|[NSEW]\d{3,5}\b|{{addresses.begins}}\b)`)
	// contactTail matches what follows the name of a person.
	contactTail = lazyregexp.New(`\s*[,;|(–]|\s-\s|\s{2}`)
)

// Accepts reports whether a text can be a value of a field. It is less strict than Fits.
func (r *Assigner) Accepts(name, text string) bool {
	if strings.HasPrefix(name, "~") {
		if name = FieldsByParty[name][0]; name == "" {
			return false
		}
	}
	_, fit, ok := parse.Value(name, candidate.Kinds[name], text, r.Order)
	return ok && fit >= minAccepted
}

const minAccepted = 0.8 // fit of a value below its label in a box

// properName reports whether all words of a text begin with a capital letter or a digit. The
// small words within names are allowed too.
func properName(text string) bool {
	for n, w := range strings.Fields(text) {
		w = strings.Trim(w, "(),.&")
		if w == "" || words.Capital(w) || strings.Contains(parse.Digits, w[:1]) || n > 0 && parse.IsJoiner(w) {
			continue
		}
		return false
	}
	return text != "" && !parse.Sentence.MatchString(text)
}

// hasStrictForm reports whether a text is a date, an amount, a mail or web address or a number of
// the kind that a field requires, with little other text around it.
func (r *Assigner) hasStrictForm(name, text string) bool {
	if len(text) > MaxLabel || strings.HasSuffix(text, ":") {
		return false
	}
	rest := text
	switch {
	case name == "~period" || candidate.Kinds[name] == field.Date:
		for _, f := range parse.Dates(text, r.Order) {
			rest = strings.Replace(rest, text[f.Start:f.End], "", 1)
		}
	case name == "~email" || name == "broker_email" || name == "email_id" || name == "underwriter_email":
		rest = parse.EmailForm.ReplaceAllString(text, "")
	case name == "~website" || name == "website":
		rest = parse.WebsiteForm.ReplaceAllString(text, "")
	case name == "~phone" || name == "broker_contact_phone" || name == "phone_number":
		rest = parse.PhoneForm.ReplaceAllString(text, "")
	case name == "year_founded":
		rest = parse.YearForm.ReplaceAllString(text, "")
	case name == "fein" || name == "vat_number" || name == "company_number":
		if _, _, ok := parse.Value(name, field.Text, text, r.Order); ok && !strings.ContainsAny(text, "$£€@") {
			rest = parse.DigitsForm.ReplaceAllString(text, "")
		}
	case countFields[name] && candidate.Kinds[name] != field.Money && name != "~expiring_premium":
		if !strings.ContainsAny(text, "$£€%") && len(parse.Dates(text, r.Order)) == 0 {
			rest = countOnly.ReplaceAllString(text, "")
		}
	case name == "business_interruption_period":
		if v, _, ok := parse.Value(name, field.Text, text, r.Order); ok && v != "" {
			rest = ""
		}
	case candidate.Kinds[name] == field.Money || name == "~expiring_premium":
		rest = parse.MoneyForm.ReplaceAllString(text, "")
		if around := strings.Fields(text); len(around) > 0 && vocabulary.Set("dates.unit")[around[len(around)-1]] && !strings.ContainsAny(text, "$£€") {
			return false // "12 months" is no amount
		}
	}
	return rest != text && len(words.BareKey(rest)) <= maxAround
}

// countOnly matches a number of people or things.
var countOnly = lazyregexp.New(`\b\d{1,3}(?:,\d{3})+\b|\b\d{1,6}\b`)
