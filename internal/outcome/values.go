package outcome

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

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
		switch value := decoded(v[f.Name]).(type) {
		case string:
			add(f.Name, value)
		case float64:
			add(f.Name, strconv.FormatFloat(value, 'f', -1, 64))
		case []any:
			for _, entry := range value {
				switch entry := entry.(type) {
				case string:
					add(f.Name, entry)
				case map[string]any: // a code
					add(f.Name, strings.TrimSpace(fmt.Sprint(entry["code"], " ", entry["desc"])))
				}
			}
		}
	}
	return values
}

// Report returns the report of a company whose values the outcome sets. Values
// that are set appear unchanged; enrichment derives the others from them.
func (o *Outcome) Report(seed enrich.Seed, today time.Time) enrich.Report {
	in := enrich.Input{
		Seed: seed, Facts: o.Facts.FieldValues(), Options: o.Options.FieldValues(), Today: today,
		Locations: make([][]field.Value, max(len(o.Locations), o.Packages.locations())),
	}
	for i, location := range o.Locations {
		in.Locations[i] = location.FieldValues()
	}
	report := enrich.Enrich(in)
	o.Facts.overwrite(&report.Facts, field.Facts)
	o.Facts.overwrite(&report.V1, field.Report)
	o.Options.overwrite(&report.Options, field.Options)
	for i, location := range o.Locations {
		location.overwrite(&report.Locations[i].Facts, field.LocationFacts)
		location.overwrite(&report.Locations[i].Options, field.LocationOptions)
	}
	o.Packages.apply(&report)
	return report
}

// overwrite replaces the record's values of the given fields with those that are
// set. It keeps a score only for values that are not empty.
func (v Values) overwrite(record *enrich.Record, fields []field.Field) {
	for _, f := range fields {
		if _, ok := v[f.Name]; !ok {
			continue
		}
		value := decoded(v[f.Name])
		if record.Values == nil {
			record.Values, record.Scores = map[string]any{}, map[string]float64{}
		}
		record.Values[f.Name] = value
		delete(record.Scores, f.Name)
		if enrich.Known(value) {
			record.Scores[f.Name] = setScore
		}
	}
}
