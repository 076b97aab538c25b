package schedule

import (
	"maps"
	"strings"

	"understudy.example/internal/extract/list"
)

// withoutRepeats removes the entries that another table or block repeats. Of the entries of
// one table, it removes only those that are equal to another.
func withoutRepeats(entries []Entry) []Entry {
	type key struct {
		list, key string
	}
	first := map[key]int{} // index of the entry in kept
	var kept []Entry
	for _, e := range entries {
		k := key{e.List, identity(e)}
		i, known := first[k]
		if !known || kept[i].group == e.group && !maps.Equal(kept[i].Values, e.Values) {
			if !known {
				first[k] = len(kept)
			}
			kept = append(kept, e)
			continue
		}
		for name, value := range e.Values {
			list.SetAbsent(kept[i].Values, name, value)
		}
	}
	return kept
}

// identity returns the text by which an entry is recognised in another table.
func identity(e Entry) string {
	v := e.Values
	join := func(names ...string) string {
		texts := make([]string, len(names))
		for i, name := range names {
			texts[i] = strings.ToLower(v[name])
		}
		return strings.Join(texts, "|")
	}
	switch {
	case v["vin"] != "":
		return join("vin")
	case v["claim_number"] != "":
		return join("claim_number")
	case e.List == "claim_history" && v["date_of_loss"] != "":
		return join("date_of_loss", "paid", "incurred")
	case e.List == "existing_insurance" && v["policy_number"] != "":
		return join("policy_number", "policy_effective_date", "year", "type")
	case e.List == "additional_interest":
		return join("party_name", "party_address", "~location", "interest")
	}
	var all strings.Builder
	for _, f := range list.KindOf(e.List).Fields {
		all.WriteString(v[f.Name] + "|")
	}
	return all.String()
}

// withoutConflicts returns the values without deductibles that the document states with
// different amounts under one name.
func (s *scanner) withoutConflicts() []Value {
	amounts := map[string]string{}
	conflicts := map[string]bool{}
	for _, v := range s.values {
		if v.Field != "deductible" {
			continue
		}
		at := strings.LastIndex(v.Text, ": ")
		name := strings.ToLower(v.Text[:at])
		if old, known := amounts[name]; known && old != v.Text[at:] {
			conflicts[name] = true
		}
		amounts[name] = v.Text[at:]
	}
	var kept []Value
	for _, v := range s.values {
		if v.Field != "deductible" || !conflicts[strings.ToLower(v.Text[:strings.LastIndex(v.Text, ": ")])] {
			kept = append(kept, v)
		}
	}
	return kept
}
