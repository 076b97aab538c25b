package main

import (
	"strings"
	"time"
	"unicode"

	"understudy.example/internal/extract/grade"
)

// stages are the stages at which a stated value can be lost.
var stages = []string{"not in text", "never proposed", "dropped", "other field", "lost"}

// followers are fields that are derived from addresses. Their misses are not counted,
// because they repeat the misses of the addresses.
var followers = map[string]bool{
	"facts.city": true, "facts.state": true, "facts.postal_code": true,
	"options.broker_city": true, "options.broker_state": true, "options.broker_postal_code": true,
}

// miss counts a stated value that was not given, by the stage that lost it.
func (f *figures) miss(d *document, miss grade.Miss) {
	if miss.Stated == "" || followers[miss.Field] || miss.Field == "locations.rows" || miss.Field == "locations.sum_building_value" {
		return
	}
	stage := d.stageOf(miss)
	for _, group := range []string{groupOf(d, miss.Field), all} {
		if f.misses[group] == nil {
			f.misses[group] = map[string]int{}
		}
		f.misses[group][stage]++
	}
}

// stageOf returns the stage that lost a stated value.
func (d *document) stageOf(miss grade.Miss) string {
	section, name, _ := strings.Cut(miss.Field, ".")
	if section != "locations" {
		right := func(text string) bool {
			one := grade.Document{Facts: map[string]grade.Texts{name: {miss.Stated}}, Options: map[string]grade.Texts{name: {miss.Stated}}}
			return one.Judge(section, name, text) == grade.Right
		}
		other := false
		for _, r := range d.readings {
			if right(r.Text) {
				if r.Field == name {
					return "lost"
				}
				other = true
			}
		}
		for _, r := range d.dropped {
			if r.Field == name && right(r.Text) {
				return "dropped"
			}
		}
		if other {
			return "other field"
		}
	}
	if !contains(d.extraction.Text, miss.Stated) {
		return "not in text"
	}
	return "never proposed"
}

// contains reports whether a text contains a stated value in one of its common forms.
func contains(text, stated string) bool {
	bare := letters(text)
	forms := []string{strings.TrimSuffix(stated, ".00")}
	if date, err := time.Parse(time.DateOnly, stated); err == nil {
		for _, layout := range []string{"2 January 2006", "January 2 2006", "2 Jan 2006", "Jan 2 2006", "02012006", "01022006", "212006", "122006", "020106", "010206", "20060102"} {
			forms = append(forms, date.Format(layout))
		}
	}
	for _, form := range forms {
		if strings.Contains(bare, letters(form)) {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
