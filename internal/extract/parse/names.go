package parse

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const properName = `(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|&)(?: {1,2}(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|\((?:[\p{Lu}][\p{L}. ]{1,20}|(?:19|20)\d\d)\)|&|{{names.joiner}})){0,7}?`

const legalName = `(` + properName + `),? {1,2}((?i:{{legal_forms.any case}})|{{legal_forms.exact case}})\b\.?(?:,? {{legal_forms.second}}\b\.?)?`

// LegalName matches the name of a company with its legal form, LegalAtStart one at the beginning of a
// text.
var (
	LegalName    = vocabulary.Pattern(`\b` + legalName)
	LegalAtStart = vocabulary.Pattern(`^` + legalName)
)

var firmWords = vocabulary.Pattern(`(?i)\b{{firms.broker}}\b`)

var bigFirms = vocabulary.Pattern(`(?i)\b{{firms.big broker}}\b`)

// InsurerName matches words of insurers, the names of big ones, and names such as "Seguros Alerce, S.A."
var InsurerName = vocabulary.Pattern(`(?i)\b{{firms.insurer|firms.big insurer}}\b|\b{{firms.insurer start}} (?-i:(?:\p{Lu}[\pL'’-]*,? ){1,3}){{firms.insurer form}}\b`)

// NamesBroker reports whether a name has a word of brokers or is that of a big broker.
var NamesBroker = func(name string) bool {
	return (firmWords.MatchString(name) || bigFirms.MatchString(name) && !sharesName(name)) && !managesForInsurers(name)
}

// sharesName reports whether the name of a company with its legal form contains the name of a big broker
// only between other words: "Ada Marsh Architects LLP".
func sharesName(name string) bool {
	m := bigFirms.FindStringIndex(name)
	return beforeShared.MatchString(name[:m[0]]) && behindShared.MatchString(name[m[1]:]) && LegalName.MatchString(name)
}

var (
	beforeShared = lazyregexp.New(`(?:^|\s)\p{Lu}\p{Ll}+[ -]$`)
	behindShared = lazyregexp.New(`^ \p{Lu}\p{Ll}+`)
)

// HasBrokersWord reports whether a text has a word of brokers, such as "brokers" or "agency".
func HasBrokersWord(text string) bool {
	return firmWords.MatchString(text) && !managesForInsurers(text)
}

// managesForInsurers reports whether a name is that of a firm that acts on behalf of insurers.
func managesForInsurers(name string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(name), func(m vocabulary.Match) bool { return m.Meaning == "manager" })
}

// PersonName matches the names of persons. The names of some firms have the same form.
var PersonName = vocabulary.Pattern(`^(?:(?i:{{names.form of address}})\.? )?(?:\p{Lu}\p{Ll}+|\p{Lu}\.)(?: \p{Lu}\.?)? \p{Lu}[\p{Ll}'’]+(?:-\p{Lu}\p{Ll}+)?$`)

// NamesPerson reports whether a name has the form of a person's name and no word of firms, so that it is
// not "Quill Specialty".
func NamesPerson(name string) bool {
	return PersonName.MatchString(name) && !NamesBroker(name) && !LegalName.MatchString(name) && !firmEnd.MatchString(name) && !firmStart.MatchString(name)
}

// firmEnd matches the last word of the name of a firm that has the form of a person's name, and firmStart
// the first one.
var (
	firmEnd   = vocabulary.Pattern(`(?i)\s{{firms.name end}}$`)
	firmStart = vocabulary.Pattern(`(?i)^{{firms.name start}}\s`)
)

// TradingAs matches a trade name after the name of a firm.
var TradingAs = vocabulary.Pattern(`(?i)[(,]?\s*\b{{names.trading as}}:?\s+([^)\n;]+)`)

// DocTitle matches the title of a submission or of a statement of values.
var DocTitle = vocabulary.Pattern(`(?i)\b{{names.title}}\b`)

