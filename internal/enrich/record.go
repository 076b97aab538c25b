package enrich

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/field"
)

// kinds holds the kind of every field of every shape: a name has the same kind
// wherever it appears.
var kinds = func() map[string]field.Kind {
	all := map[string]field.Kind{}
	for _, shape := range [][]field.Field{field.Facts, field.Report, field.Options, field.LocationFacts, field.LocationOptions} {
		for _, f := range shape {
			all[f.Name] = f.Kind
		}
	}
	return all
}()

func newRecord(size int) Record {
	return Record{make(map[string]any, size), make(map[string]float64, size)}
}

// read puts in what was read. Of several values for one field the one with the
// highest score stays, the first of equals; lists take all, in order. A value
// that does not fit its field's kind is left out.
func (r Record) read(values []field.Value) {
	for _, v := range values {
		kind, known := kinds[v.Field]
		score := round(min(max(v.Score, 0), 1))
		if !known {
			continue
		}
		if kind.IsList() {
			r.add(v.Field, kind, strings.TrimSpace(v.Text), score)
			continue
		}
		if old, ok := r.Scores[v.Field]; ok && old >= score {
			continue
		}
		if value, ok := form(kind, v.Text); ok {
			r.Values[v.Field], r.Scores[v.Field] = value, score
		}
	}
}

// add appends one entry to a list, unless it holds it already. The list's
// score is that of its best entry.
func (r Record) add(name string, kind field.Kind, text string, score float64) {
	if text == "" {
		return
	}
	if kind == field.Texts {
		list, _ := r.Values[name].([]string)
		if !slices.Contains(list, text) {
			r.Values[name] = append(list, text)
		}
	} else {
		code := stated(text)
		list, _ := r.Values[name].([]field.Code)
		if !slices.ContainsFunc(list, func(c field.Code) bool { return c.Code == code.Code }) {
			r.Values[name] = append(list, code)
		}
	}
	r.Scores[name] = max(r.Scores[name], score)
}

// fill puts in a value that was made, unless one was read.
func (r Record) fill(name string, value any, score float64) {
	if _, ok := r.Values[name]; ok || value == "" {
		return
	}
	r.Values[name], r.Scores[name] = value, round(score)
}

// put replaces what is there, because it was split or brought to another form;
// an empty value takes the field away.
func (r Record) put(name, value string, score float64) {
	if value == "" {
		delete(r.Values, name)
		delete(r.Scores, name)
		return
	}
	r.Values[name], r.Scores[name] = value, round(score)
}

func (r Record) has(name string) bool { _, ok := r.Values[name]; return ok }

func (r Record) text(name string) string {
	text, _ := r.Values[name].(string)
	return text
}

// pick returns the part of the record that a shape shows.
func (r Record) pick(shape []field.Field) Record {
	part := newRecord(len(shape))
	for _, f := range shape {
		if value, ok := r.Values[f.Name]; ok {
			part.Values[f.Name] = value
			part.Scores[f.Name] = r.Scores[f.Name]
		}
	}
	return part
}

// UnmarshalJSON gives the values back the types of their fields' kinds.
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
		var err error
		switch kinds[name] {
		case field.Texts:
			r.Values[name], err = decode[[]string](value)
		case field.Codes:
			r.Values[name], err = decode[[]field.Code](value)
		case field.Integer:
			r.Values[name], err = decode[int](value)
		default:
			r.Values[name], err = decode[string](value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decode[T any](text []byte) (T, error) {
	var value T
	err := json.Unmarshal(text, &value)
	return value, err
}

// form brings a text that was read into the form of its kind.
func form(kind field.Kind, text string) (any, bool) {
	text = strings.TrimSpace(text)
	switch kind {
	case field.Date:
		_, err := time.Parse(time.DateOnly, text)
		return text, err == nil
	case field.Money:
		amount, ok := number(text)
		return money(amount), ok
	case field.Indicator:
		switch strings.ToLower(text) {
		case "y", "yes", "true", "x":
			return "Y", true
		case "n", "no", "false":
			return "N", true
		}
		return "", false
	case field.Number:
		_, ok := number(text)
		return strings.ReplaceAll(text, ",", ""), ok
	case field.Integer:
		amount, ok := number(text)
		return int(amount), ok
	}
	return text, text != ""
}

// number reads plain numbers, also with thousands separators, a currency sign
// or in parentheses for a negative. Amounts above a thousand million million
// are no amounts.
func number(text string) (float64, bool) {
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

// money writes an amount as "6,216,506.00".
func money(amount float64) string {
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

func round(score float64) float64 { return math.Round(score*10_000) / 10_000 }
