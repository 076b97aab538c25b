package candidate

import (
	"slices"

	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/field"
)

// Resolve returns the values of the candidates that a model accepts.
func Resolve(m *resolve.Model, candidates []resolve.Reading) (facts, options []field.Value) {
	decided := m.Decide(m.Values(candidates))
	return valuesOf(decided, factNames), valuesOf(decided, optionNames)
}

// The names of the fields in the order of the result. Each name occurs once.
var (
	factNames   = namesOf(field.Facts, field.Report, field.MoreFacts)
	optionNames = namesOf(field.Options, field.MoreOptions)
)

func namesOf(tables ...[]field.Field) (names []string) {
	for _, f := range slices.Concat(tables...) {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// valuesOf returns the accepted values of the fields, among the first maxEntries of each.
func valuesOf(decided map[string][]resolve.Value, names []string) []field.Value {
	values := []field.Value{}
	for _, name := range names {
		entries := 0 // of a list
		for _, v := range decided[name] {
			if entries++; v.Given && entries <= maxEntries {
				values = append(values, field.Value{Field: name, Text: v.Text, Score: Rounded(v.Probability), Evidence: v.Reading.Evidence})
			}
		}
	}
	return values
}

const maxEntries = 30 // values of a field that is a list

// Ranked returns the accepted values of a field: the most probable one, or all entries of a
// list in the order of the document.
func (d *Set) Ranked(name string) (given []resolve.Value) {
	values := d.values(name)
	count := 0
	for i := range values {
		if values[i].Given {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	given = make([]resolve.Value, 0, count)
	for i := range values {
		if values[i].Given {
			given = append(given, values[i])
		}
	}
	return given
}

// Best returns the most probable accepted value of a field, or "".
func (d *Set) Best(name string) string {
	values := d.values(name)
	for i := range values {
		if values[i].Given {
			return values[i].Text
		}
	}
	return ""
}

// values returns all values of a field, including those that are not accepted.
func (d *Set) values(name string) []resolve.Value {
	if values, known := d.decided[name]; known {
		return values
	}
	return d.decide(name)
}

// decide decides which values of a field and of its competitors are accepted. Candidates for other
// fields do not affect the decision.
func (d *Set) decide(name string) []resolve.Value {
	names := competitors(name)
	counted := 0
	for _, n := range names {
		counted += d.counts[n]
	}
	readings := make([]resolve.Reading, 0, counted)
	for i := range d.Readings {
		if slices.Contains(names, d.Readings[i].Field) {
			readings = append(readings, d.Readings[i])
		}
	}
	var decided map[string][]resolve.Value
	if len(readings) > 0 {
		decided = resolve.Fitted.Decide(resolve.Fitted.Values(readings))
	}
	if d.decided == nil {
		d.decided = map[string][]resolve.Value{}
	}
	for _, n := range names {
		d.decided[n] = decided[n]
	}
	return decided[name]
}

// undecide forgets which values of a field and of its competitors are accepted.
func (d *Set) undecide(name string) {
	for _, n := range competitors(name) {
		delete(d.decided, n)
	}
}

// competitors returns the fields whose values can compete with those of a field: the field itself,
// and the fields with the same claims.
func competitors(name string) []string {
	for _, fields := range [][]string{named, mailed} {
		if slices.Contains(fields, name) {
			return fields
		}
	}
	return []string{name}
}