// DescribesFirm reports whether a text says that somebody is a broker, without a name, such
// as "Insurance Consultants".
func DescribesFirm(text string) bool {
	words := vocabulary.Words(text)
	for _, w := range words {
		if !vocabulary.Parties().Means(w, "descriptor") && !YearForm.MatchString(w) {
			return false
		}
	}
	return len(words) > 0
}

// NameKey returns a company's name without its legal form, for comparisons.
func NameKey(name string) string {
	fields := strings.Fields(words.Spread(name))
	for len(fields) > 1 && IsLegalForm(fields[len(fields)-1]) {
		fields = fields[:len(fields)-1]
	}
	if len(fields) > 1 && fields[0] == "the" {
		fields = fields[1:]
	}
	return strings.Join(fields, "")
}

// IsLegalForm reports whether a word, in lower case without points, is a legal form of companies.
func IsLegalForm(word string) bool { return legalForms()[word] }

// IsCompanyType reports whether a text consists of legal forms, of words for types of companies and of
// states, such as the choices "Sole Prop LLC Corporation" or "Delaware LLC". Names of companies may do so
// too; see IsOnlyType.
func IsCompanyType(text string) bool {
	found := false
	for w := range strings.FieldsFuncSeq(text, betweenTypes) {
		if bare := bareType(w); !isTypeWord(bare) && !isState(bare) {
			return false
		}
		found = true
	}
	return found
}

// IsOnlyType reports whether a text is a type of company or a list of them, and not also the name of a
// company: "Private Limited Company", but not "Washington Ltd" or "Family Partnership LLP". A state belongs to
// a type behind an article or before a word in lower case: "a Delaware LLC", "Delaware corporation".
func IsOnlyType(text string) bool {
	if !IsCompanyType(text) {
		return false
	}
	fields := strings.FieldsFunc(text, betweenTypes)
	heads, ofNames, limited := 0, false, false
	for i, w := range fields {
		bare := bareType(w)
		if !isTypeWord(bare) && (!isState(bare) || len(fields) > 1 && !vocabulary.Set("legal_forms.article")[bareType(fields[0])] && (i+1 == len(fields) || words.Capital(fields[i+1]))) {
			return false
		}
		if vocabulary.Set("legal_forms.head")[bare] || IsLegalForm(words.BareKey(bare)) && bare != "limited" {
			heads++
		}
		ofNames = ofNames || vocabulary.Set("legal_forms.in names")[bare]
		limited = limited || bare == "liability" && i > 0 && bareType(fields[i-1]) == "limited"
	}
	if len(fields) < 2 || heads >= minTypes || limited || strings.ContainsAny(text, typeMarks) || !words.Capital(fields[len(fields)-1]) {
		return true
	}
	return heads < 2 && !ofNames
}

const (
	minTypes  = 3 // types that make a list
	typeMarks = "/,;()[]_☐☒"
)

// betweenTypes reports whether a character separates the words of types of companies.
func betweenTypes(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/,()-", r) }

// bareType returns a word in lower case and without marks.
func bareType(word string) string { return strings.Trim(strings.ToLower(word), ".:;&☐☒[]_") }

func isTypeWord(bare string) bool {
	return bare == "" || vocabulary.Set("legal_forms.type")[bare] || IsLegalForm(words.BareKey(bare))
}

func isState(bare string) bool {
	_, _, state := address.State(bare)
	return state
}

var legalForms = sync.OnceValue(func() map[string]bool {
	forms := map[string]bool{}
	for _, name := range []string{"legal_forms.any case", "legal_forms.exact case", "legal_forms.other"} {
		for form := range vocabulary.Set(name) {
			if !strings.Contains(form, " ") {
				forms[words.BareKey(form)] = true
			}
		}
	}
	return forms
})

// TitleName matches a title that names the insured.
var TitleName = vocabulary.Pattern(`(?i)^(?:.*\b{{names.before name}}\b)\s*(?:[-–—:|]|for\b|of\b)\s*(.+)$|^(.+?)\s*[-–—:|]\s*(?:\d{4}\s+)?{{names.after name}}\b.*$`)
