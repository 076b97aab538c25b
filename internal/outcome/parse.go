package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"understudy.example/internal/field"
)

// Values are values by field name, as encoding/json decodes them. Those that are arrays
// or objects can also be a json.RawMessage, because an array of empty arrays takes 13
// times as much memory once it is decoded. The function decoded decodes them.
type Values map[string]any

// UnmarshalJSON keeps arrays and objects as json.RawMessage, in the form in which
// encoding/json encodes them.
func (v *Values) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		*v = nil
		return err
	}
	*v = make(Values, len(fields))
	for name, raw := range fields {
		var value any
		err := json.Unmarshal(raw, &value)
		if err != nil {
			return err
		}
		switch value.(type) {
		case []any, map[string]any:
			if raw, err = json.Marshal(value); err != nil {
				return err
			}
			value = raw
		}
		(*v)[name] = value
	}
	return nil
}

// decoded returns the value as encoding/json decodes it.
func decoded(value any) (plain any) {
	raw, encoded := value.(json.RawMessage)
	if !encoded || json.Unmarshal(raw, &plain) != nil {
		return value
	}
	return plain
}

// Fields that an outcome can set, besides those of packages.
var (
	// Facts are the company fields of both inquiry versions, without
	// company_id, which the server assigns to each report.
	Facts          = slices.DeleteFunc(slices.Concat(field.Facts, field.Report), func(f field.Field) bool { return f.Name == "company_id" })
	Options        = field.Options
	LocationFields = slices.Concat(field.LocationFacts, field.LocationOptions)
)

// ParseValues parses a JSON object with values for the given fields. Its error
// names the invalid field, prefixed with path, the path of the object itself, and
// shows the form of the field. With raw, a field can have any name
// and any value; responses show only the fields that they know.
func ParseValues(path string, text json.RawMessage, fields []field.Field, raw bool) (Values, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s: want an object", path)
	}
	for _, name := range sortedNames(object) {
		if raw {
			continue
		}
		i := slices.IndexFunc(fields, func(f field.Field) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown field %q", path+"."+name)
		}
		if err := check(path+"."+name, object[name], fields[i]); err != nil {
			return nil, err
		}
	}
	values := Values{}
	return values, json.Unmarshal(text, &values)
}

func sortedNames(object map[string]json.RawMessage) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// form is the form of the values of a kind: its description, and the pattern of those
// that are strings. Every string can be empty.
type form struct {
	want    string
	pattern *regexp.Regexp
}

var forms = map[field.Kind]form{
	field.Text:      {"a string", regexp.MustCompile(`(?s)^.*$`)},
	field.Date:      {`a date like "2026-04-01", or ""`, regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)},
	field.Money:     {`an amount like "6,216,506.00", or ""`, regexp.MustCompile(`^\d{1,3}(,\d{3})*\.\d{2}$`)},
	field.Indicator: {`"Y", "N" or ""`, regexp.MustCompile(`^[YN]$`)},
	field.Number:    {`a number in a string like "41.8781", or ""`, regexp.MustCompile(`^-?\d+(\.\d+)?$`)},
	field.Count:     {`a whole number like "34,000", or ""`, regexp.MustCompile(`^(\d{1,3}(,\d{3})*|\d+)$`)},
	field.Grade:     {`a grade from "A" to "F", or ""`, regexp.MustCompile(`^[A-F]$`)},
	field.Integer:   {`an integer like 39, or ""`, nil},
	field.Texts:     {"an array of strings", nil},
	field.Codes:     {`an array of {"code", "desc"}`, nil},
	field.Entries:   {"an array", nil},
	field.Amounts:   {`an object of amounts by name like {"Building": "6,216,506.00"}`, nil},
	field.Object:    {"an object", nil},
	field.Objects:   {"an array of objects", nil},
}

// check returns an error unless the value of the field at the path has the form of its
// kind.
func check(path string, text json.RawMessage, f field.Field) error {
	want := forms[f.Kind]
	wrong := fmt.Errorf("%s: want %s", path, want.want)
	switch f.Kind {
	case field.Texts:
		return decode(text, new([]string), wrong)
	case field.Entries:
		return decode(text, new([]any), wrong)
	case field.Object:
		_, err := ParseValues(path, text, f.Fields, false)
		return err
	case field.Objects:
		return checkObjects(path, text, f.Fields, wrong)
	case field.Codes:
		return checkCodes(text, wrong)
	case field.Amounts:
		return checkAmounts(path, text, wrong)
	case field.Integer:
		if string(text) == `""` {
			return nil
		}
		return decode(text, new(int), wrong)
	}
	var value string
	if err := decode(text, &value, wrong); err != nil || value == "" {
		return err
	}
	if _, err := time.Parse(time.DateOnly, value); !want.pattern.MatchString(value) || f.Kind == field.Date && err != nil {
		return wrong
	}
	return nil
}

func checkObjects(path string, text json.RawMessage, fields []field.Field, wrong error) error {
	var entries []json.RawMessage
	if err := decode(text, &entries, wrong); err != nil {
		return err
	}
	for i, entry := range entries {
		if _, err := ParseValues(fmt.Sprintf("%s[%d]", path, i), entry, fields, false); err != nil {
			return err
		}
	}
	return nil
}

func checkCodes(text json.RawMessage, wrong error) error {
	var entries []struct{ Code, Desc *string }
	if err := decode(text, &entries, wrong); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Code == nil || entry.Desc == nil {
			return wrong
		}
	}
	return nil
}

func checkAmounts(path string, text json.RawMessage, wrong error) error {
	var amounts map[string]json.RawMessage
	if err := decode(text, &amounts, wrong); err != nil {
		return err
	}
	for _, name := range sortedNames(amounts) {
		if err := check(path+"."+name, amounts[name], field.Field{Kind: field.Money}); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes the text into the value. If it cannot, it returns the error wrong.
func decode(text json.RawMessage, value any, wrong error) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if decoder.Decode(value) != nil || string(text) == "null" {
		return wrong
	}
	return nil
}
