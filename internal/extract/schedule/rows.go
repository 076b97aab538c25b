package schedule

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/field"
)

// finish adds the entries of a section, unless too many of its cells do not have the type
// of their columns.
func (s *scanner) finish(current *section) {
	if current == nil {
		return
	}
	if s.last = nil; len(current.entries) > 0 && current.table != nil {
		s.last = current
	}
	if current.wrong*3 <= current.typed {
		for _, e := range current.entries {
			s.add(e)
		}
		s.listed[current.table] = true
	}
	current.entries = nil
}

// row reads a row of a section. It reports whether it is an entry, or a row of totals.
func (s *scanner) row(current *section, row []content.Cell, b Block) bool {
	if len(row) == 0 || isTotal(row) {
		return true
	}
	some := false
	for _, columns := range list.Cycles(current.columns) {
		values, fit, typed, wrong := s.cells(current.kind, columns, row)
		if wrong*2 > typed && typed > 0 {
			continue
		}
		if len(values) > 1 {
			current.typed, current.wrong = current.typed+typed, current.wrong+wrong
		}
		s.complete(current.kind, values)
		if !list.Satisfied(current.kind.Entry, list.HasValues(values)) {
			continue
		}
		place := b.Place
		if ref := row[min(columns[0].Index, len(row)-1)].Ref; ref != (content.Ref{}) {
			place.Cell, place.Line = ref, 0
		}
		doubts := Doubts{Header: 1 - fit}
		if wrong > 0 {
			doubts.Cells = 0.5
		}
		if len(current.entries) >= maxEntries {
			return true
		}
		current.entries = append(current.entries, Entry{current.kind.List, values, FromTable, doubts, place, current.group})
		some = true
	}
	return some
}

// cells returns the values of the columns in a row, how well their headers fit, how
// many cells are in columns with a type, and how many of these have another type.
func (s *scanner) cells(k *list.Kind, columns []list.TableColumn, row []content.Cell) (values map[string]string, fit float64, typed, wrong int) {
	values = map[string]string{}
	n := 0
	for _, c := range columns {
		if c.Index >= len(row) || row[c.Index].Merged {
			continue
		}
		cell := row[c.Index]
		f := list.FieldNamed(k.Fields, strings.TrimSuffix(c.Meaning, "_part"))
		switch c.Meaning {
		case "~paid_part", "~reserved_part":
			f = field.Field{Name: c.Meaning, Kind: field.Money}
		case "~full_time", "~part_time":
			f = field.Field{Name: c.Meaning, Kind: field.Number}
		case "~name_address":
			values[c.Meaning] = cell.Text
			continue
		}
		text, ok := s.Value(f, cell)
		if text == "" && ok {
			continue
		}
		if f.Kind != field.Text || f.Name == "vin" || f.Name == "class_code" {
			typed++
			if !ok {
				wrong++
			}
		}
		if !ok {
			continue
		}
		switch {
		case f.Name == "~paid_part" || f.Name == "~reserved_part":
			values[f.Name] = s.AddMoney(values[f.Name], text)
		case values[c.Meaning] == "":
			values[c.Meaning] = text
		}
		fit += c.Fit
		n++
	}
	if n > 0 {
		fit /= float64(n)
	}
	return values, fit, typed, wrong
}

// openStatus is the status of a claim by the text of a column such as "Claim open Y/N".
var openStatus = map[string]string{"Y": "Open", "YES": "Open", "N": "Closed", "NO": "Closed", "OPEN": "Open", "CLOSED": "Closed"}

// complete derives fields of an entry from its other values, and from those above the
// table.
func (s *scanner) complete(k *list.Kind, values map[string]string) {
	for _, name := range k.Carry {
		if s.carried.age <= 30 || s.last != nil {
			list.SetAbsent(values, name, s.carried.values[k.List+"."+name])
		}
	}
	switch k.List {
	case "vehicles":
		for _, name := range []string{"~make_model", "~year_make_model"} {
			if values[name] != "" {
				list.SplitModel(values[name], values)
			}
		}
		address := list.JoinAddress(values["~street"], "", values["~city"], values["~state"], values["~zip"])
		if garage := values["garaging_address"]; garage == "" && (values["~city"] != "" || values["~zip"] != "") {
			values["garaging_address"] = address
		} else if garage != "" && values["~city"] != "" {
			values["garaging_address"] = list.JoinAddress(garage, "", values["~city"], values["~state"], values["~zip"])
		}
	case "claim_history":
		list.SetAbsent(values, "paid", values["~paid_part"])
		list.SetAbsent(values, "reserved", values["~reserved_part"])
		list.SetAbsent(values, "description", values["~cause"])
		list.SetAbsent(values, "status", openStatus[strings.ToUpper(values["~open"])])
	case "employees":
		if values["number_of_employees"] == "" {
			full, part := values["~full_time"], values["~part_time"]
			values["number_of_employees"] = strings.TrimSuffix(strings.ReplaceAll(s.AddMoney(full, part), ",", ""), ".00")
		}
	case "existing_insurance":
		if from, to := s.Period(values["~period"]); from != "" {
			list.SetAbsent(values, "policy_effective_date", from)
			list.SetAbsent(values, "policy_expiry_date", to)
		}
		if from, to := values["policy_effective_date"], values["policy_expiry_date"]; from != "" && to != "" && from >= to {
			delete(values, "policy_effective_date") // of another policy
		}
	case "additional_interest":
		if both := values["~name_address"]; both != "" {
			name, address := list.NameAddress(both)
			if !s.Missing(name) {
				list.SetAbsent(values, "party_name", name)
				list.SetAbsent(values, "party_address", address)
			}
		}
		list.SetAbsent(values, "party_address", list.JoinAddress(values["~street"], values["~street2"], values["~city"], values["~state"], values["~zip"]))
		if values["~city"] != "" && !strings.Contains(values["party_address"], values["~city"]) {
			values["party_address"] = list.JoinAddress(values["party_address"], "", values["~city"], values["~state"], values["~zip"])
		}
	}
}

// isTotal reports whether the first text of a row says that it has totals.
func isTotal(row []content.Cell) bool {
	for _, c := range row[:min(len(row), list.MaxColumns)] {
		if text := list.Clean(c.Text); text != "" && !c.Merged {
			return vocabulary.IsTotal(text)
		}
	}
	return false
}
