package names

import (
	"strings"
	"unicode"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Limits of the search for the firm of an email domain.
const (
	maxFirms     = 20_000 // texts that are compared with email domains
	maxFirmCells = 2_000  // cells of tables that are searched for a firm
	minFirmKey   = 5      // bytes of the name of a firm that is known only by its domain
)

// FirmByDomain extracts the broker's name if nothing else states it: the firm whose name matches an email domain that
// is neither the insured's nor an insurer's. If the name does not show that the firm is a broker, the firm must be
// named in a page header, or its domain must be that of the broker's known email address, or the only email domain
// that othersEmails finds in the document.
func (d *Reader) FirmByDomain() {
	if d.Best("broker_name") != "" {
		return
	}
	known := parse.FirmOf(d.Best("broker_email"))
	emails := append(d.othersEmails(), d.Best("broker_email"))
	only := onlyDomain(emails)
	texts := d.firmTexts()
	compared := 0
	for _, email := range emails {
		domain := parse.FirmOf(email)
		if domain == "" || parse.InsurerName.MatchString(domain) {
			continue
		}
		for _, t := range texts {
			for _, p := range firmsIn(t.text) {
				if compared++; compared > maxFirms {
					return
				}
				sure := domain == known || domain == only && len(words.BareKey(p)) >= minFirmKey && parse.IsDomainOf(p, email)
				if !firmLike(p) && !(sure && shapedAsFirm(p)) || !parse.FitsDomain(p, email) || strings.EqualFold(p, domain) && words.Count(p) == 1 {
					continue
				}
				if parse.NamesBroker(p) || sure || t.head {
					d.Propose("broker_name", p, source.Signature, 0.9, t.at)
					return
				}
			}
		}
	}
}

// othersEmails returns the email addresses in a document, except those in the domains of the insured, of the
// addressees, and of lines that say where to write.
func (d *Reader) othersEmails() (emails []string) {
	company := d.Best("company_name")
	to := map[string]bool{}
	for _, part := range d.Parts {
		if part.Mail != nil {
			for _, email := range parse.EmailForm.FindAllString(part.Mail.To, maxEmails) {
				to[parse.FirmOf(email)] = true
			}
		}
	}
	for _, l := range d.Lines {
		text := l.Text + l.Value
		if l.Table == nil && strings.Contains(text, "@") && (party.SaysWhereToWrite(text) || toReader.MatchString(l.Text) || toReader.MatchString(l.Label+":")) {
			for _, email := range parse.EmailForm.FindAllString(text, maxEmails) {
				to[parse.FirmOf(email)] = true
			}
		}
	}
	for _, email := range parse.EmailForm.FindAllString(d.Text, maxEmails) {
		if (company == "" || !parse.FitsInsured(company, email)) && !to[parse.FirmOf(email)] {
			emails = append(emails, email)
		}
	}
	return emails
}

// toReader matches the line at the top of a letter that names the addressee.
var toReader = vocabulary.Pattern(`(?i)^\W*{{letters.to}}\s*:`)

// onlyDomain returns the domain of the addresses if they are all in the same one and the first is not that of a
// department, otherwise "".
func onlyDomain(emails []string) string {
	only := ""
	for _, email := range emails {
		domain := parse.FirmOf(email)
		if domain == "" || domain == only {
			continue
		}
		if local, _, _ := strings.Cut(email, "@"); only != "" || sharedBox.MatchString(local) {
			return ""
		}
		only = domain
	}
	return only
}

// firmText is a text that is searched for the name of a firm.
type firmText struct {
	text string
	at   source.Place
	head bool // it is in a page header
}

// firmTexts returns the lines, the values of labels and the cells of tables in which the name of a firm is searched.
func (d *Reader) firmTexts() (texts []firmText) {
	cells := 0
	for _, l := range d.Lines {
		if l.At.Quoted {
			continue
		}
		if l.Table == nil {
			if text := l.Text + l.Value; text != "" && len(text) <= maxFirmLine {
				texts = append(texts, firmText{text, l.At, l.Head})
			}
			continue
		}
		for _, row := range l.Table.Rows[:min(len(l.Table.Rows), layout.MaxPairRows)] {
			for _, c := range row {
				if cells++; cells > maxFirmCells {
					break
				}
				if c.Text != "" && !c.Merged && len(c.Text) <= maxFirmLine {
					texts = append(texts, firmText{text: c.Text, at: layout.CellPlace(l.At, c)})
				}
			}
		}
	}
	return texts
}

// firmsIn returns the parts of a text that can be the name of a firm: pieces in columns, parts between commas, and
// runs of capitalized words in a sentence.
func firmsIn(text string) (names []string) {
	for line := range strings.SplitSeq(pairs.WithoutMarkup(text), "\n") {
		for _, p := range piecesOf(strings.ReplaceAll(line, " @ ", "  ")) {
			if legal := parse.LegalAtStart.FindString(p); legal != "" {
				names = append(names, legal)
			}
			for part := range strings.SplitSeq(p, ", ") {
				if _, value, ok := strings.Cut(part, ": "); ok {
					part = value
				}
				names = append(names, part)
				if capitals := capitalsIn(part); capitals != part {
					names = append(names, capitals)
				}
			}
		}
	}
	return names
}

// capitalsIn returns the first words of a text that begin with capitals, with the short words between them: "Quill &
// Company" in "prepared by Quill & Company for the market".
func capitalsIn(text string) string {
	fields := strings.Fields(text)
	for len(fields) > 0 && (!startsUpper(fields[0]) || len(fields) > 1 && !startsUpper(fields[1]) && fields[1] != "&") {
		fields = fields[1:]
	}
	last := 0
	for n, f := range fields {
		if startsUpper(f) {
			last = n + 1
		} else if f != "&" && len(f) > maxSmallWord || n > last {
			break
		}
	}
	return strings.Trim(strings.Join(fields[:last], " "), ".,;()")
}

const maxSmallWord = 3 // bytes of a word such as "and" within a name

func startsUpper(text string) bool {
	return strings.IndexFunc(text, unicode.IsUpper) == 0
}

// shapedAsFirm reports whether a text that an email domain shows to be the name of a firm has the form of one.
func shapedAsFirm(name string) bool {
	return len(name) <= maxFirmName && words.Capital(name) && words.Count(name) <= maxFirmWords && !strings.ContainsAny(name, ":@?") && !parse.HasDigit(name)
}

const maxFirmName = 80 // bytes
