package conform

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// hasType holds, by the name of each type that a shape can use, the function
// that reports whether a JSON value has the type.
var hasType = map[string]func(value any) bool{
	"text":         func(v any) bool { return matches(v, "") },
	"text_or_null": func(v any) bool { return v == nil || matches(v, "") },
	"uuid":         func(v any) bool { return matches(v, `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`) },
	"date":         func(v any) bool { return matches(v, `(\d{4}-\d\d-\d\d)?`) },
	"indicator":    func(v any) bool { return matches(v, `[YN]?`) },
	"decimal":      func(v any) bool { return matches(v, `-?\d+(\.\d+)?`) },
	"time": func(v any) bool {
		text, _ := v.(string)
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	},
	"number": func(v any) bool { _, ok := v.(float64); return ok },
	"number_or_empty": func(v any) bool {
		_, ok := v.(float64)
		return ok || v == "" // unknown
	},
	"grade": func(v any) bool { return matches(v, `[A-F]?`) },
	"amounts": func(v any) bool {
		amounts, ok := v.(map[string]any)
		for _, amount := range amounts {
			ok = ok && matches(amount, moneyForm)
		}
		return ok
	},
	"boolean": func(v any) bool { _, ok := v.(bool); return ok },
	"array":   func(v any) bool { _, ok := v.([]any); return ok },
	"object":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"codes": func(v any) bool {
		list, ok := v.([]any)
		for _, entry := range list {
			object, _ := entry.(map[string]any)
			ok = ok && matches(object["code"], "") && matches(object["desc"], "")
		}
		return ok
	},
}

// moneyForm is the form of an amount, which can be empty.
const moneyForm = `(\d{1,3}(,\d{3})*\.\d{2})?`

// matches reports whether v is a string that the pattern matches completely. An
// empty pattern matches every string.
func matches(v any, pattern string) bool {
	text, ok := v.(string)
	return ok && (pattern == "" || regexp.MustCompile("^("+pattern+")$").MatchString(text))
}

// checkShape checks the fields of a JSON object. The shape lists them as
// "name:type", separated by spaces. One check covers fields that are missing or
// have another type, a second one covers unexpected fields.
func (r *run) checkShape(name string, label fidelity.Label, value any, shape string) {
	object, _ := value.(map[string]any)
	extra := maps.Clone(object)
	var wrong []string
	for entry := range strings.FieldsSeq(shape) {
		key, typ, _ := strings.Cut(entry, ":")
		value, present := object[key]
		switch {
		case !present:
			wrong = append(wrong, key+" is missing")
		case !hasType[typ](value):
			wrong = append(wrong, shorten(fmt.Sprintf("%s is %#v, want %s", key, value, typ)))
		}
		delete(extra, key)
	}
	expected := fmt.Sprintf("%d fields", len(strings.Fields(shape)))
	got := expected
	if len(wrong) > 0 {
		got = strings.Join(wrong, "; ")
	}
	r.record(name+", fields", label, expected, got, len(wrong) == 0)
	r.recordEqual(name+", unexpected fields", fidelity.Chosen, "", strings.Join(slices.Sorted(maps.Keys(extra)), " "))
}

// fieldShape returns the shape of an object with the given fields.
func fieldShape(fields []field.Field) string {
	types := map[field.Kind]string{
		field.Text: "text", field.Money: "text", field.Number: "text", field.Date: "date", field.Indicator: "indicator",
		field.Integer: "number_or_empty", field.Texts: "array", field.Codes: "codes",
		field.Count: "text", field.Grade: "grade", field.Amounts: "amounts", field.Object: "object", field.Objects: "array", field.Entries: "array",
	}
	var shape strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&shape, "%s:%s ", f.Name, types[f.Kind])
	}
	return shape.String()
}

// checkFormats checks the formats that the specification does not state: money
// with thousands separators and two decimals, and scores from 0.00 to 100.00
// with two decimals.
func (r *run) checkFormats(name string, values, scores any, fields ...field.Field) {
	object, _ := values.(map[string]any)
	var money, wrong []string
	for _, f := range fields {
		if text, _ := object[f.Name].(string); f.Kind == field.Money && !matches(text, moneyForm) {
			money = append(money, f.Name+" "+text)
		}
	}
	r.recordEqual(name+", money is formatted like 6,216,506.00", fidelity.Public, "", strings.Join(money, "; "))
	scoreOf, _ := scores.(map[string]any)
	for key, score := range scoreOf {
		if !matches(score, `100\.00|\d{1,2}\.\d\d`) {
			wrong = append(wrong, fmt.Sprintf("%s %v", key, score))
		}
	}
	slices.Sort(wrong)
	r.recordEqual(name+", scores are 0.00 to 100.00", fidelity.Public, "", strings.Join(wrong, "; "))
}

// checkScores checks the format of scores that the specification states:
// decimal numbers as strings.
func (r *run) checkScores(name string, scores any) {
	object, ok := scores.(map[string]any)
	var wrong []string
	for key, value := range object {
		if !hasType["decimal"](value) {
			wrong = append(wrong, fmt.Sprintf("%s %v", key, value))
		}
	}
	slices.Sort(wrong)
	r.record(name+", scores are decimal strings", fidelity.Stated, "", strings.Join(wrong, "; "), ok && len(wrong) == 0)
}
