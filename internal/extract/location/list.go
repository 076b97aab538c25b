package location

import (
	"strings"

	"understudy.example/internal/extract/words"
)

// List is a list of locations that can find the row of a location. Callers may append to Rows, but
// must not change it otherwise.
type List struct {
	Rows                    []Row
	indexed                 int // number of rows in the maps
	byID, byAddress, byName map[string]int
	byLocation              map[string][]int
	names                   []string // by row, for comparing how names begin; only in short lists
}

// NewList returns a list of the rows.
func NewList(rows []Row) *List {
	return &List{Rows: rows, byID: map[string]int{}, byAddress: map[string]int{}, byName: map[string]int{}, byLocation: map[string][]int{}}
}

// Fill adds the values of other rows to the rows of the same locations. It returns how many of
// the others have such a row.
func Fill(rows, others []Row) int { return NewList(rows).Fill(others) }

// Fill adds the values of other rows to the rows of the list for the same locations. It returns
// how many of the others have such a row.
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

// add adds the keys of row i to the maps. If several rows have a key, the map holds the first.
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

// fill is Fill, but reports for each of the others whether it has a row in the list.
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

// find returns the index of the row for the same location as another row.
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

// Limits for comparing how names begin.
const (
	minNameCompared  = 8   // bytes
	maxNamesCompared = 300 // number of rows from which on only equal names match
)
