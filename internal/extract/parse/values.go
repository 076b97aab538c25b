// Package parse reads typed values: dates, amounts of money, answers, names, addresses and
// others. Its functions return the value in the form of its field and how well the text
// fits, from 0 to 1.
package parse

import (
	"strings"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// EmailForm matches a mail address, WebsiteForm a domain with its scheme and path, and PhoneForm a
// text that can be a telephone number. YearForm matches a year from 1600 to 2049, clockForm a time
// of day, DigitsForm a digit, and Sentence running text.
var (
	EmailForm   = lazyregexp.New(`[A-Za-z0-9][A-Za-z0-9._%+'\-]*@[A-Za-z0-9](?:[A-Za-z0-9\-]*\.)+[A-Za-z]{2,}`)
	WebsiteForm = vocabulary.Pattern(`(?i)\b(?:https?://)?((?:www\.)?[a-z0-9](?:[a-z0-9\-]*\.)+{{domains.ending}}\b(?:/[^\s,;)]*)?)`)
	PhoneForm   = lazyregexp.New(`(?:\+|\b00)?\(?\d[\d().\-‐‑–/\s]{5,20}\d(?:\s*(?:x|ext\.?|extension)\s*\d{1,6})?`)
	YearForm    = lazyregexp.New(`\b(1[6-9]\d\d|20[0-4]\d)\b`)
	countForm   = lazyregexp.New(`^\D{0,30}?(\d{1,3}(?:,\d{3})+|\d{1,7})\b`)
	PeriodForm  = vocabulary.Pattern(`(?i)\b(\d{1,3}|{{dates.number}})\s*(?:\(\d+\)\s*)?[- ]?({{dates.unit}})\b`)
	naicsForm   = lazyregexp.New(`\b(\d{6}|\d{4,5})\b`)
	sicForm     = lazyregexp.New(`\b\d{4}\b`)
	feinForm    = lazyregexp.New(`\b(\d{2}-?\d{7}|\d{3}-\d{2}-\d{4})\b`)
	clockForm   = lazyregexp.New(`(?i)\b(?:[01]?\d|2[0-4])[:.][0-5]\d(?:\s*(a\.?m\b\.?|p\.?m\b\.?)|\b)`)
	wordForm    = lazyregexp.New(`\pL\pL|^\d\pL$|\pL&\pL`)
	DigitsForm  = lazyregexp.New(`\d`)
	Sentence    = sentences{vocabulary.Pattern(`[a-z]{2}[.!?]\s+[A-Z]|(?i:\b{{running_text.sentence}}\b)`)}
	shortened   = vocabulary.Pattern(`(?i)\b{{running_text.shortened}}\.`)
	limitTail   = vocabulary.Pattern(`(?i)[\s,:–\-]*(?:\b{{limits.before amount}}\b|\bwith \d)?[\s:]*(?:{{money.sign}}|\b{{money.code}}\b)\s*[\d.,]+.*$`)
)

// Digits are the digits of numbers.
const Digits = "0123456789"

// HasDigit reports whether a text contains a digit.
func HasDigit(text string) bool {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			return true
		}
	}
	return false
}

// sentences matches running text; a point after an abbreviation does not end a
// sentence.
type sentences struct{ form *lazyregexp.Regexp }

// MatchString reports whether a text contains running text.
func (s sentences) MatchString(text string) bool {
	return s.form.MatchString(text) && s.form.MatchString(shortened.ReplaceAllString(text, " "))
}

// Value returns the text in the form that the field's kind requires, and how well it
// fits. It returns false if the text cannot be a value of the field.
func Value(name string, kind field.Kind, text string, o DateOrder) (string, float64, bool) {
	text = strings.Trim(strings.TrimSpace(text), "|•·\t ")
	if words.Missing(text) {
		return "", 0, false
	}
	switch kind {
	case field.Date:
		return DateValue(text, o)
	case field.Money:
		return moneyText(text)
	case field.Indicator:
		answer, fit := YesNo(text)
		return answer, fit, answer != ""
	}
	if rule, ok := TextRules[name]; ok {
		return rule(text)
	}
	text = words.OneLine(text)
	return words.Cut(text, 300), 1, len(text) > 1
}

