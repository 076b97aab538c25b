package parse

import (
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// yearValue finds a year. It accepts "1,992", as a spreadsheet can format a year.
func yearValue(text string) (string, float64, bool) {
	if yearNumber.MatchString(text) {
		text = strings.Replace(text, ",", "", 1)
	}
	return found(YearForm)(text)
}

var yearNumber = lazyregexp.New(`^\s*[12],\d{3}\s*$`)

func found(form *lazyregexp.Regexp) textRule {
	return func(text string) (string, float64, bool) {
		m := form.FindString(text)
		if len(text) > len(m)+40 {
			return m, 0.7, m != ""
		}
		return m, 1, m != ""
	}
}

// andOthers matches the words after the name of a firm that is insured together with others.
var andOthers = vocabulary.Pattern(`(?i)[,;]?\s+(?:{{names.as listed}}|and (?:all |any )?(?:(?:its|their|all|any|other) )?{{names.related}})\b.*$`)

// companyValue accepts the name of a firm: a few words, not a sentence.
func companyValue(text string) (string, float64, bool) {
	text = withoutLabel(andOthers.ReplaceAllString(words.OneLine(text), ""))
	if inside, ok := strings.CutPrefix(text, "("); ok {
		text = strings.TrimSuffix(inside, ")")
	}
	name := LegalName.FindStringIndex(text)
	if i := strings.IndexAny(text, "(["); i > 2 && (name == nil || name[0] > i || name[1] < i) { // not "Alder (Holdings) Ltd"
		text = text[:i]
	}
	if m := TradingAs.FindStringIndex(text); m != nil && m[0] > 2 {
		text = text[:m[0]]
	}
	text = withoutType(text)
	text = strings.Trim(words.Cut(text, 200), " ,;:-–—|*\"“”")
	if strings.HasSuffix(text, southEast) && DigitsForm.MatchString(text[:1]) && address.IsStreet(text) {
		return "", 0, false
	}
	if m := codeFirst.FindString(text); m != "" && (len(strings.TrimSpace(m)) > maxNumberInName || NamesBroker(text[len(m):])) && LegalName.MatchString(text[len(m):]) && !isState(NameKey(text[len(m):])) { // not "1234567 Ontario Inc"
		text = text[len(m):]
	}
	if m := leadingFirm.FindString(text); m != "" && LegalAtStart.MatchString(text[len(m):]) {
		text = text[len(m):]
	}
	count := words.Count(text)
	if count == 0 || count > 12 || strings.HasSuffix(text, "?") || HasDigit(text[:1]) && !LegalName.MatchString(text) && address.IsStreet(text) || !wordForm.MatchString(text) || len([]rune(text)) < 3 || Sentence.MatchString(text) ||
		DocTitle.MatchString(text) || EmailForm.MatchString(text) || len(Dates(text, UnknownOrder)) > 0 || words.Missing(text) || IsNoName(text) || covers.OnlyTitle(text) {
		return "", 0, false
	}
	if m, isLabel := recognise.Label(text); isLabel && m.Doubt == 0 && (m.From == source.Label || m.From == source.Composed) && !LegalName.MatchString(text) {
		return "", 0, false
	}
	if IsAnswer(text) && !(wordBeforeName.MatchString(text) && LegalAtStart.MatchString(text)) { // not "No Frills Foods LLC"
		return "", 0, false
	}
	if !strings.ContainsFunc(text, unicode.IsUpper) && !unicode.IsDigit([]rune(text)[0]) && !legalEnd(text) {
		return "", 0, false // "organized in"
	}
	fit := 1.0
	if !words.Capital(text) && !unicode.IsDigit([]rune(text)[0]) || count > 8 {
		fit = 0.7
	}
	return text, fit, true
}

// wordBeforeName matches a capitalised word before another one without punctuation between them.
var wordBeforeName = lazyregexp.New(`^\p{Lu}\pL* \p{Lu}`)

// withoutType removes a description of the firm after its name: "Quill Inc., a craft brewery", "Quill Inc. a Delaware
// corporation".
func withoutType(text string) string {
	name := LegalAtStart.FindStringIndex(text)
	if name == nil {
		return text
	}
	after := text[name[1]:]
	fields := strings.Fields(strings.TrimLeft(after, ", "))
	if len(fields) < 2 || len(fields) > maxTypeWords || !vocabulary.Set("legal_forms.article")[fields[0]] {
		return text
	}
	if strings.HasPrefix(after, ",") && !words.Capital(fields[1]) {
		return text[:name[1]]
	}
	last := bareType(fields[len(fields)-1])
	if !vocabulary.Set("legal_forms.head")[last] && !IsLegalForm(words.BareKey(last)) {
		return text
	}
	return text[:name[1]]
}

const maxTypeWords = 8 // "a New York domestic limited liability company"

// leadingFirm matches words such as "firm" before a name: "Firma Erle Druckerei GmbH".
var leadingFirm = vocabulary.Pattern(`(?i)^{{names.firm}}\s+`)

// legalEnd reports whether the last word of a text is a legal form.
func legalEnd(text string) bool {
	return IsLegalForm(words.BareKey(text[strings.LastIndex(text, " ")+1:]))
}

// brokerValue accepts the name of a broker.
func brokerValue(text string) (string, float64, bool) {
	if code := producerCode.FindString(text); code != "" && NamesBroker(text[len(code):]) {
		text = text[len(code):]
	}
	name, fit, ok := companyValue(text)
	return name, fit, ok && (!DescribesFirm(name) || collective.MatchString(name)) && !isRegistration(name)
}

// collective matches the end of a firm's name that otherwise consists of words for brokers: "Risk Solutions
// Group".
var collective = vocabulary.Pattern(`(?i)\s\S+\s{{firms.collective}}$`)

// producerCode matches the number of a broker before its name: "22-0719 Birch Agency".
var producerCode = lazyregexp.New(`^\s*(?:#\s?)?(?:[A-Z]{1,3}-?)?\d{2,}(?:[-./]\d+)*\s*[-–:/]?\s+`)

// isRegistration reports whether a text is a number in a register, such as "ORIAS 00 000 000".
func isRegistration(text string) bool {
	digits, letters := 0, 0
	for _, c := range text {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			letters++
		}
	}
	return digits >= minRegistration && digits >= letters
}

