package labelled

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/forms"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// below returns the value on the lines under a label.
func (r *Reader) below(i int, name string) (string, int) {
	var kept []string
	most := 1
	switch name {
	case "address", "~address", "broker_address":
		most = 5
	case "company_name", "broker_name", "company_description":
		most = 4
	case "coverage", "product":
		most = 20
	case "":
		most = 1
	}
	blank, bulleted := 0, false
	numbered := words.Numbering.MatchString(r.Lines[i].Text)
	n := 1
	for ; i+n < len(r.Lines) && len(kept) < most; n++ {
		l := r.Lines[i+n]
		text := strings.TrimSpace(pairs.WithoutMark(l.Text))
		if l.Table != nil || l.Label != "" || l.At.Part != r.Lines[i].At.Part || numbered && questionNumber.MatchString(l.Text) {
			break
		}
		if text == "" {
			if len(kept) > 0 && assign.SeveralLines[name] && r.addressBelow(i+n, kept, isAddress[name]) {
				continue // an empty line follows each line of the address
			}
			if blank++; len(kept) > 0 || blank > 1 {
				break
			}
			continue
		}
		if len(kept) == 0 && (isRule(text) || name != "company_description" && isHint(text)) {
			continue
		}
		if whole := strings.Join(pairs.Cells(text), " "); len(kept) > 0 && whole != text && isAddress[name] && len(whole) <= parse.MaxAddress &&
			parse.WrittenAddress(address.Parse(strings.Join(kept, ", ")+", "+whole)) {
			kept = append(kept, whole) // a gap before the postal code
			n++
			break
		}
		if p := pairs.Split(text); len(p) > 0 && !(numbered && len(kept) == 0 && isAnswer(p[0].Label)) || parse.Answered.MatchString(text) || len(r.unmarked(text)) > 0 {
			break
		}
		if _, label := recognise.LabelForms()[words.Key(text)]; isLabelLine(text) || label && assign.SeveralLines[name] {
			break
		}
		if len(kept) > 0 && (numbered && words.Numbering.MatchString(text) || isAddress[name] && !parse.CountryLine(text) && parse.WrittenAddress(address.Parse(strings.Join(kept, "\n")))) {
			break // the next question, or the text after a whole address
		}
		marked := text != strings.TrimSpace(l.Text)
		if bulleted && !marked && words.Capital(text) && !unfinished.MatchString(kept[len(kept)-1]) {
			break // text after the end of a list
		}
		bulleted = listing[name] && (bulleted || marked)
		kept = append(kept, text)
	}
	if listing[name] {
		for k := len(kept) - 1; k > 0; k-- {
			if unfinished.MatchString(kept[k-1]) {
				kept[k-1] += " " + kept[k]
				kept = slices.Delete(kept, k, k+1)
			}
		}
	}
	return strings.Join(kept, "\n"), n - 1
}

// isAnswer reports whether the text before a colon is the beginning of an answer: "Birch Insurance, Attn: Nora Klein".
func isAnswer(label string) bool {
	_, known := recognise.Label(label)
	return !known && strings.Contains(label, ", ")
}

// isAddress are the fields that hold a whole address.
var isAddress = words.Set("address", "~address", "broker_address")

// isRule reports whether a line underlines the label above it.
func isRule(text string) bool { return len(text) >= minRule && strings.Trim(text, "-=_~*") == "" }

const minRule = 3 // characters

// isHint reports whether a line below a label is a sentence that says how to fill it in.
func isHint(text string) bool {
	return strings.HasSuffix(text, ".") && words.Count(text) >= minHintWords && !parse.AddressWords(text) && !parse.HasDigit(text)
}

const minHintWords = 4

