package outcome

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// FromReport returns an outcome of a file whose report has the same values in every
// package as the given one, except the scores and the seed input. It sets the values of
// the report, but leaves out those that enrichment derives from the others, so that a
// corrected value changes them too. today is the tenant's time at which the report was
// made.
func FromReport(report enrich.Report, sha256 []byte, today time.Time) Outcome {
	o := Outcome{
		SHA256: sha256, Facts: Values{}, Options: Values{}, Locations: make([]Values, len(report.Locations)),
	}
	derived := map[string]bool{}
	for _, synthetic := range enrich.Synthetic {
		derived[synthetic.Field] = true
	}
	want := valuesOf(report)
	for name, value := range want.facts {
		if !derived[name] {
			o.Facts[name] = value
		}
	}
	maps.Copy(o.Options, want.options)
	for i, location := range want.locations {
		o.Locations[i] = Values{}
		for name, value := range location {
			if !derived[name] {
				o.Locations[i][name] = value
			}
		}
	}
	remade := o.Report(seedOf(o.Facts), today)
	made := valuesOf(remade)
	o.Facts.setDifferent(want.facts, made.facts, Facts)
	o.Options.setDifferent(want.options, made.options, Options)
	for i := range o.Locations {
		o.Locations[i].setDifferent(want.locations[i], made.locations[i], LocationFields)
	}
	o.setPackages(report, o.Report(seedOf(o.Facts), today), today)
	o.Raw = !o.hasForms()
	return o
}

// seedOf returns the seed input of a submission that ends with the facts.
func seedOf(facts Values) (seed enrich.Seed) {
	seed.CompanyName, _ = facts["company_name"].(string)
	seed.Address, _ = facts["address"].(string)
	return seed
}

// reportValues are the values of a report that an outcome can set, in the form in which
// encoding/json decodes them.
type reportValues struct {
	facts, options Values
	locations      []Values
}

func valuesOf(report enrich.Report) reportValues {
	v := reportValues{Values{}, Values{}, make([]Values, len(report.Locations))}
	v.facts.add(report.V1, Facts)
	v.facts.add(report.Facts, Facts)
	v.options.add(report.Options, Options)
	for i, location := range report.Locations {
		v.locations[i] = Values{}
		v.locations[i].add(location.Facts, LocationFields)
		v.locations[i].add(location.Options, LocationFields)
	}
	return v
}

// add sets the known values of the record that are of one of the fields.
func (v Values) add(record enrich.Record, fields []field.Field) {
	for _, f := range fields {
		if value := record.Values[f.Name]; enrich.Known(value) {
			v[f.Name] = recoded(value)
		}
	}
}

// recoded encodes the value and decodes it again.
func recoded(value any) (plain any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return value
	}
	return plain
}

// setDifferent sets the fields whose wanted values differ from those made.
func (v Values) setDifferent(want, made Values, fields []field.Field) {
	for _, f := range fields {
		if reflect.DeepEqual(want[f.Name], made[f.Name]) {
			continue
		}
		v[f.Name] = want[f.Name]
		if want[f.Name] == nil {
			v[f.Name] = recoded(f.Kind.Empty())
		}
	}
}

// setPackages sets the values of version 5 in which the reports differ.
func (o *Outcome) setPackages(want, made enrich.Report, received time.Time) {
	company, companyMade := want.Version5(received), made.Version5(received)
	locations := make([][2]enrich.Record, len(want.Locations))
	for i := range locations {
		locations[i] = [2]enrich.Record{want.Locations[i].Version5(), made.Locations[i].Version5()}
	}
	difference := func(content field.Content, want, preset, made enrich.Record) Values {
		wanted, remade, different := Values{}, Values{}, Values{}
		wanted.add(want, content.Fields())
		wanted.add(preset, content.Fields())
		remade.add(made, content.Fields())
		different.setDifferent(wanted, remade, content.Fields())
		return different
	}
	packages := Packages{}
	for _, name := range field.ContentNames() {
		content, _ := field.FindContent(name)
		if !content.Locations {
			if values := difference(content, company, want.Packages[name], companyMade); len(values) > 0 {
				packages[name] = PackageValues{All: values}
			}
			continue
		}
		each := make([]Values, len(locations))
		for i, l := range locations {
			each[i] = difference(content, l[0], want.Locations[i].Packages[name], l[1])
		}
		if slices.ContainsFunc(each, func(v Values) bool { return len(v) > 0 }) {
			packages[name] = PackageValues{Each: each}
		}
	}
	if len(packages) > 0 {
		o.Packages = packages
	}
}

// hasForms reports whether all values have the form of their field.
func (o *Outcome) hasForms() bool {
	parse := func(values Values, fields []field.Field) bool {
		text, err := json.Marshal(values)
		if err == nil {
			_, err = ParseValues("", text, fields, false)
		}
		return err == nil
	}
	if !parse(o.Facts, Facts) || !parse(o.Options, Options) {
		return false
	}
	for _, location := range o.Locations {
		if !parse(location, LocationFields) {
			return false
		}
	}
	text, err := json.Marshal(o.Packages)
	if err == nil && o.Packages != nil {
		_, err = ParsePackages("", text, false, len(o.Locations))
	}
	return err == nil
}