// leastAmong is the smallest amount without a currency that counts among other words. It is
// above the years.
const leastAmong = 2_100_00

// leastAlone is the smallest amount without a currency. Smaller numbers are taken for counts.
const leastAlone = 100_00

// AccountYear matches a text that is only a plausible financial year.
var AccountYear = lazyregexp.New(`^\s*(?:201[5-9]|20[23]\d)\s*$`)

func moneyText(text string) (string, float64, bool) {
	dates := Dates(text, UnknownOrder)
	for _, d := range dates {
		text = text[:d.Start] + strings.Repeat(" ", d.End-d.Start) + text[d.End:]
	}
	if AccountYear.MatchString(text) {
		return "", 0, false // "Revenue 2025", above the amount
	}
	f, ok := FindMoney(text)
	if ok && len(dates) > 0 && !f.Currency {
		return "", 0, false // a date, and perhaps a number
	}
	if !ok || f.Amount <= 0 || !f.Currency && (f.Amount < leastAlone || f.Fit < 1 && f.Amount < leastAmong) {
		return "", 0, false
	}
	if len(text) > 200 {
		f.Fit *= 0.8
	}
	return f.Amount.String(), f.Fit, true
}

// limitValue accepts "name: amount" as the value of a limit by name.
func limitValue(text string) (string, float64, bool) {
	at := strings.LastIndex(text, ": ")
	if at <= 0 {
		return "", 0, false
	}
	sum, fit, ok := moneyText(text[at+2:])
	return strings.Trim(words.OneLine(text[:at]), " :") + ": " + sum, fit, ok
}

type textRule = func(text string) (string, float64, bool)

// TextRules are the functions that check fields of text with a particular form.
var TextRules = map[string]textRule{
	"company_name":                    companyValue,
	"broker_name":                     brokerValue,
	"insurer":                         companyValue,
	"email_id":                        EmailValue,
	"broker_email":                    EmailValue,
	"phone_number":                    PhoneValue,
	"broker_contact_phone":            PhoneValue,
	"website":                         websiteValue,
	"contact_name":                    PersonValue,
	"broker_contact_points":           PersonValue,
	"underwriter":                     PersonValue,
	"year_founded":                    yearValue,
	"total_full_time_employees":       CountValue,
	"total_part_time_employees":       CountValue,
	"total_number_of_locations":       CountValue,
	field.PowerUnits:                  CountValue,
	"underwriter_email":               EmailValue,
	field.NamedLimits:                 limitValue,
	"deductible":                      limitValue,
	"business_interruption_period":    periodValue,
	"primary_naics_2012":              found(naicsForm),
	"primary_sic":                     found(sicForm),
	"fein":                            found(feinForm),
	"ern_number":                      codeValue,
	"vat_number":                      codeValue,
	"company_number":                  codeValue,
	"bureau_number":                   codeValue,
	"company_description":             proseValue,
	"address":                         addressValue,
	"broker_address":                  addressValue,
	"policy_inception_effective_time": clockValue,
	"policy_end_time":                 clockValue,
	"state":                           stateValue,
	"broker_state":                    stateValue,
	"postal_code":                     postalValue,
	"broker_postal_code":              postalValue,
	"city":                            cityValue,
	"broker_city":                     cityValue,
	"risk_country":                    countryValue,
	"legal_entity_type":               entityValue,
	"programme_type":                  programmeValue,
	"field_office":                    shortValue,
	"product":                         productValue,
	"coverage":                        ListedValue,
	"form_submission_type":            ListedValue,
	"dba_aka":                         shortValue,
	"registered_in_countries":         countryValue,
	"assets_in_countries":             countryValue,
	"product_sold_in_countries":       countryValue,
}

func stateValue(text string) (string, float64, bool) {
	if code, _, ok := address.State(text); ok {
		return code, 1, true
	}
	text = words.OneLine(text)
	return text, 0.8, len(text) <= 40 && len(text) > 1 && !HasDigit(text) && !strings.Contains(text, ",")
}

