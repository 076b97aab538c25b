package assign

import (
	"strings"
	"unicode"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// desk matches a department that receives mail.
var desk = vocabulary.Pattern(`(?i)\b{{firms.department}}\b`)

// withoutArticle returns a name without an article in small letters before it: "die Quill GmbH".
func withoutArticle(name string) string {
	article, rest, ok := strings.Cut(name, " ")
	if ok && article == strings.ToLower(article) && vocabulary.Parties().Means(article, "article") && words.Capital(rest) {
		return rest
	}
	return name
}

// ProposeName proposes a name, and the text that can surround it: a trading name, and the
// address on the lines below.
func (r *Assigner) ProposeName(name, value string, from source.Kind, fit float64, at source.Place) {
	if m := parse.TradingAs.FindStringSubmatch(value); m != nil {
		r.Propose("dba_aka", strings.Trim(m[1], " .,"), from, fit, at)
	}
	value = brokenCode.ReplaceAllString(withoutArticle(value), "$1$2")
	if found, before := parse.AddressesIn(value); len(found) == 1 && strings.TrimSpace(before[0]) == "" && strings.HasPrefix(strings.TrimSpace(value), found[0]) && parse.HasDigit(found[0][:1]) {
		field := "address" // without a name, as in "Corporate: 5 Mill Street, Reno, NV 89501"
		if name == "broker_name" {
			field = "broker_address"
		}
		r.Propose(field, found[0], source.Synonym, fit*0.9, at)
		return
	}
	if m := described.FindStringIndex(value); m != nil && name == "company_name" && !parse.LegalName.MatchString(value) {
		value = value[:m[0]] // "Quill Counseling Services, a California nonprofit"
	}
	first, rest, more := strings.Cut(value, "\n")
	if name, beside, ok := strings.Cut(first, "\t"); ok && parse.HasDigit(beside) {
		first, rest, more = name, beside+"\n"+rest, true
	}
	if more {
		rest = strings.TrimPrefix(parse.TradingAs.ReplaceAllString(rest, ""), "\n")
	}
	if !more && parse.HasDigit(value) {
		// The name and the address are on one line.
		if m := parse.LegalAtStart.FindString(value); m != "" {
			m += nameNumber.FindString(value[len(m):])
			first, rest = m, value[len(m):]
		} else if strings.Count(value, ",") >= 2 && !parse.HasDigit(value[:strings.Index(value, ",")]) {
			first, rest, _ = strings.Cut(value, ",")
		} else if at := addressBegin.FindStringIndex(value); at != nil && strings.ContainsFunc(value[at[1]:], unicode.IsLetter) {
			first, rest = value[:at[0]], value[at[0]:]
		}
		if found, _ := parse.AddressesIn(rest); len(found) > 0 {
			rest = found[0]
		}
	}
	r.Propose(name, first, from, fit, at)
	for _, m := range words.Bracketed.FindAllString(rest, 3) {
		if inner, text, ok := inBrackets(m); ok {
			r.Propose(inner, text, source.Synonym, fit, at)
		}
		rest = strings.ReplaceAll(rest, m, "")
	}
	rest = r.detailsBelow(name, rest, fit, at)
	if rest = strings.Trim(rest, " ,\n.-–"); r.Fits("address", rest) {
		field := "address"
		if name == "broker_name" {
			field = "broker_address"
		}
		r.Propose(field, rest, source.Synonym, fit*0.9, at)
	}
}

// detailsBelow proposes the lines below a name that are a telephone number, a mail address or a website,
// and returns the other lines.
func (r *Assigner) detailsBelow(name, text string, fit float64, at source.Place) string {
	fields, ok := map[string][3]string{"company_name": {"phone_number", "email_id", "website"}, "broker_name": {"broker_contact_phone", "broker_email"}}[name]
	if !ok || !strings.Contains(text, "\n") {
		return text
	}
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch phone := parse.PhoneForm.FindString(line); {
		case line != "" && phone == line && len(parse.DigitsForm.FindAllString(phone, -1)) >= minPhone:
			r.Propose(fields[0], line, source.Synonym, fit*0.9, at)
		case line != "" && parse.EmailForm.FindString(line) == line:
			r.Propose(fields[1], line, source.Synonym, fit*0.9, at)
		case fields[2] != "" && line != "" && parse.WebsiteForm.FindString(line) == line:
			r.Propose(fields[2], line, source.Synonym, fit*0.9, at)
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

const minPhone = 9 // digits

// brokenCode matches an American postal code that is broken at its hyphen.
var brokenCode = lazyregexp.New(`(\b\d{5}-)\n(\d{4}\b)`)

// nameNumber matches the number after the name of an organisation: "Condominium Corporation No.
// 9982".
var nameNumber = vocabulary.Pattern(`^\s(?i:{{fillers.number}})\.?\s?\d{1,6}\b`)

// addressBegin matches the beginning of an address behind a name on the same line.
var addressBegin = vocabulary.Pattern(`,?\s+(?:{{addresses.begins behind name}}\s+)?#?\d`)

// inBrackets reads a label with its value in brackets behind a name: "(Co. Reg. No. 04418852)".
func inBrackets(text string) (name, value string, ok bool) {
	text = strings.Trim(text, "()[]")
	at := parse.DigitsForm.FindStringIndex(text)
	if at == nil {
		return "", "", false
	}
	m, ok := recognise.Label(strings.TrimRight(text[:at[0]], " :"))
	return m.Field, text[at[0]:], ok && !strings.HasPrefix(m.Field, "~") && !recognise.NamesFirm(m.Field)
}

// ProposeBroker proposes the value of a broker's label: the firm, or a person with the
// firm.
func (r *Assigner) ProposeBroker(value string, from source.Kind, fit float64, at source.Place) {
	d := parse.DetailsOf(value)
	r.Propose("broker_email", d.Email, source.Synonym, fit, at)
	r.Propose("broker_contact_phone", d.Phone, source.Synonym, fit, at)
	r.Propose("broker_contact_points", d.Person, source.Synonym, fit, at)
	r.Propose("broker_address", d.Address, source.Synonym, fit, at)
	r.placed = r.placed || d.Address != ""
	if m := contactIn.FindStringSubmatchIndex(value); m != nil {
		r.Propose("broker_contact_points", value[m[2]:m[3]], source.Synonym, fit, at)
		if firm := strings.TrimRight(value[:m[0]], " ,;(–—-"); parse.LegalName.MatchString(firm) || parse.NamesBroker(firm) {
			value = firm // "Quill Insurance, LLC, attn. Jo Farr"
		}
	}
	value = strings.TrimRight(parse.EmailForm.ReplaceAllString(value, ""), " ,;|–—-")
	if before, ok := strings.CutSuffix(value, d.Phone); ok && strings.HasSuffix(strings.TrimRight(before, " "), ",") {
		value = strings.TrimRight(before, " ,")
	}
	if first, rest, ok := pairs.CutAt(personFirm, value); ok && !parse.NamesBroker(first) && words.Count(first) <= 3 && (parse.NamesBroker(rest) || parse.LegalName.MatchString(rest)) {
		r.Propose("broker_contact_points", first, source.Synonym, fit, at)
		value = rest
	}
	if first, rest, ok := pairs.CutAt(personFirm, value); ok && parse.NamesBroker(first) && parse.IsPerson(strings.TrimSpace(rest)) {
		r.Propose("broker_contact_points", rest, source.Synonym, fit, at)
		value = first
	}
	if parse.NamesPerson(strings.TrimSpace(value)) {
		r.Propose("broker_contact_points", value, source.Synonym, fit, at)
	}
	r.ProposeName("broker_name", value, from, fit, at)
}

// described matches a description of a firm after its name, such as ", a California nonprofit".
var described = lazyregexp.New(`,\s+an?\s+(?:[\pL-]+\s*){1,5}$`)

// contactIn matches a person named beside a firm: "Firm (contact Jo Farr, 01823 …)".
var contactIn = vocabulary.Pattern(`(?i:\b{{contacts.person}})\W{1,3}([\p{Lu}][\pL'’-]+(?: [\p{Lu}][\pL'’.-]*){1,2})`)

var personFirm = lazyregexp.New(`\s*(?:,|\s[-–|/]\s|\bof\b|\bat\b)\s*`)