const minRegistration = 6 // digits

// IsNoName reports whether a text below a label for a name is known not to be a name.
func IsNoName(text string) bool {
	return vocabulary.Set("names.no name")[words.Key(text)] || IsOnlyType(text) || dutchCode.MatchString(text)
}

// dutchCode matches a Dutch postal code whose letters are a legal form, such as "3511 AB".
var dutchCode = lazyregexp.New(`^\d{4} [A-Z]{2}$`)

// deskName matches a department that is named instead of a person.
var deskName = vocabulary.Pattern(`(?i)^(?:[a-z&]+ ){1,3}{{names.some person}}$`)

// PersonValue accepts the name of a person, alone or followed by contact details.
func PersonValue(text string) (string, float64, bool) {
	text = EmailForm.ReplaceAllString(words.OneLine(text), "")
	text = PhoneForm.ReplaceAllString(text, "")
	if i := strings.IndexAny(text, "(,;|<–/"); i > 2 {
		text = text[:i]
	}
	if i := strings.Index(text, " - "); i > 2 {
		text = text[:i]
	}
	text = strings.Trim(text, " .:-")
	text = text[len(title.FindString(text)):]
	count := words.Count(text)
	if count == 0 || count > 5 || HasDigit(text) || len([]rune(text)) < 3 || !words.Capital(text) || Sentence.MatchString(text) || words.Missing(text) || IsNoName(text) {
		return "", 0, false
	}
	if _, isLabel := recognise.LabelForms()[words.Key(text)]; isLabel {
		return "", 0, false
	}
	if answer, _ := YesNo(text); answer != "" {
		return "", 0, false
	}
	if LegalName.MatchString(text) || (firmWords.MatchString(text) || firmEnd.MatchString(text)) && !deskName.MatchString(text) {
		return "", 0, false
	}
	fit := 1.0
	if count == 1 {
		fit = 0.6
	}
	return text, fit, true
}