func postalValue(text string) (string, float64, bool) {
	text = words.OneLine(text)
	return text, 1, len(text) >= 3 && len(text) <= 12 && HasDigit(text)
}

func cityValue(text string) (string, float64, bool) {
	text = words.OneLine(text)
	return text, 1, len(text) <= 60 && len(text) > 1 && !HasDigit(text) && !Sentence.MatchString(text)
}

func countryValue(text string) (string, float64, bool) {
	if iso, _, ok := address.Country(words.OneLine(text)); ok {
		return iso, 1, true
	}
	return "", 0, false
}

func shortValue(text string) (string, float64, bool) {
	text = words.OneLine(text)
	if answer, _ := YesNo(text); answer != "" {
		return "", 0, false
	}
	return text, 1, len(text) <= 80 && len(text) > 1 && !Sentence.MatchString(text) && strings.ContainsFunc(text, unicode.IsLetter)
}

// entityValue returns the ticked one of several legal forms.
func entityValue(text string) (string, float64, bool) {
	if m := tickedForm.FindStringSubmatch(text); m != nil {
		text = strings.Trim(m[1], " /|,")
	} else if openBox.MatchString(text) {
		return "", 0, false
	}
	return shortValue(text)
}

// tickedForm matches a ticked box and the text behind it.
var tickedForm = lazyregexp.New(Ticked + `\s*([^☐□▢\[(☒☑\n]+?)(?:\s{2,}|\s*(?:` + Ticked + `|` + Unticked + `)|\s*$)`)

// programmeValue rejects text in capitals, which is more often the header of the next
// column than the name of a programme.
func programmeValue(text string) (string, float64, bool) {
	if !strings.ContainsFunc(text, unicode.IsLower) {
		return "", 0, false
	}
	return shortValue(text)
}

// notCovers matches headers and labels that stand where an entry of a list is expected.
var notCovers = vocabulary.Pattern(`(?i)^(?:not )?{{limits.selection}}\b[\s\d?]*$|^{{limits.no cover}}\s*$|: |_[xX]_`)

// ListedValue accepts an entry of a list, such as a product or a coverage, without its limit.
func ListedValue(text string) (string, float64, bool) {
	text = strings.Trim(limitTail.ReplaceAllString(words.OneLine(text), ""), " -–•*.:,")
	if answer, _ := YesNo(text); answer != "" || words.Missing(text) || !strings.ContainsFunc(text, unicode.IsLetter) || openBox.MatchString(text) || notCovers.MatchString(text) {
		return "", 0, false
	}
	return text, 1, len(text) <= 90 && len(text) > 1 && !Sentence.MatchString(text) && words.Count(text) <= 10
}

// productValue accepts a line of business. A limit of a policy is not one, and neither is a row of
// boxes.
func productValue(text string) (string, float64, bool) {
	if strings.EqualFold(strings.TrimSpace(text), "x") || limitOfPolicy.MatchString(text) || covers.RunsOn(text) {
		return "", 0, false
	}
	if at := including.FindStringIndex(text); at != nil && at[0] > 0 && len(covers.Lines(text[:at[0]])) > 0 {
		text = text[:at[0]] // "Property incl. flood"
	}
	return ListedValue(text)
}

// including matches the words before what a line of business includes.
var including = vocabulary.Pattern(`(?i)[\s,(–-]+{{connectives.including}}[\s.]`)

// limitOfPolicy matches the name of a limit: "Completed operations aggregate".
var limitOfPolicy = vocabulary.Pattern(`(?i)\b{{limits.of policy}}\b`)

// Entries splits the value of a list field.
func Entries(text string) []string {
	separators := ";\n•|"
	if !strings.ContainsAny(text, separators) {
		separators = ","
	}
	var out []string
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0 && strings.ContainsRune(separators, r):
			if r == ',' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				continue
			}
			out, start = append(out, text[start:i]), i+len(string(r))
		}
	}
	return append(out, text[start:])
}