// isLabelLine reports whether a line is a label, or consists of labels side by side. Such a line
// ends the value above it.
func isLabelLine(text string) bool {
	if cells := pairs.Cells(text); len(cells) > 1 {
		_, known := labelsOf(cells)
		return known > 1 && known*2 >= len(cells)
	}
	m, ok := recognise.Label(text)
	return ok && (m.From == source.Label || m.From == source.Composed && m.Doubt == 0 && strings.Contains(text, " "))
}

// further adds the lines that continue an address or a description.
func (r *Reader) further(i int, value, name string) (string, int) {
	n := 1
	for ; n <= 5 && i+n < len(r.Lines); n++ {
		l := r.Lines[i+n]
		text := strings.TrimSpace(l.Text)
		if text == "" && name != "company_description" && !parse.WrittenAddress(address.Parse(words.OneLine(value))) && r.addressBelow(i+n, []string{words.OneLine(value)}, true) {
			continue // each line is a paragraph
		}
		if text == "" || l.Table != nil || l.Label != "" || len(pairs.Split(text)) > 0 || len(text) > 60 && name != "company_description" || pairs.Markup.MatchString(text) {
			break
		}
		if isLabelLine(text) || name == "company_description" && strings.Contains(text, "\t") {
			break
		}
		if name != "company_description" {
			if a := address.Parse(words.OneLine(value)); a.PostalCode != "" && a.City != "" && !parse.CountryLine(text) {
				break
			}
			if len(text) > 50 || parse.Sentence.MatchString(text) {
				break
			}
		}
		value += "\n" + text
	}
	if name == "company_description" {
		value = strings.ReplaceAll(value, "\n", " ")
	}
	return value, n - 1
}

// listing are the fields whose values are lists that can occupy several lines.
var listing = words.Set("coverage", "product", "subsidiary_companies", "dba_aka", "registered_in_countries", "assets_in_countries", "product_sold_in_countries")

// unfinished matches the end of a line that cannot be the end of a value.
var unfinished = vocabulary.Pattern(`(?i)(?:[,;&(]|\s(?:{{connectives.and|connectives.or|connectives.to|connectives.between}}|[-–]))\s*$|\([^)]*$`)

// monthLast matches a date without its year.
var monthLast = vocabulary.Pattern(`(?i)\d(?:st|nd|rd|th)?(?: of)? {{dates.month}}$`)

// wrapped adds the lines on which a value continues because its line was too short: a
// list or a period after a word that requires another one, a list before a lower-case
// letter, and a firm's name before its legal form.
func (r *Reader) wrapped(i int, value, name string) (string, int) {
	n := 1
	for ; n <= 5 && i+n < len(r.Lines); n++ {
		l := r.Lines[i+n]
		text := strings.TrimSpace(l.Text)
		if text == "" && n == 1 && recognise.NamesFirm(name) && l.Table == nil && l.Label == "" {
			continue // an address can follow after the end of a paragraph
		}
		if text == "" || l.At.Part != r.Lines[i].At.Part || len(pairs.Split(text)) > 0 || pairs.Markup.MatchString(text) || layout.IsClosing(text) {
			break
		}
		if isLabelLine(text) {
			break
		}
		switch {
		case listing[name] && (unfinished.MatchString(value) || len(r.Lines[i+n-1].Text) > 60 && !words.Capital(text) && !parse.Sentence.MatchString(text)):
		case name == "~period" && (unfinished.MatchString(value) || monthLast.MatchString(value)) && parse.HasDigit(text):
		case isPhone[name] && continuesPhone(value, text):
			return value + " " + text, n
		case recognise.NamesFirm(name) && parse.IsLegalForm(words.BareKey(text)) && r.Lines[i+1].Text != "":
		case recognise.NamesFirm(name) && startsWithAddress(text):
			return value + "\n" + text, n
		default:
			return value, n - 1
		}
		value += " " + text
	}
	return value, n - 1
}

// isPhone are the fields that hold a telephone number.
var isPhone = words.Set("~phone", "broker_contact_phone", "phone_number")

