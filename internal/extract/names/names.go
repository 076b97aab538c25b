// Package names reads the names of the insured and of the broker in titles, letterheads, footers
// and sentences, and what stands beside them.
package names

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Reader reads names.
type Reader struct{ *candidate.Set }

// New returns a reader that proposes candidates for the set.
func New(d *candidate.Set) *Reader { return &Reader{Set: d} }

// Read looks for the insured in titles, letterheads and prose.
func (d *Reader) Read() {
	d.readDescribed()
	counts, first := map[string]int{}, map[string]layout.Line{}
	feet := map[string]int{}
	shown, order := map[string]string{}, []string{}
	preparer := ""
	for i, l := range d.Lines {
		if l.Table != nil && !l.At.Quoted {
			d.namesAtTop(l)
		}
		if l.Text == "" || l.At.Quoted {
			continue
		}
		text := pairs.WithoutMark(l.Text)
		if name := clientIn(d.RanOn(i, text), d.sender(l)); name != "" && !parse.InsurerName.MatchString(name) && !parse.NamesBroker(name) {
			d.Propose("company_name", name, source.Prose, 1, l.At)
		}
		if m := firmName.FindStringSubmatch(text); m != nil && !parse.JobTitle.MatchString(m[1]) && !parse.InsurerName.MatchString(m[1]) {
			d.Propose("broker_name", m[1], source.Guess, 1, l.At)
		}
		if i < 12 && parse.DocTitle.MatchString(text) && len(text) < 100 {
			d.underTitle(i)
		}
		if i < 6 && !l.At.Quoted {
			d.overTitle(i, text)
		}
		if len(text) < 100 {
			d.nameInTitle(text, l.At)
		}
		if l.Head || i < 12 {
			for _, n := range footNames(text) {
				if parse.NamesBroker(n) {
					d.Propose("broker_name", n, source.Prose, 0.9, l.At)
				}
			}
		} else if strings.Contains(strings.ToLower(text), "page") && pageFoot.MatchString(text) {
			// The same firm is in the footers of several pages.
			for _, n := range footNames(text) {
				if feet[n]++; feet[n] == 3 && parse.NamesBroker(n) {
					d.Propose("broker_name", n, source.Prose, 0.9, l.At)
				}
			}
		}
		if !legalEnd.MatchString(text) {
			continue
		}
		for _, m := range parse.LegalName.FindAllStringIndex(text, 20) {
			name := withoutPapers(strings.TrimSpace(text[m[0]:m[1]]))
			key := parse.NameKey(name)
			if _, label := recognise.Known(name); label || len(key) < 4 || parse.IsNoName(name) || parse.IsCompanyType(name) {
				continue
			}
			if counts[key] == 0 {
				first[key], shown[key] = l, name
				order = append(order, key)
			}
			counts[key]++
			if preparedBy.MatchString(text[:m[0]]) && !experts.MatchString(name) && !parse.InsurerName.MatchString(name) {
				preparer = key
			}
		}
	}
	if preparer != "" && len(order) > 1 {
		d.Propose("broker_name", shown[preparer], source.Guess, 1, first[preparer].At)
		order = slices.DeleteFunc(order, func(key string) bool { return key == preparer })
	}
	d.guessName(counts, order, shown, first)
}

// withoutPapers removes words for documents from the beginning of a company name: "Loss Runs for Larch Foods Inc".
func withoutPapers(name string) string {
	papers, company, ok := strings.Cut(name, " for ")
	if !ok || !parse.LegalAtStart.MatchString(company) {
		return name
	}
	for word := range strings.FieldsSeq(papers) {
		if !letters.SubjectWord.MatchString(word) && !letters.SubjectWord.MatchString(strings.TrimSuffix(word, "s")) {
			return name
		}
	}
	return company
}

// preparedBy matches the words before the firm that prepared the document.
var preparedBy = vocabulary.Pattern(`(?i)\b{{stated.made by}} by\W*$`)

