package names

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const (
	topOfPart  = 12 // lines of text at the top of a part
	topOfTitle = 4  // lines that can hold the title of a document, and words of the title before a name
)

// NameAtTop extracts the insured from the top of the first document, if nothing else names
// it: a line that is the name of a company, or a letterhead, which is a name above an
// address.
func (d *Reader) NameAtTop() {
	seen := 0
	for i, l := range d.Lines {
		text := strings.TrimSpace(pairs.WithoutMarkup(l.Text))
		if l.At.Part != 0 || l.At.Quoted || l.Table != nil || text == "" {
			continue
		}
		if seen++; seen > topOfPart {
			break
		}
		if label, value, ok := strings.Cut(text, ": "); ok && seen <= topOfTitle {
			if _, known := recognise.Label(label); !known && words.Count(label) <= topOfTitle && words.Capital(label) && !parse.NamesBroker(text) && !parse.InsurerName.MatchString(value) {
				text = value // "Account Summary: Quill LLC"
			}
		}
		if len(text) > 80 || parse.NamesBroker(text) || parse.InsurerName.MatchString(text) || experts.MatchString(text) || covers.OnlyTitle(text) || strings.ContainsAny(text, ":@") {
			continue
		}
		name := parse.LegalName.FindString(text)
		switch {
		case name != "" && len(name) >= len(strings.TrimRight(text, "."))-1:
			d.Propose("company_name", text, source.Guess, 1, l.At)
			return
		case seen == 1 && words.Count(text) >= 2 && words.Capital(text) && d.aboveAddress(i):
			d.Propose("company_name", text, source.Guess, 0.9, l.At)
			return
		}
	}
	d.nameInTitles()
}

// AddressBelow proposes the address below the insured's name as the insured's, and reports
// whether there is one. A line with a person's name or with the insured's trading name can
// stand between the name and the address.
func (d *Reader) AddressBelow(i int) bool {
	if i+1 < len(d.Lines) {
		next := strings.TrimSpace(d.Lines[i+1].Text)
		if letters.Salutation.MatchString(next) || namesTrade(next) {
			i++
		}
	}
	return d.aboveAddress(i)
}

