package location

import (
	"strings"

	"understudy.example/internal/extract/words"
)

// List is a list of locations that finds the rows of one location. Rows are appended to Rows,
// and not changed otherwise.
type List struct {
	Rows                    []Row
	indexed                 int // rows in the maps
	byID, byAddress, byName map[string]int
	byLocation              map[string][]int
	names                   []string // for comparing beginnings of names, in short tables
}

// NewList returns a list of the rows.
func NewList(rows []Row) *List {
	return &List{Rows: rows, byID: map[string]int{}, byAddress: map[string]int{}, byName: map[string]int{}, byLocation: map[string][]int{}}
}

// Fill adds to rows the values that others have for the same location, and returns
// how many of the others were found.
func Fill(rows, others []Row) int { return NewList(rows).Fill(others) }

// Fill adds to the rows of the list the values that others have for the same location, and
// returns how many of the others were found.
func (l *List) Fill(others []Row) int {
	matched := 0
	for _, found := range l.fill(others) {
		if found {
			matched++
		}
	}
	return matched
}

// HasAddress reports whether a row of the list has the address of another row.
func (l *List) HasAddress(r Row) bool {
	l.index()
	_, known := l.byAddress[r.AddressKey()]
	return known
}

// HasLocation reports whether a row of the list has the location number of another row.
func (l *List) HasLocation(r Row) bool {
	l.index()
	key := r.LocationKey()
	return key != "" && len(l.byLocation[key]) > 0
}

// index adds the rows that were appended since the last call to the maps.
func (l *List) index() {
	for ; l.indexed < len(l.Rows); l.indexed++ {
		l.add(l.indexed)
		key := l.Rows[l.indexed].LocationKey()
		l.byLocation[key] = append(l.byLocation[key], l.indexed)
	}
}

// add adds the keys of a row to the maps. The first row with a key is found.
func (l *List) add(i int) {
	r := l.Rows[i]
	first := func(index map[string]int, key string) {
		if _, taken := index[key]; !taken && key != "" {
			index[key] = i
		}
	}
	name := words.BareKey(r.Cells["~name"].Text)
	first(l.byID, r.IDKey())
	first(l.byAddress, r.AddressKey())
	first(l.byName, name)
	if i < maxNamesCompared && i == len(l.names) {
		l.names = append(l.names, name)
	} else if i < len(l.names) {
		l.names[i] = name
	}
}

// fill does what Fill does, and returns which of the others were found.
func (l *List) fill(others []Row) []bool {
	found := make([]bool, len(others))
	if len(others) == 0 || len(l.Rows) == 0 {
		return found
	}
	l.index()
	for n, o := range others {
		at, ok := l.find(o)
		if !ok {
			continue
		}
		found[n] = true
		row := l.Rows[at]
		before := row.LocationKey()
		if street := o.Cells["location_address"]; street.Text != "" && row.Cells["location_address"].Text == "" {
			delete(row.Cells, "~city_line") // the complete address has more details
		}
		row.Complete(o)
		l.add(at)
		if key := row.LocationKey(); key != before {
			l.byLocation[key] = append(l.byLocation[key], at)
		}
	}
	return found
}

// find returns the index of the row that is about the same location as another row.
func (l *List) find(o Row) (at int, ok bool) {
	if id := o.IDKey(); id != "" {
		at, ok = l.byID[id]
	}
	if only := l.byLocation[o.LocationKey()]; !ok && len(only) == 1 && o.LocationKey() != "" && o.Cells["~building"].Text == "" {
		at, ok = only[0], true
	}
	if o.Place() {
		key := o.AddressKey()
		if a, known := l.byAddress[key]; known {
			if !ok || l.Rows[at].AddressKey() != key {
				at, ok = a, true
			}
		} else if ok && l.Rows[at].Place() && l.Rows[at].Cells["location_address"].Text != "" && o.Cells["location_address"].Text != "" && !strings.HasPrefix(l.Rows[at].AddressKey(), key) {
			ok = false
		}
	}
	name := words.BareKey(o.Cells["~name"].Text)
	if !ok && name != "" {
		at, ok = l.byName[name]
	}
	if ok || len(name) <= minNameCompared || len(l.Rows) >= maxNamesCompared {
		return at, ok
	}
	for i, known := range l.names {
		if len(known) > minNameCompared && (strings.HasPrefix(name, known) || strings.HasPrefix(known, name)) {
			return i, true
		}
	}
	return 0, false
}

// Limits of the comparison of beginnings of names.
const (
	minNameCompared  = 8   // bytes
	maxNamesCompared = 300 // rows from which on only equal names match
)