// NoReply matches a mail address that is not read.
var NoReply = lazyregexp.New(`(?i)^(?:(?:no|do[-_.]?not)[-_.]?reply|mailer-daemon|postmaster|bounces?)\b`)

// EmailValue finds a mail address.
func EmailValue(text string) (string, float64, bool) {
	m := EmailForm.FindString(text)
	if a, err := mail.ParseAddress(text); err == nil {
		m = a.Address
	}
	if NoReply.MatchString(m) {
		return "", 0, false
	}
	return m, 1, m != ""
}

// PhoneValue finds a telephone number.
func PhoneValue(text string) (string, float64, bool) {
	text = EmailForm.ReplaceAllString(text, " ")
	for _, place := range PhoneForm.FindAllStringIndex(text, 5) {
		m := text[place[0]:place[1]]
		if before, _ := utf8.DecodeLastRuneInString(text[:place[0]]); IsLetter(before) {
			continue // "DE123456789"
		}
		if gap := numberGap.FindStringIndex(m); gap != nil && len(DigitsForm.FindAllString(m[:gap[0]], -1)) >= minPhone {
			m = m[:gap[0]] // the match has two numbers, or other text follows
		}
		if strings.HasSuffix(text[:place[0]], ",") {
			m = strings.TrimPrefix(m, "000 ") // "$200,000 555-010-0170"
		}
		digits := len(DigitsForm.FindAllString(m, -1))
		if digits >= 7 && digits <= 17 && len(Dates(m, UnknownOrder)) == 0 && !longZIP.MatchString(m) && !fileNumber.MatchString(m) && !otherNumber.MatchString(m) {
			// A bracket before the area code belongs to the number, an extension does not.
			return strings.TrimSpace(m[:len(m)-len(phoneExtension.FindString(m))]), 1, true
		}
	}
	return "", 0, false
}

// numberGap matches a separator between a telephone number and another number.
var numberGap = lazyregexp.New(`\s[/–—-]\s`)

// longZIP matches a ZIP code with its extension.
var longZIP = lazyregexp.New(`^\s*\d{5}-\d{4}\s*$`)

// fileNumber matches a number that begins with the year, such as that of a file: "2027/0815".
var fileNumber = lazyregexp.New(`^\s*(?:19|20)\d\d/\d{1,5}\s*$`)

// otherNumber matches the end of an amount with the start of the next sentence, and a number with six or more
// decimals: "000 (2026). 29", "300.000000".
var otherNumber = lazyregexp.New(`\)\.\s|^\s*\d{1,3}\.\d{6,}\s*$`)

// phoneExtension matches the extension after a telephone number.
var phoneExtension = lazyregexp.New(`\s*(?:x|ext\.?|extension)\s*\d{1,6}$`)

func websiteValue(text string) (string, float64, bool) {
	m := WebsiteForm.FindString(EmailForm.ReplaceAllString(text, " "))
	return strings.TrimRight(m, "./"), 1, m != ""
}

// CountValue finds a number of people or things.
func CountValue(text string) (string, float64, bool) {
	if number, _, ok := strings.Cut(text, "("); ok && HasDigit(number) {
		text = number // "41 (wages £1.48m)"
	}
	if len(Dates(text, UnknownOrder)) > 0 || strings.ContainsAny(text, "$£€%") {
		return "", 0, false
	}
	m := countForm.FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	number := strings.ReplaceAll(m[1], ",", "")
	return number, 1, number != "0"
}

func periodValue(text string) (string, float64, bool) {
	if m := PeriodForm.FindStringSubmatch(text); m != nil {
		number := strings.ToLower(m[1])
		if n, ok := vocabulary.Classes("dates.number")[number]; ok {
			number = n
		}
		unit := vocabulary.Classes("dates.unit")[strings.ToLower(m[2])]
		return strings.TrimLeft(number, "0") + " " + unit, 1, true
	}
	number := text
	if m := shortPeriod.FindStringSubmatch(text); m != nil {
		number = m[1]
	}
	if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil && n >= 3 && n <= 72 {
		return strconv.Itoa(n) + " months", 0.9, true
	}
	return "", 0, false
}