// continuesPhone reports whether a line holds only the end of a telephone number that is too short without it.
func continuesPhone(number, line string) bool {
	digits := 0
	for _, r := range number {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return digits > 0 && digits < minPhone && len(line) <= maxPhoneEnd && strings.Trim(line, parse.Digits+" -./") == ""
}

const (
	minPhone    = 9  // digits of a telephone number with its area code
	maxPhoneEnd = 12 // bytes
)

// indented are the fields whose values can continue on lines that begin below them.
var indented = words.Set("company_name", "broker_name", "address", "~address", "broker_address", "~name", "broker_contact_points", "~contact")

// inColumn adds the lines that begin in the column of a value: an address below a name, a
// number below a contact.
func (r *Reader) inColumn(i int, value string) (string, int) {
	column := strings.LastIndex(r.Lines[i].Text, value)
	if column < minColumn || column == strings.Index(r.Lines[i].Text, strings.TrimSpace(r.Lines[i].Text)) {
		return value, 0
	}
	n := 1
	for ; n <= forms.MaxBoxLines && i+n < len(r.Lines); n++ {
		l := r.Lines[i+n]
		text := strings.TrimLeft(l.Text, " ")
		if at := len(l.Text) - len(text); text == "" || at < column-1 || l.At.Part != r.Lines[i].At.Part || len(pairs.ColonPairs(text)) > 0 {
			break
		}
		value += "\n" + text
	}
	return value, n - 1
}

// namesInColumn are the fields below whose value an address can stand beside other labels.
var namesInColumn = words.Set("company_name", "broker_name", "~name", "address", "~address")

// besideOthers adds the texts that begin in the column of a value although other labels follow on
// their lines, if they are an address.
func (r *Reader) besideOthers(i int, value string) string {
	if strings.Contains(r.Lines[i].Text, "\t") {
		return r.inCells(i, value)
	}
	column := strings.Index(r.Lines[i].Text, value)
	if column < minColumn {
		return value
	}
	var kept []string
	for n := 1; n <= forms.MaxBoxLines && i+n < len(r.Lines); n++ {
		l := r.Lines[i+n]
		text := strings.TrimLeft(l.Text, " ")
		if at := len(l.Text) - len(text); text == "" || at < column-1 || at > column+1 || l.At.Part != r.Lines[i].At.Part {
			break
		}
		first, _, _ := strings.Cut(text, "   ")
		if strings.ContainsAny(first, ":@") {
			break
		}
		kept = append(kept, first)
	}
	if len(kept) == 0 || !parse.WrittenAddress(address.Parse(strings.Join(kept, ", "))) {
		return value
	}
	return value + "\n" + strings.Join(kept, "\n")
}

// inCells does the same as besideOthers for lines whose columns are separated by tabs.
func (r *Reader) inCells(i int, value string) string {
	n := slices.IndexFunc(pairs.Cells(r.Lines[i].Text), func(c string) bool { return strings.HasSuffix(c, value) })
	if n < 0 {
		return value
	}
	var written []string
	for k := i + 1; k <= i+forms.MaxBoxLines && k < len(r.Lines) && r.Lines[k].At.Part == r.Lines[i].At.Part; k++ {
		cells := pairs.Cells(r.Lines[k].Text)
		if n >= len(cells) || cells[n] == "" || n > 0 && cells[n-1] != "" || strings.ContainsAny(cells[n], ":@") {
			break
		}
		written = append(written, cells[n])
		if parse.WrittenAddress(address.Parse(strings.Join(written, ", "))) {
			return value + "\n" + strings.Join(written, "\n")
		}
	}
	return value
}

const minColumn = 8 // characters before a value whose lines are below each other

// startsWithAddress reports whether a line begins with a complete address.
func startsWithAddress(text string) bool {
	if text == "" || !strings.Contains(parse.Digits, text[:1]) {
		return false
	}
	found, _ := parse.AddressesIn(text)
	return len(found) > 0 && strings.HasPrefix(text, found[0])
}
