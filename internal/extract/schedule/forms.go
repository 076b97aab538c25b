package schedule

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

var (
	formSuffix = lazyregexp.New(`_([A-Z]{1,2})$`)
	camelCase  = lazyregexp.New(`([a-z])([A-Z])`)
)

// formEntry is an entry of a form: the fields with one suffix, of one line of business.
type formEntry struct {
	part         int
	suffix, line string
	values       map[string]string
	place        content.Place
}

// readForms reads the fields of ACORD forms by their names. The suffix of a name
// identifies the entry. A second copy of a form has the same names again.
func (s *scanner) readForms() {
	entries := map[string][]*formEntry{}
	years := map[string]string{} // of the prior policies, by part and suffix
	for i, b := range s.blocks {
		m := pairs.FormName.FindStringSubmatch(b.Label)
		value := list.Clean(b.Value)
		if m == nil || value == "" || strings.EqualFold(value, "off") {
			continue
		}
		suffix := ""
		name := m[1]
		if end := formSuffix.FindStringSubmatch(name); end != nil {
			name, suffix = strings.TrimSuffix(name, end[0]), end[1]
		}
		for n := range list.Kinds {
			k := &list.Kinds[n]
			meaning, line, ok := vocabulary.Schedule(k.List).Form(name)
			if !ok {
				continue
			}
			if k.List == "existing_insurance" && meaning == "year" {
				years[suffix] = value
				continue
			}
			s.formValue(k, entries, formEntry{part: b.Part, suffix: suffix, line: line, place: b.Place}, meaning, value)
		}
		s.formSingle(name, suffix, value, i)
	}
	for i := range list.Kinds {
		k := &list.Kinds[i]
		for _, e := range entries[k.List] {
			if k.List == "existing_insurance" {
				list.SetAbsent(e.values, "type", camelCase.ReplaceAllString(e.line, "$1 $2"))
				list.SetAbsent(e.values, "year", years[e.suffix])
			}
			s.complete(k, e.values)
			if list.Satisfied(k.Entry, list.HasValues(e.values)) {
				s.groups++
				s.add(Entry{k.List, e.values, FromForm, Doubts{}, e.place, s.groups})
			}
		}
	}
}

// formValue adds the value of a form field to its entry.
func (s *scanner) formValue(k *list.Kind, entries map[string][]*formEntry, at formEntry, meaning, value string) {
	box, isBox := strings.CutPrefix(meaning, "~box ")
	switch {
	case isBox && !pairs.BoxOn.MatchString(value):
		return
	case isBox:
		meaning, value = "interest", box
	default:
		text, fits := s.Value(list.FieldNamed(k.Fields, meaning), content.Cell{Text: value})
		if !fits || text == "" {
			return
		}
		value = text
	}
	list := entries[k.List]
	for i := len(list) - 1; i >= 0; i-- {
		if e := list[i]; e.part == at.part && e.suffix == at.suffix && e.line == at.line {
			if e.values[meaning] == "" {
				e.values[meaning] = value
				return
			}
			break
		}
	}
	at.values = map[string]string{meaning: value}
	entries[k.List] = append(list, &at)
}

// formSingle proposes the value of a form field that is not one of an entry.
func (s *scanner) formSingle(name, suffix, value string, line int) {
	if coverage, _, ok := vocabulary.Schedule("deductible").Form(name); ok {
		s.addDeductible(coverage, value, line)
	}
	// The first row of symbols is that of liability; the others differ between states.
	if symbol, _, ok := vocabulary.Schedule("symbols").Form(name); ok && suffix == "A" && pairs.BoxOn.MatchString(value) {
		s.propose("liability_covered_auto_symbols", symbol, line)
	}
}