// shortPeriod matches a period with a short word for months at the end of a text: "BI (12m", "24 mon".
var shortPeriod = vocabulary.Pattern(`(?i)\b(\d{1,2})\s?-?(?:{{dates.short months}})[.)]*\s*$`)

func codeValue(text string) (string, float64, bool) {
	text = words.OneLine(text)
	if i := strings.IndexAny(text, ",;("); i > 3 {
		text = text[:i]
	}
	text, _, _ = strings.Cut(text, ". ")
	text = strings.Trim(text, " .")
	return text, 1, len(text) <= 30 && len(DigitsForm.FindAllString(text, -1)) >= 3
}

func proseValue(text string) (string, float64, bool) {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) < 4 || !strings.ContainsFunc(text, unicode.IsLower) && len(text) < 8 || HasDigit(text[:1]) && len(text) < 12 {
		return "", 0, false
	}
	if answer, _ := YesNo(text); answer != "" {
		return "", 0, false
	}
	return words.Cut(text, 2000), 1, true
}

func addressValue(text string) (string, float64, bool) {
	if PhoneForm.FindString(text) == strings.TrimSpace(text) {
		return "", 0, false // a number under "Office"
	}
	text = withoutAddressLabel(WithoutClause(words.OneLine(EmailForm.ReplaceAllString(text, ""))))
	if len(text) < 6 || len(text) > 300 || Sentence.MatchString(text) || words.Count(text) > 30 {
		return "", 0, false
	}
	a := address.Parse(text)
	switch {
	case a.PostalCode != "" || a.City != "" && (a.State != "" || a.Country != ""):
		return text, 1, true
	case HasDigit(text) || a.City != "" || address.IsStreet(text):
		return text, 0.8, true
	}
	return text, 0.5, strings.Contains(text, ",")
}

// WithoutClause removes what follows an address after its postal code, unless it is a country or a province:
// "12 Main St, Dayton, OH 45402, effective 1/1/2027".
func WithoutClause(text string) string {
	ends := postalEnds(text, -1)
	if len(ends) == 0 {
		return text
	}
	last := ends[len(ends)-1]
	end := last[1]
	if shortCode.MatchString(text[last[0]:end]) {
		end = behindTown(text, end)
	}
	if rest := strings.TrimLeft(text[end:], " "); rest != "" && strings.ContainsAny(rest[:1], ",;.(") && !CountryLine(rest) && !isProvince(text, rest) && WrittenAddress(address.Parse(text[:end])) {
		return text[:end]
	}
	return text
}

// isProvince reports whether an address ends with the name of its province: "39740 Santoña (Cantabria)".
func isProvince(text, end string) bool {
	name := strings.Trim(end, " ,()")
	return len(name) > len("PD") && address.Parse(text).State == name
}

func clockValue(text string) (string, float64, bool) {
	found := Clocks(text, UnknownOrder)
	if len(found) == 0 {
		return "", 0, false
	}
	return strings.TrimSpace(found[0]), 1, true
}

// Clocks returns the first two times of day in a text. The day and the month of a date, "01.03.2027", are no time.
func Clocks(text string, o DateOrder) []string {
	for _, d := range Dates(text, o) {
		text = text[:d.Start] + strings.Repeat(" ", d.End-d.Start) + text[d.End:]
	}
	return clockForm.FindAllString(text, 2)
}

// southEast is a direction at the end of a street's name, but also the legal form of European companies.
const southEast = " SE"

const maxNumberInName = 5 // digits of a number at the start of a company's name: "1200 Elm Partners LP"

// codeFirst matches a number that stands before the name of an agency.
var codeFirst = lazyregexp.New(`^\d[\d-]{3,}\s+`)