// namesTrade reports whether a line begins with words such as "trading as", and a name follows.
func namesTrade(text string) bool {
	const most = 3 // words before the name
	for at, n := strings.IndexByte(text, ' '), 0; at > 0 && n < most; n++ {
		if m, ok := recognise.Known(text[:at]); ok && m.Field == "dba_aka" {
			return words.Capital(text[at+1:])
		}
		next := strings.IndexByte(text[at+1:], ' ')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// aboveAddress reports whether an address stands on the lines below line i, and proposes it
// as the insured's.
func (d *Reader) aboveAddress(i int) bool {
	var kept []string
	for n := 1; n <= 4 && i+n < len(d.Lines); n++ {
		text := strings.TrimSpace(d.Lines[i+n].Text)
		if n == 1 && text == "" && d.isAddressAlone(i+2) {
			continue // the line below is a paragraph of its own
		}
		if text == "" || len(text) > parse.MaxAddress {
			break
		}
		if n == 1 && careOf.MatchString(text) { // "c/o Quill Management, 12 Mill Street, Dayton, OH 45402"
			_, text, _ = strings.Cut(text, ",")
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
		}
		if len(text) > 80 || strings.ContainsAny(text, ":\t") && len(pairs.Split(text)) > 0 {
			break // or a label with its value
		}
		kept = append(kept, text)
		whole := strings.Join(kept, ", ")
		a := address.Parse(whole)
		if a.Street == "" && a.State == "" && a.CountryISO == "" {
			continue // "Account No. 12345"
		}
		if (parse.WrittenAddress(a) || inLowerCase(a)) && parse.HasDigit(kept[0]) {
			d.Propose("address", whole, source.Guess, 1, d.Lines[i+n].At)
			return true
		}
	}
	return false
}

// isAddressAlone reports whether a line is a complete address and a paragraph of its own.
func (d *Reader) isAddressAlone(i int) bool {
	if i >= len(d.Lines) || i+1 < len(d.Lines) && strings.TrimSpace(d.Lines[i+1].Text) != "" {
		return false
	}
	text := strings.TrimSpace(d.Lines[i].Text)
	a := address.Parse(text)
	first, _, _ := strings.Cut(text, ",")
	return len(text) < parse.MaxAddress && parse.HasDigit(first) && !strings.ContainsAny(text, "|·•:@") && parse.WrittenAddress(a) && parse.HasDigit(a.Street)
}

// isSender reports whether the domain of the broker's mail address fits the name of a firm. It returns false if a broker's
// firm is known, or if the domain fits the insured.
func (d *Reader) isSender(name string) bool {
	email, known := d.Best("broker_email"), d.Best("broker_name")
	return email != "" && (known == "" || parse.PersonName.MatchString(known)) && words.Count(name) > 1 && parse.FitsDomain(name, email) && !parse.FitsInsured(d.Best("company_name"), email)
}

// careOf matches the beginning of a line with the firm that receives the mail of another one.
var careOf = vocabulary.Pattern(`(?i)^{{names.care of}}[.:]?\s`)

// inLowerCase reports whether an address is complete, apart from its capitals.
func inLowerCase(a address.Address) bool {
	return a.State != "" && a.CountryISO != "" && a.PostalCode != "" && a.Street != "" && parse.HasDigit(a.Street[:1])
}

// BrokersHead extracts the broker from a letterhead or a footer: a line with the broker's name
// and address.
func (d *Reader) BrokersHead() {
	for i, l := range d.Lines {
		if l.Text == "" || len(l.Text) > maxHead || l.At.Quoted || !parse.HasDigit(l.Text) {
			continue
		}
		text := headGap.ReplaceAllString(l.Text, ", ")
		found, _ := parse.AddressesIn(text)
		name, written := headOf(l.Text)
		if first, rest, ok := pairs.CutAt(headGap, l.Text); name == "" && ok && !parse.HasDigit(first) && d.isSender(first) {
			name, written = strings.TrimSpace(first), headGap.ReplaceAllString(rest, ", ")
		}
		if name != "" {
			found = []string{written}
		} else if len(found) == 0 {
			continue
		}
		at := max(strings.Index(text, found[0]), 0)
		if name == "" {
			name = strings.Trim(words.OneLine(text[:at]), " ,|•–-")
		}
		described := name != "" && parse.DescribesFirm(name)
		if (name == "" || described) && i > 0 && d.Lines[i-1].At.Part == l.At.Part {
			name = strings.TrimSpace(d.Lines[i-1].Text)
		}
		if letters.NamesFirms(name) {
			continue
		}
		if len(name) > 80 || !described && !parse.NamesBroker(name) && !d.isSender(name) || parse.InsurerName.MatchString(name) && !parse.NamesBroker(name) || !words.Capital(name) || strings.ContainsAny(name, ":@?") || parse.Sentence.MatchString(name) {
			continue
		}
		known := d.Best("broker_name")
		if known != "" && !parse.PersonName.MatchString(known) && !sameFirm(known, name) {
			continue
		}
		if known == "" || parse.PersonName.MatchString(known) {
			d.Propose("broker_name", name, source.Signature, 1, l.At)
		}
		d.Propose("broker_address", found[0], source.Signature, 1, l.At)
		d.Drop("it is beside the broker's name", func(c resolve.Reading) bool {
			return c.Field == "address" && c.Part == l.At.Part && c.Place == l.At.Line && strings.HasPrefix(c.Text, name)
		})
		if phone := parse.PhoneForm.FindString(text[at+len(found[0]):]); len(parse.DigitsForm.FindAllString(phone, -1)) >= minPhone {
			d.Propose("broker_contact_phone", phone, source.Signature, 0.8, l.At)
		}
		return
	}
}

// headOf returns the broker's name and address from a line whose parts are separated by gaps, dashes
// and bars: "Quill Brokers | 12 Mill Street, Dayton, OH 45402 | 555-010-0170".
func headOf(text string) (name, written string) {
	pieces := piecesOf(text)
	for n, p := range pieces {
		if n+1 < len(pieces) && parse.NamesBroker(p) && !parse.DescribesFirm(p) && firmLike(p) {
			if written = addressIn(strings.Join(pieces[n+1:], "  ")); written != "" {
				return p, written
			}
		}
	}
	return "", ""
}

const minPhone = 9 // digits

// headGap matches what separates the parts of a letterhead.
var headGap = lazyregexp.New(`,?\s*(?:[·•|]|\s[–—-]\s|\s{3})\s*`)

const maxHead = 300 // bytes of a letterhead or a footer

// sameFirm reports whether one name is the beginning of the other.
func sameFirm(a, b string) bool {
	a, b = parse.NameKey(a), parse.NameKey(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