// sender returns the mail address of the sender of a line.
func (d *Reader) sender(l layout.Line) string {
	if m := d.Parts[l.At.Part].Mail; m != nil {
		return parse.EmailForm.FindString(m.From)
	}
	return ""
}

// namesAtTop extracts the broker and the insured from the cells at the top of a table: the broker
// by the words of its name, the insured from the cell above the title of a statement of values.
func (d *Reader) namesAtTop(l layout.Line) {
	above := ""
	for _, row := range l.Table.Rows[:min(len(l.Table.Rows), maxTopRows)] {
		title := false
		for _, c := range row {
			text := strings.TrimSpace(c.Text)
			if c.Merged || text == "" || len(text) > maxFirmLine {
				continue
			}
			title = title || parse.DocTitle.MatchString(text) || sumsTitle.MatchString(text)
			for _, p := range piecesOf(text) {
				if person, firm, ok := strings.Cut(p, ", "); ok && parse.IsPerson(person) && parse.NamesBroker(firm) {
					p = firm // "Nora Klein, Birch Insurance Brokers"
				}
				if firmLike(p) && parse.NamesBroker(p) && !parse.DescribesFirm(p) && !covers.OnlyTitle(p) {
					d.Propose("broker_name", p, source.Prose, fitAtTop, layout.CellPlace(l.At, c))
				}
			}
		}
		if title && above != "" && !parse.NamesBroker(above) {
			d.Propose("company_name", above, source.Prose, fitAtTop, l.At)
		}
		above = ""
		if text := layout.OnlyCell(row); firmLike(text) && !covers.OnlyTitle(text) && !parse.DocTitle.MatchString(text) && !sumsTitle.MatchString(text) && words.Count(text) > 1 && capitalWords(strings.Fields(strings.TrimSuffix(text, " and subsidiaries"))) {
			above = text
		}
	}
}

const (
	maxTopRows = 4    // rows at the top of a table, which can name the insured or the broker
	fitAtTop   = 0.85 // of names in these rows
)

// nameInTitle extracts the insured's name from a title such as "Schedule of values for
// Foxglove Bakery".
func (d *Reader) nameInTitle(text string, at source.Place) {
	m := parse.TitleName.FindStringSubmatch(text)
	if m == nil {
		return
	}
	name := m[1] + m[2]
	if words.Count(name) <= 7 && (parse.LegalName.MatchString(name) || words.Count(name) > 1) && !parse.HasDigit(name) && !letters.SubjectWord.MatchString(name) {
		d.Propose("company_name", name, source.Prose, 0.9, at)
	}
}

// overTitle extracts a company's complete name above the title of a document.
func (d *Reader) overTitle(i int, text string) {
	text = strings.TrimSpace(text)
	m := parse.LegalName.FindStringIndex(text)
	if m == nil || m[0] > 0 || m[1] < len(strings.TrimRight(text, ".")) || parse.NamesBroker(text) || parse.InsurerName.MatchString(text) || experts.MatchString(text) {
		return
	}
	for _, l := range d.Lines[i+1 : min(i+5, len(d.Lines))] {
		if l.At.Part == d.Lines[i].At.Part && (parse.DocTitle.MatchString(l.Text) || sumsTitle.MatchString(l.Text)) {
			d.Propose("company_name", text, source.Prose, 1, d.Lines[i].At)
			d.aboveAddress(i)
			return
		}
	}
}

var sumsTitle = vocabulary.Pattern(`(?i)\b{{names.title of values}}\b`)

// underTitle extracts the name on the line under the title of a document.
func (d *Reader) underTitle(i int) {
	for n, l := range d.Lines[i+1:] {
		if n > 2 || l.Table != nil || l.Label != "" {
			return
		}
		if l.Text == "" {
			continue
		}
		name := strings.TrimSpace(pairs.Gap.Split(l.Text, 2)[0])
		fields := strings.Fields(name)
		if len(fields) < 2 || len(fields) > 7 || strings.ContainsAny(name, ":?") || strings.ContainsAny(name, ".0123456789") && !parse.LegalName.MatchString(name) || parse.NamesBroker(name) || parse.InsurerName.MatchString(name) || parse.JobTitle.MatchString(name) {
			return
		}
		if !capitalWords(fields) {
			return
		}
		d.Propose("company_name", name, source.Prose, 0.9, l.At)
		return
	}
}

