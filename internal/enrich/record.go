package enrich

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/field"
)

// kindOf is the kind of each field that can be extracted, by name. A name has the
// same kind in all these shapes.
var kindOf = func() map[string]field.Kind {
	all := map[string]field.Kind{}
	for _, shape := range [][]field.Field{
		field.Facts, field.Report, field.Options, field.LocationFacts, field.LocationOptions,
		field.MoreFacts, field.MoreOptions, field.MoreLocation,
	} {
		for _, f := range shape {
			all[f.Name] = f.Kind
		}
	}
	return all
}()

func newRecord(size int) Record {
	return Record{make(map[string]any, size), make(map[string]float64, size)}
}

// addExtracted adds extracted values. Of several values for one field, it keeps the
// one with the highest score, the first if scores are equal; a list keeps all, in
// order. It omits values that do not fit the kind of their field.
func (r Record) addExtracted(values []field.Value) {
	listed := map[string]map[string]bool{} // the entries of each list
	for _, v := range values {
		kind, known := kindOf[v.Field]
		score := roundScore(min(max(v.Score, 0), 1))
		if !known {
			continue
		}
		if kind.IsList() {
			if listed[v.Field] == nil {
				listed[v.Field] = r.entriesOf(v.Field)
			}
			r.addEntry(v.Field, kind, strings.TrimSpace(v.Text), score, listed[v.Field])
			continue
		}
		if old, ok := r.Scores[v.Field]; ok && old >= score {
			continue
		}
		if kind == field.Object {
			if object := convertObject(field.EntryFields(v.Field), v.Text); len(object) > 0 {
				r.Values[v.Field], r.Scores[v.Field] = object, score
			}
			continue
		}
		if value, ok := convert(kind, v.Text); ok {
			r.Values[v.Field], r.Scores[v.Field] = value, score
		}
	}
}

// entriesOf returns the set of the texts, or of the codes, in a list.
func (r Record) entriesOf(name string) map[string]bool {
	entries := map[string]bool{}
	switch list := r.Values[name].(type) {
	case []string:
		for _, text := range list {
			entries[text] = true
		}
	case []field.Code:
		for _, code := range list {
			entries[code.Code] = true
		}
	}
	return entries
}

// addEntry appends an entry to a list, unless the list contains it. listed is the set of the
// entries of the list. The score of the list is the highest score of its entries.
func (r Record) addEntry(name string, kind field.Kind, text string, score float64, listed map[string]bool) {
	switch {
	case text == "":
		return
	case kind == field.Texts:
		list, _ := r.Values[name].([]string)
		if !listed[text] {
			listed[text] = true
			r.Values[name] = append(list, text)
		}
	case kind == field.Amounts:
		at := strings.LastIndex(text, ": ")
		amount, ok := parseNumber(text[at+1:])
		if at <= 0 || !ok {
			return
		}
		amounts, _ := r.Values[name].(map[string]string)
		if amounts == nil {
			amounts = map[string]string{}
			r.Values[name] = amounts
		}
		if _, taken := amounts[text[:at]]; !taken {
			amounts[text[:at]] = formatMoney(amount)
		}
	case kind == field.Objects:
		object := convertObject(field.EntryFields(name), text)
		if len(object) == 0 {
			return
		}
		list, _ := r.Values[name].([]any)
		r.Values[name] = append(list, object)
	default:
		code := parseCode(text, titlesOf(name))
		list, _ := r.Values[name].([]field.Code)
		if !listed[code.Code] {
			listed[code.Code] = true
			r.Values[name] = append(list, code)
		}
	}
	r.Scores[name] = max(r.Scores[name], score)
}

// setIfAbsent sets the value unless the field has one. It ignores an empty string.
func (r Record) setIfAbsent(name string, value any, score float64) {
	if _, ok := r.Values[name]; ok || value == "" {
		return
	}
	r.Values[name], r.Scores[name] = value, roundScore(score)
}

// replace sets the value even if the field has one, for a value that was split or
// converted. An empty value removes the field.
func (r Record) replace(name, value string, score float64) {
	if value == "" {
		delete(r.Values, name)
		delete(r.Scores, name)
		return
	}
	r.Values[name], r.Scores[name] = value, roundScore(score)
}

func (r Record) has(name string) bool { _, ok := r.Values[name]; return ok }

func (r Record) text(name string) string {
	text, _ := r.Values[name].(string)
	return text
}

