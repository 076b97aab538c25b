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

// Values are given values by field name, in the form of each field's kind:
// string, []string, []field.Code or int.
type Values map[string]any

// Fields that can be given.
var (
	// Facts are the company's fields of both versions; company_id is the
	// report's own.
	Facts         = slices.DeleteFunc(slices.Concat(field.Facts, field.Report), func(f field.Field) bool { return f.Name == "company_id" })
	Options       = field.Options
	LocationShape = slices.Concat(field.LocationFacts, field.LocationOptions)
)

// ReadValues reads a JSON object of values for the fields. An error names the
// field at fault; at is the object's own place.
func ReadValues(at string, text json.RawMessage, fields []field.Field) (Values, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s: want an object", at)
	}
	values := Values{}
	for _, name := range sorted(object) {
		i := slices.IndexFunc(fields, func(f field.Field) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown field %q", at+"."+name)
		}
		value, err := readValue(fields[i].Kind, object[name])
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", at, name, err)
		}
		values[name] = value
	}
	return values, nil
}

func sorted(object map[string]json.RawMessage) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readValue reads a value of the kind; its error says what is wanted. A text is taken as it is: what a date or an
// amount looks like is the caller's own affair.
func readValue(kind field.Kind, text json.RawMessage) (any, error) {
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

// UnmarshalJSON gives the values the types of their fields' kinds again.
func (v *Values) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = nil
		return nil
	}
	values, err := ReadValues("values", text, slices.Concat(Facts, Options, LocationShape))
	*v = values
	return err
}

// Evidence is where a value that an outcome gives was found.
const Evidence = "given by an outcome"

// score is that of a value given, from 0 to 1.
const score = 0.99

// Read returns the values as if they had been read in a document.
func (v Values) Read() []field.Value {
	read := []field.Value{}
	add := func(name, text string) {
		read = append(read, field.Value{Field: name, Text: text, Score: score, Evidence: Evidence})
	}
	for _, f := range slices.Concat(Facts, Options, LocationShape) {
		if slices.ContainsFunc(read, func(r field.Value) bool { return r.Field == f.Name }) {
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
	return read
}

// Report is the report of a company of which a test says what is so: what is
// given stands as it was given, the rest is enriched from it.
func (o *Outcome) Report(seed enrich.Seed, today time.Time) enrich.Report {
	in := enrich.Input{Seed: seed, Facts: o.Facts.Read(), Options: o.Options.Read(), Today: today}
	for _, location := range o.Locations {
		in.Locations = append(in.Locations, location.Read())
	}
	report := enrich.Enrich(in)
	o.Facts.put(&report.Facts, field.Facts)
	o.Facts.put(&report.V1, field.Report)
	o.Options.put(&report.Options, field.Options)
	if len(report.Locations) != len(o.Locations) {
		report.Locations = make([]enrich.Location, len(o.Locations))
	}
	for i, location := range o.Locations {
		location.put(&report.Locations[i].Facts, field.LocationFacts)
		location.put(&report.Locations[i].Options, field.LocationOptions)
	}
	return report
}

// put sets those of the values that belong to the fields.
func (v Values) put(record *enrich.Record, fields []field.Field) {
	for _, f := range fields {
		value, given := v[f.Name]
		if !given {
			continue
		}
		if record.Values == nil {
			record.Values, record.Scores = map[string]any{}, map[string]float64{}
		}
		record.Values[f.Name] = value
		delete(record.Scores, f.Name)
		if !empty(value) {
			record.Scores[f.Name] = score
		}
	}
}

// empty tells whether the value is what an unknown one looks like.
func empty(value any) bool {
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
