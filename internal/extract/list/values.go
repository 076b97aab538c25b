package list

import (
	"strconv"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// Forms of values.
var (
	yearForm  = lazyregexp.New(`^(?:19[2-9]\d|20[0-4]\d)$`)
	CountForm = lazyregexp.New(`^(\d{1,3}(?:,\d{3})*|\d{1,6})(?:\.0+)?$`)
	vinForm   = lazyregexp.New(`^[A-Z0-9*-]{5,20}$`)
	classForm = lazyregexp.New(`^[A-Z]{0,2}-?\d{2,6}(?:[-/. ]?[A-Z0-9]{1,3})?$`)
	Numbered  = lazyregexp.New(`\d`)
	Markup    = lazyregexp.New(`</?[a-zA-Z]{1,6}>|\*\*|` + "`")
	Dotted    = lazyregexp.New(`^\D*\d{1,3}(?:\.\d{3})+\D*$`)
	VINLine   = lazyregexp.New(`^\W*(?:\d{1,3}[.)]\s+)?((?:19|20)\d\d)\s+(\pL[^\s:]*(?:\s+[^\s:]+){1,4}?)[\s,;:(–-]+(?:VIN|Vin)\b[\s#:.]*([A-HJ-NPR-Z0-9]{17})\b`)
	yearFirst = lazyregexp.New(`^['’]?((?:19|20)\d\d)\s+(\S.*)$`)
)

// Value returns the text of a cell as a value of the field; "" if the cell states nothing.
// fits is false if the text is not of the field's type.
func (s *Matcher) Value(f field.Field, cell content.Cell) (value string, fits bool) {
	text := Clean(cell.Text)
	if text == "" || strings.HasSuffix(text, ":") || s.Missing(text) || vocabulary.IsNone(text) {
		return "", true
	}
	switch f.Kind {
	case field.Date:
		if cell.Date != "" {
			text = cell.Date
		}
		return s.Date(text)
	case field.Money:
		if cell.Number != nil {
			text = strconv.FormatFloat(*cell.Number, 'f', 2, 64)
		} else if Dotted.MatchString(text) {
			text = strings.ReplaceAll(text, ".", "") // no currency has thousandths
		}
		return s.Money(text)
	case field.Number:
		if f.Name == "year" {
			text = strings.TrimSuffix(text, ".0")
			return text, yearForm.MatchString(text)
		}
		m := CountForm.FindStringSubmatch(text)
		if m == nil {
			return "", false
		}
		return strings.ReplaceAll(m[1], ",", ""), true
	}
	switch f.Name {
	case "vin":
		text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
		return text, vinForm.MatchString(text) && Numbered.MatchString(text)
	case "class_code":
		return text, classForm.MatchString(strings.ToUpper(text))
	case "policy_number", "claim_number", "loan_number":
		return text, len(text) <= 60 && (Numbered.MatchString(text) || len(text) <= 20 && !strings.Contains(text, " "))
	case "make", "model", "body_type", "type", "line_of_business", "status", "state", "interest", "rank":
		return text, len(text) <= 80
	case "party_name":
		return text, len(text) <= 150 && strings.ContainsFunc(text, unicode.IsLetter)
	}
	return text, true
}

// Clean returns the text on one line, without markup and control characters, cut to
// MaxCell bytes.
func Clean(text string) string {
	if strings.ContainsAny(text, "<*`") {
		text = Markup.ReplaceAllString(text, "")
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(text) > MaxCell {
		text = strings.ToValidUTF8(text[:MaxCell], "")
	}
	return strings.Trim(text, " |")
}

// SplitModel splits "Ford F-150" and "2019 Ford F-150" into their parts.
func SplitModel(text string, values map[string]string) {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == ',' || unicode.IsSpace(r) }), " ")
	if m := yearFirst.FindStringSubmatch(text); m != nil {
		SetAbsent(values, "year", m[1])
		text = m[2]
	}
	name, model, _ := strings.Cut(text, " ")
	if second, rest, _ := strings.Cut(model, " "); vocabulary.Schedule("vehicles").Equals("brand", vocabulary.NewPhrase(name+" "+second)) {
		name, model = name+" "+second, rest
	}
	SetAbsent(values, "make", name)
	SetAbsent(values, "model", model)
}

// SetAbsent sets the named value if it is not set yet. It ignores an empty value.
func SetAbsent(values map[string]string, name, value string) {
	if values[name] == "" && value != "" {
		values[name] = value
	}
}

var toForm = vocabulary.Pattern(`(?i)\s*(?:\b{{connectives.to}}\b|–|—|\s-\s|\bt/m\b)\s*`)

// Period returns the two dates of "04/01/2025 to 04/01/2026".
func (s *Matcher) Period(text string) (from, to string) {
	parts := toForm.Split(Clean(text), -1)
	if len(parts) != 2 {
		return "", ""
	}
	from, ok := s.Date(parts[0])
	to, also := s.Date(parts[1])
	if !ok || !also || from >= to {
		return "", ""
	}
	return from, to
}

// NameAddress splits a name and the address below or after it.
func NameAddress(text string) (name, address string) {
	name, address, below := strings.Cut(strings.TrimSpace(Markup.ReplaceAllString(text, "")), "\n")
	if !below {
		parts := strings.Split(name, ",")
		for i := 1; i < len(parts); i++ {
			if part := strings.TrimSpace(parts[i]); part != "" && (part[0] >= '0' && part[0] <= '9' || strings.HasPrefix(strings.ToLower(part), "p.o") || strings.HasPrefix(strings.ToLower(part), "po box") || i == len(parts)-1 && Numbered.MatchString(part)) {
				name, address = strings.Join(parts[:i], ","), strings.Join(parts[i:], ",")
				break
			}
		}
	}
	return strings.Trim(Clean(name), " ,;"), strings.Trim(Clean(strings.ReplaceAll(address, "\n", ", ")), " ,;")
}

// JoinAddress joins the parts of an address that are not empty.
func JoinAddress(street, street2, city, state, zip string) string {
	region := strings.TrimSpace(state + " " + zip)
	var parts []string
	for _, part := range []string{street, street2, city, region} {
		if part = strings.Trim(part, " ,"); part != "" && !(len(parts) > 0 && strings.Contains(strings.ToLower(parts[0]), strings.ToLower(part))) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// AddMoney returns the sum of two amounts as they are formatted by Types.Money.
func (s *Matcher) AddMoney(a, b string) string {
	if a == "" {
		return b
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(a, ",", ""), 64)
	y, err2 := strconv.ParseFloat(strings.ReplaceAll(b, ",", ""), 64)
	if err != nil || err2 != nil {
		return a
	}
	sum, ok := s.Money(strconv.FormatFloat(x+y, 'f', 2, 64))
	if !ok {
		return a
	}
	return sum
}