// subset returns the values of the fields of a shape.
func (r Record) subset(shape []field.Field) Record {
	n := 0
	for _, f := range shape {
		if _, ok := r.Values[f.Name]; ok {
			n++
		}
	}
	s := newRecord(n)
	for _, f := range shape {
		if value, ok := r.Values[f.Name]; ok {
			s.Values[f.Name] = value
			s.Scores[f.Name] = r.Scores[f.Name]
		}
	}
	return s
}

// Known reports whether the value is not one that stands for an unknown value.
func Known(value any) bool {
	if value == nil || value == "" {
		return false
	}
	v := reflect.ValueOf(value)
	return v.Kind() != reflect.Slice && v.Kind() != reflect.Map || v.Len() > 0
}

// merged returns the values of all the records. Those of a later record replace those
// of an earlier one.
func merged(records ...Record) Record {
	all := newRecord(64)
	for _, r := range records {
		for name, value := range r.Values {
			all.Values[name] = value
			if score, ok := r.Scores[name]; ok {
				all.Scores[name] = score
			} else {
				delete(all.Scores, name)
			}
		}
	}
	return all
}

// UnmarshalJSON restores the types that the fields' kinds require, except those of
// values that an outcome has set to something else.
func (r *Record) UnmarshalJSON(text []byte) error {
	var raw struct {
		Values map[string]json.RawMessage `json:"values"`
		Scores map[string]float64         `json:"scores"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	r.Values, r.Scores = make(map[string]any, len(raw.Values)), raw.Scores
	for name, value := range raw.Values {
		if string(value) == "null" {
			continue
		}
		var err error
		switch kindOf[name] {
		case field.Texts:
			r.Values[name], err = decode[[]string](value)
		case field.Codes:
			r.Values[name], err = decode[[]field.Code](value)
		case field.Amounts:
			r.Values[name], err = decode[map[string]string](value)
		case field.Integer:
			r.Values[name], err = decode[int](value)
		case field.Object, field.Objects:
			r.Values[name], err = decode[any](value)
		default:
			r.Values[name], err = decode[string](value)
		}
		if err != nil {
			if r.Values[name], err = decode[any](value); err != nil {
				return err
			}
		}
	}
	return nil
}

func decode[T any](text []byte) (T, error) {
	var value T
	err := json.Unmarshal(text, &value)
	return value, err
}

// convert converts an extracted text to a value of the kind. It returns false if the
// text does not fit.
func convert(kind field.Kind, text string) (any, bool) {
	text = strings.TrimSpace(text)
	switch kind {
	case field.Date:
		_, err := time.Parse(time.DateOnly, text)
		return text, err == nil
	case field.Money:
		amount, ok := parseNumber(text)
		return formatMoney(amount), ok
	case field.Indicator:
		switch strings.ToLower(text) {
		case "y", "yes", "true", "x":
			return "Y", true
		case "n", "no", "false":
			return "N", true
		}
		return "", false
	case field.Number:
		_, ok := parseNumber(text)
		return strings.ReplaceAll(text, ",", ""), ok
	case field.Integer:
		amount, ok := parseNumber(text)
		return int(amount), ok
	case field.Count:
		amount, ok := parseNumber(text)
		return strings.TrimSuffix(formatMoney(math.Round(amount)), ".00"), ok && amount > 0
	}
	return text, text != ""
}

// convertObject converts the text of an extracted object. It leaves out values that do
// not fit the kinds of their fields.
func convertObject(fields []field.Field, text string) map[string]any {
	object := map[string]any{}
	stated := field.ParseObject(fields, text)
	for _, f := range fields {
		if value, ok := convert(f.Kind, stated[f.Name]); ok && stated[f.Name] != "" {
			object[f.Name] = value
		}
	}
	return object
}

// parseNumber parses a number, which may have thousands separators and a currency
// sign, and parentheses if it is negative. It rejects amounts above 1e15.
func parseNumber(text string) (float64, bool) {
	negative := strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
	text = strings.Trim(text, "()$£€ ")
	amount, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || math.IsNaN(amount) || math.Abs(amount) > 1e15 {
		return 0, false
	}
	if negative {
		amount = -amount
	}
	return amount, true
}

// formatMoney formats an amount as "6,216,506.00".
func formatMoney(amount float64) string {
	text := strconv.FormatFloat(math.Abs(amount), 'f', 2, 64)
	whole, cents, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if amount < 0 {
		whole = "-" + whole
	}
	return whole + "." + cents
}

func roundScore(score float64) float64 { return math.Round(score*10_000) / 10_000 }
