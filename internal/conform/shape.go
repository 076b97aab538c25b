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

// kinds are what a value can be held to.
var kinds = map[string]func(value any) bool{
	"text":      func(v any) bool { return isText(v, "") },
	"nullable":  func(v any) bool { return v == nil || isText(v, "") },
	"uuid":      func(v any) bool { return isText(v, `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`) },
	"date":      func(v any) bool { return isText(v, `(\d{4}-\d\d-\d\d)?`) },
	"indicator": func(v any) bool { return isText(v, `[YN]?`) },
	"decimal":   func(v any) bool { return isText(v, `-?\d+(\.\d+)?`) },
	"time": func(v any) bool {
		text, _ := v.(string)
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	},
	"number":  func(v any) bool { _, ok := v.(float64); return ok },
	"boolean": func(v any) bool { _, ok := v.(bool); return ok },
	"array":   func(v any) bool { _, ok := v.([]any); return ok },
	"object":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"codes": func(v any) bool {
		list, ok := v.([]any)
		for _, entry := range list {
			object, _ := entry.(map[string]any)
			ok = ok && isText(object["code"], "") && isText(object["desc"], "")
		}
		return ok
	},
}

func isText(v any, pattern string) bool {
	text, ok := v.(string)
	return ok && (pattern == "" || regexp.MustCompile("^("+pattern+")$").MatchString(text))
}

// shape holds an object to its fields: "name:kind", separated by spaces. What
// is missing or of another kind is one check, fields beyond them are another.
func (r *run) shape(name string, label fidelity.Label, value any, fields string) {
	object, _ := value.(map[string]any)
	extra := maps.Clone(object)
	var wrong []string
	for entry := range strings.FieldsSeq(fields) {
		key, kind, _ := strings.Cut(entry, ":")
		one, there := object[key]
		switch {
		case !there:
			wrong = append(wrong, key+" is missing")
		case !kinds[kind](one):
			wrong = append(wrong, shorten(fmt.Sprintf("%s is %#v, no %s", key, one, kind)))
		}
		delete(extra, key)
	}
	expected := fmt.Sprintf("%d fields", len(strings.Fields(fields)))
	got := expected
	if len(wrong) > 0 {
		got = strings.Join(wrong, "; ")
	}
	r.row(name+", fields", label, expected, got, len(wrong) == 0)
	r.same(name+", no others", fidelity.Chosen, "", strings.Join(slices.Sorted(maps.Keys(extra)), " "))
}

// vocabulary is the shape of data: each field with its kind.
func vocabulary(fields []field.Field) string {
	names := map[field.Kind]string{
		field.Text: "text", field.Money: "text", field.Number: "text", field.Date: "date", field.Indicator: "indicator",
		field.Integer: "number", field.Texts: "array", field.Codes: "codes",
	}
	var shape strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&shape, "%s:%s ", f.Name, names[f.Kind])
	}
	return shape.String()
}

// forms holds values to the forms that are not stated: money with separators
// and two decimals, scores from 0.00 to 100.00 for fields that have a value.
func (r *run) forms(name string, values, scores any, fields ...field.Field) {
	object, _ := values.(map[string]any)
	var money, wrong []string
	for _, f := range fields {
		if text, _ := object[f.Name].(string); f.Kind == field.Money && !isText(text, `(\d{1,3}(,\d{3})*\.\d{2})?`) {
			money = append(money, f.Name+" "+text)
		}
	}
	r.same(name+", money is like 6,216,506.00", fidelity.Public, "", strings.Join(money, "; "))
	marks, _ := scores.(map[string]any)
	for key, mark := range marks {
		if !isText(mark, `100\.00|\d{1,2}\.\d\d`) {
			wrong = append(wrong, fmt.Sprintf("%s %v", key, mark))
		}
	}
	slices.Sort(wrong)
	r.same(name+", scores are from 0.00 to 100.00", fidelity.Public, "", strings.Join(wrong, "; "))
}

// scored holds scores to what is stated of them: decimal numbers as strings.
func (r *run) scored(name string, scores any) {
	object, ok := scores.(map[string]any)
	var wrong []string
	for key, value := range object {
		if !kinds["decimal"](value) {
			wrong = append(wrong, fmt.Sprintf("%s %v", key, value))
		}
	}
	slices.Sort(wrong)
	r.row(name+", scores are decimal strings", fidelity.Stated, "", strings.Join(wrong, "; "), ok && len(wrong) == 0)
}
