package outcome

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// Packages are the values of data packages in version 5, by the name of the content.
type Packages map[string]PackageValues

// PackageValues are the values of one content: either one set of values, for the
// company or for every location, or one set per location, in order.
type PackageValues struct {
	All  Values
	Each []Values // nil = All is set
}

// ParsePackages parses a JSON object with the values of contents. The values of a
// content are an object, in which they can be grouped as facts and options; for
// locations also an array of such objects. Its errors are those of ParseValues.
func ParsePackages(path string, text json.RawMessage, raw bool, maxLocations int) (Packages, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s: want an object", path)
	}
	packages := Packages{}
	for _, name := range sortedNames(object) {
		content, ok := field.FindContent(name)
		if !ok {
			return nil, fmt.Errorf("%s: unknown content %q, want one of %s", path, name, strings.Join(field.ContentNames(), ", "))
		}
		at := path + "." + name
		var each []json.RawMessage
		if content.Locations && json.Unmarshal(object[name], &each) == nil && each != nil {
			if len(each) > maxLocations {
				return nil, fmt.Errorf("%s: want at most %d locations", at, maxLocations)
			}
			values := PackageValues{Each: make([]Values, len(each))}
			for i := range each {
				var err error
				if values.Each[i], err = parsePackage(fmt.Sprintf("%s[%d]", at, i), each[i], content, raw); err != nil {
					return nil, err
				}
			}
			packages[name] = values
			continue
		}
		values, err := parsePackage(at, object[name], content, raw)
		if err != nil {
			return nil, err
		}
		packages[name] = PackageValues{All: values}
	}
	return packages, nil
}

// parsePackage parses the values of one element of a content.
func parsePackage(path string, text json.RawMessage, content field.Content, raw bool) (Values, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s: want an object", path)
	}
	values := Values{}
	for group, fields := range map[string][]field.Field{"facts": content.Facts, "options": content.Options} {
		if object[group] == nil {
			continue
		}
		grouped, err := ParseValues(path+"."+group, object[group], fields, raw)
		if err != nil {
			return nil, err
		}
		maps.Copy(values, grouped)
		delete(object, group)
	}
	rest, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	plain, err := ParseValues(path, rest, content.Fields(), raw)
	if err != nil {
		return nil, err
	}
	maps.Copy(values, plain)
	return values, nil
}

// MarshalJSON returns the values in the form that ParsePackages accepts.
func (p PackageValues) MarshalJSON() ([]byte, error) {
	if p.Each != nil {
		return json.Marshal(p.Each)
	}
	return json.Marshal(p.All)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (p *PackageValues) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), "[") {
		return json.Unmarshal(text, &p.Each)
	}
	return json.Unmarshal(text, &p.All)
}

// locations returns the number of locations that a report needs to show the values: one
// if they apply to every location.
func (p Packages) locations() int {
	n := 0
	for name, values := range p {
		if content, _ := field.FindContent(name); content.Locations {
			n = max(n, len(values.Each))
			if values.Each == nil {
				n = max(n, 1)
			}
		}
	}
	return n
}

// apply sets the values in the report.
func (p Packages) apply(report *enrich.Report) {
	for name, values := range p {
		content, _ := field.FindContent(name)
		if !content.Locations {
			set(&report.Packages, content, values.All)
			continue
		}
		for i := range report.Locations {
			of := values.All
			if values.Each != nil {
				of = nil
				if i < len(values.Each) {
					of = values.Each[i]
				}
			}
			set(&report.Locations[i].Packages, content, of)
		}
	}
}

func set(packages *map[string]enrich.Record, content field.Content, values Values) {
	if len(values) == 0 {
		return
	}
	if *packages == nil {
		*packages = map[string]enrich.Record{}
	}
	var record enrich.Record
	values.overwrite(&record, content.Fields())
	if _, given := values["100_pct_limit"]; content.Locations && !given {
		record.SumLimits(amounts(decoded(values["100_pct_coverage_limits"])))
	}
	(*packages)[content.Name] = record
}

// amounts returns the amounts in a JSON object, by name.
func amounts(object any) map[string]string {
	found := map[string]string{}
	members, _ := object.(map[string]any)
	for name, member := range members {
		if amount, ok := member.(string); ok {
			found[name] = amount
		}
	}
	return found
}
