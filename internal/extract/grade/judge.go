package grade

import (
	"fmt"
	"slices"

	"understudy.example/internal/field"
)

// Verdict says whether one extracted value is right.
type Verdict int

// Verdicts of a value.
const (
	Neither Verdict = iota // the truth does not mention the field, or accepts the value
	Right
	Wrong
)

// Judge compares one value of a section, facts or options, with the truth. An entry of a
// list is wrong if the truth states the list without it.
func (d Document) Judge(section, name, text string) Verdict {
	return d.judge(section+"."+name, name, d.States(section, name), text)
}

func (d Document) judge(path, name string, stated Texts, text string) Verdict {
	isMistake := func(wrong string) bool { return normalize(wrong) == normalize(text) }
	switch {
	case slices.ContainsFunc(d.Not[name], isMistake):
		return Wrong
	case matchesAny(name, stated, text) || matchesAny(name, d.Also[path], text):
		return Right
	case len(stated) == 0 || matchesAny(name, d.Soft[path], text):
		return Neither
	}
	return Wrong
}

// JudgeLocations compares the values of locations with the rows of the truth. It returns a
// verdict for each value of each row.
func (d Document) JudgeLocations(extracted [][]field.Value) [][]Verdict {
	verdicts := make([][]Verdict, len(extracted))
	for i, row := range extracted {
		verdicts[i] = make([]Verdict, len(row))
	}
	c := &comparison{truth: d}
	for i, match := range c.pairLocations(extracted) {
		if match < 0 {
			continue
		}
		for n, v := range extracted[match] {
			verdicts[match][n] = d.judge(fmt.Sprintf("locations.rows[%d].%s", i, v.Field), v.Field, d.Locations.Rows[i][v.Field], v.Text)
		}
	}
	return verdicts
}

// States returns the texts that a document states for a field of facts or options.
func (d Document) States(section, name string) Texts {
	if section == "options" {
		return d.Options[name]
	}
	return d.Facts[name]
}
