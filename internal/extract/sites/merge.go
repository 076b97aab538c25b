package sites

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/words"
)

// merged adds the values from a list of names to the rows with the same names.
func (b *blocks) merged() []location.Row {
	named := map[string][]int{} // indexes of rows, by the first word of the name
	first := func(r location.Row) string {
		word, _, _ := strings.Cut(r.Cells["~name"].Text, " ")
		return strings.ToLower(word)
	}
	for i, r := range b.rows {
		named[first(r)] = append(named[first(r)], i)
	}
	for _, note := range b.notes {
		word := first(note)
		if word == "" || len(named[word]) > maxNamedAlike {
			continue
		}
		for _, i := range named[word] {
			b.rows[i].Complete(note)
		}
	}
	var out []location.Row
	seen := map[string]int{}
	for _, r := range b.rows {
		keys := []string{r.IDKey() + r.AddressKey()}
		if street := r.Cells["location_address"].Text; r.IDKey() != "" {
			if a := address.Parse(street); a.Street != "" {
				street = a.Street // only one of the rows may state the city
			}
			building := strings.TrimLeft(words.BareKey(r.Cells["~building"].Text), "0")
			keys = append(keys, r.LocationKey()+" "+words.BareKey(street)+" "+strings.TrimSuffix(building, "1"))
		}
		at, known := seen[keys[0]]
		if !known && len(keys) > 1 {
			at, known = seen[keys[1]]
		}
		if known {
			out[at].Complete(r)
			continue
		}
		for _, key := range keys {
			seen[key] = len(out)
		}
		out = append(out, r)
	}
	return out
}

// detailed adds the blocks that state no place to the rows with the same numbers. A further building of
// a location becomes a row of its own. others are the blocks for which there is no row.
func (b *blocks) detailed(rows []location.Row) (whole, others []location.Row) {
	first := map[string]int{}
	for i, r := range rows {
		if key := r.LocationKey(); key != "" {
			if _, known := first[key]; !known {
				first[key] = i
			}
		}
	}
	held := map[string]bool{}
	list := location.NewList(rows)
	for _, r := range b.details {
		at, known := first[r.LocationKey()]
		switch {
		case list.Fill([]location.Row{r}) > 0:
		case !known:
			others = append(others, r)
		case !held[r.LocationKey()] && list.Rows[at].Cells["~building"].Text == "":
			list.Rows[at].Complete(r)
			held[r.LocationKey()] = true
		case r.HasPropertyValue():
			r.Complete(list.Rows[at].PlaceOnly())
			list.Rows = append(list.Rows, r)
		}
	}
	return list.Rows, others
}

const maxNamedAlike = 10