// capitalWords reports whether all words begin with capitals, apart from small words of names.
func capitalWords(fields []string) bool {
	for _, w := range fields {
		if !words.Capital(w) && w != "and" && w != "of" && w != "&" && w != "the" {
			return false
		}
	}
	return true
}

// experts matches firms that write reports about insured companies.
var experts = vocabulary.Pattern(`(?i)\b{{firms.expert}}\b`)

// guessName assumes that the company named most often is the insured.
func (d *Reader) guessName(counts map[string]int, order []string, shown map[string]string, first map[string]layout.Line) {
	if d.isInvoice() {
		return
	}
	best, broker := "", d.Best("broker_name")
	for _, key := range order {
		if broker != "" && sameFirm(broker, shown[key]) {
			continue
		}
		if !parse.NamesBroker(shown[key]) && !parse.InsurerName.MatchString(shown[key]) && !experts.MatchString(shown[key]) && counts[key] > counts[best] {
			best = key
		}
	}
	if best != "" && (counts[best] > 1 || d.onlyFirm(order, shown)) {
		d.Propose("company_name", shown[best], source.Guess, 1, first[best].At)
	}
	for _, key := range order {
		if parse.NamesBroker(shown[key]) && !parse.InsurerName.MatchString(shown[key]) && !parse.DescribesFirm(legalEnd.ReplaceAllString(shown[key], "")) {
			d.Propose("broker_name", shown[key], source.Guess, 1, first[key].At)
			break
		}
	}
}

// isInvoice reports whether the title of the document is that of an invoice.
func (d *Reader) isInvoice() bool {
	seen := 0
	for _, l := range d.Lines {
		if l.Table != nil || strings.TrimSpace(l.Text) == "" {
			continue
		}
		if invoiceTitle.MatchString(l.Text) {
			return true
		}
		if seen++; seen == maxTitleLines {
			break
		}
	}
	return false
}

const maxTitleLines = 4 // at the top of an invoice

var invoiceTitle = vocabulary.Pattern(`(?i)^\W*{{names.invoice}}\W*(?:(?:no|nr|n[º°])\b\W*)?[\w/-]*\d?[\w/-]*\W*$`)

// onlyFirm reports whether exactly one of the names can be the insured's.
func (d *Reader) onlyFirm(order []string, shown map[string]string) bool {
	firms, known := 0, d.Best("broker_name")
	for _, key := range order {
		name := shown[key]
		if !parse.NamesBroker(name) && !parse.InsurerName.MatchString(name) && !experts.MatchString(name) && (known == "" || !sameFirm(known, name)) {
			firms++
		}
	}
	return firms == 1
}

var pageFoot = lazyregexp.New(`(?i)^(?:page\s*\d+(?:\s*of\s*\d+)?\s*)|\s*page\s*\d+(?:\s*of\s*\d+)?\s*$`)

// footNames returns the firms in a letterhead or page footer, which can have columns.
func footNames(text string) (names []string) {
	text = strings.TrimSpace(pageFoot.ReplaceAllString(text, ""))
	if len(text) > 90 || pairs.LabelFirst(text) {
		return nil
	}
	for _, column := range letters.ColumnGap.Split(text, -1) {
		if m := parse.LegalName.FindString(column); m != "" {
			names = append(names, m)
		} else if column != "" && words.Count(column) <= 5 && !strings.ContainsAny(column, ":.?!") {
			names = append(names, column)
		}
	}
	return names
}

var (
	firmName = vocabulary.Pattern(`\b([A-Z][\w&'’-]+ (?:(?:[A-Z][\w&'’-]*|&|and) ){0,3}{{firms.broker name end}})\b`)
	legalEnd = vocabulary.Pattern(`\b(?i:{{legal_forms.any case}}|{{legal_forms.exact case}})\b`)
)
