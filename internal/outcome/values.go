package outcome

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// Values are values by field name. The type depends on the field's kind: string,
// []string, []field.Code or int.
type Values map[string]any

// Fields that an outcome can set.
var (
	// Facts are the company fields of both inquiry versions, without
	// company_id, which the server assigns to each report.
	Facts          = slices.DeleteFunc(slices.Concat(field.Facts, field.Report), func(f field.Field) bool { return f.Name == "company_id" })
	Options        = field.Options
	LocationFields = slices.Concat(field.LocationFacts, field.LocationOptions)
)

// ParseValues parses a JSON object with values for the given fields. Its error
// names the invalid field, prefixed with path, the path of the object itself.
func ParseValues(path string, text json.RawMessage, fields []field.Field) (Values, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s: want an object", path)
	}
	values := Values{}
	for _, name := range sortedNames(object) {
		i := slices.IndexFunc(fields, func(f field.Field) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown field %q", path+"."+name)
		}
		value, err := parseValue(fields[i].Kind, object[name])
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", path, name, err)
		}
		values[name] = value
	}
	return values, nil
}

func sortedNames(object map[string]json.RawMessage) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// parseValue parses a value of the kind. Its error names the expected type. It
// accepts any string, whatever the kind: the form of dates and amounts is up to
// the client.
func parseValue(kind field.Kind, text json.RawMessage) (any, error) {
	switch kind {
	case field.Texts:
		return decode[[]string](text, "want an array of strings")
	case field.Codes:
		return decode[[]field.Code](text, `want an array of {"code", "desc"}`)
	case field.Integer:
		return decode[int](text, "want an integer")
	default:
		return decode[string](text, "want a string")
	}
}

func decode[T any](text json.RawMessage, problem string) (T, error) {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil || string(text) == "null" {
		return value, errors.New(problem)
	}
	return value, nil
}

// UnmarshalJSON restores the types that the fields' kinds require.
func (v *Values) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = nil
		return nil
	}
	values, err := ParseValues("values", text, slices.Concat(Facts, Options, LocationFields))
	*v = values
	return err
}

// Evidence is the evidence of a value that an outcome sets.
const Evidence = "given by an outcome"

// setScore is the score of a value that an outcome sets, from 0 to 1.
const setScore = 0.99

// FieldValues returns the values in the form of values extracted from a document.
func (v Values) FieldValues() []field.Value {
	values := []field.Value{}
	add := func(name, text string) {
		values = append(values, field.Value{Field: name, Text: text, Score: setScore, Evidence: Evidence})
	}
	for _, f := range slices.Concat(Facts, Options, LocationFields) {
		if slices.ContainsFunc(values, func(r field.Value) bool { return r.Field == f.Name }) {
			continue // a field of both versions
		}
		switch value := v[f.Name].(type) {
		case string:
			add(f.Name, value)
		case int:
			add(f.Name, strconv.Itoa(value))
		case []string:
			for _, text := range value {
				add(f.Name, text)
			}
		case []field.Code:
			for _, code := range value {
				add(f.Name, strings.TrimSpace(code.Code+" "+code.Desc))
			}
		}
	}
	return values
}

// Report returns the report of a company whose values the outcome sets. Values
// that are set appear unchanged; enrichment derives the others from them.
func (o *Outcome) Report(seed enrich.Seed, today time.Time) enrich.Report {
	in := enrich.Input{Seed: seed, Facts: o.Facts.FieldValues(), Options: o.Options.FieldValues(), Today: today}
	for _, location := range o.Locations {
		in.Locations = append(in.Locations, location.FieldValues())
	}
	report := enrich.Enrich(in)
	o.Facts.overwrite(&report.Facts, field.Facts)
	o.Facts.overwrite(&report.V1, field.Report)
	o.Options.overwrite(&report.Options, field.Options)
	if len(report.Locations) != len(o.Locations) {
		report.Locations = make([]enrich.Location, len(o.Locations))
	}
	for i, location := range o.Locations {
		location.overwrite(&report.Locations[i].Facts, field.LocationFacts)
		location.overwrite(&report.Locations[i].Options, field.LocationOptions)
	}
	return report
}

// overwrite replaces the record's values of the given fields with those that are
// set. It keeps a score only for values that are not empty.
func (v Values) overwrite(record *enrich.Record, fields []field.Field) {
	for _, f := range fields {
		value, ok := v[f.Name]
		if !ok {
			continue
		}
		if record.Values == nil {
			record.Values, record.Scores = map[string]any{}, map[string]float64{}
		}
		record.Values[f.Name] = value
		delete(record.Scores, f.Name)
		if !isEmpty(value) {
			record.Scores[f.Name] = setScore
		}
	}
}

// isEmpty reports whether the value is the one that stands for an unknown value.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []string:
		return len(value) == 0
	case []field.Code:
		return len(value) == 0
	}
	return false
}
