package address

import (
	_ "embed"
	"iter"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// gen/main.go generates the .txt tables; countries.tsv is maintained by hand. NOTICE
// names the sources. The tables are searched in their embedded form: otherwise, each
// worker process would decode them when it starts, into memory of its own.
var (
	//go:embed tables/us.txt
	usCities table // key, state, name, position, number of ZIP codes

	//go:embed tables/zips.txt
	zipCodes table // ZIP code, name and state of its city, position

	//go:embed tables/uk.txt
	outcodes table // outcode, position

	//go:embed tables/world.txt
	worldTowns table // key, country, position, first-level area; the likeliest city of each country comes first

	//go:embed tables/countries.tsv
	countryTSV string
)

// table is a text of lines that are sorted by their first cells. Tabs separate the
// cells.
type table string

// all returns the remaining cells of each line that starts with the given cells.
func (t table) all(first ...string) iter.Seq[[]string] {
	prefix := strings.Join(first, "\t") + "\t"
	return func(yield func([]string) bool) {
		for at := t.search(prefix); at < len(t); {
			line := t.line(at)
			rest, found := strings.CutPrefix(line, prefix)
			if !found || !yield(strings.Split(rest, "\t")) {
				return
			}
			at += len(line) + 1
		}
	}
}

// first returns the remaining cells of the first line that starts with the given cells.
// It returns nil if there is none.
func (t table) first(first ...string) []string {
	for cells := range t.all(first...) {
		return cells
	}
	return nil
}

// search returns the offset of the first line that is not less than the prefix.
func (t table) search(prefix string) int {
	at := sort.Search(len(t), func(i int) bool { return string(t[t.start(i):]) >= prefix })
	if at == len(t) {
		return at
	}
	return t.start(at)
}

// start returns the offset of the start of the line that contains the byte at i.
func (t table) start(i int) int { return strings.LastIndexByte(string(t[:i]), '\n') + 1 }

// line returns the line that starts at an offset.
func (t table) line(at int) string {
	line, _, _ := strings.Cut(string(t[at:]), "\n")
	return line
}

// usCity is a US city or town; its ZIP codes share its name and state.
type usCity struct {
	key, name, state string
	position         Position
	zipCount         int
}

// newUSCity returns the city of a line. cells are the cells after the state.
func newUSCity(key, state string, cells []string) usCity {
	return usCity{key, cells[0], state, positionOf(cells[1], cells[2], 1000), mustAtoi(cells[3])}
}

// citiesOfUS returns the US cities with that key in all states, sorted by state.
func citiesOfUS(key string) (found []usCity) {
	for cells := range usCities.all(key) {
		found = append(found, newUSCity(key, cells[0], cells[1:]))
	}
	return found
}

// isUSCity reports whether a US city has that key.
func isUSCity(key string) bool { return usCities.first(key) != nil }

// findUSCity returns the city with that key in the state.
func findUSCity(state, key string) (usCity, bool) {
	cells := usCities.first(key, state)
	if cells == nil {
		return usCity{}, false
	}
	return newUSCity(key, state, cells), true
}

// largestUSCities are the cities with the most ZIP codes, by state.
var largestUSCities = sync.OnceValue(func() map[string]usCity {
	largest := map[string]usCity{}
	for line := range strings.Lines(string(usCities)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if found := newUSCity(cells[0], cells[1], cells[2:]); found.zipCount > largest[found.state].zipCount {
			largest[found.state] = found
		}
	}
	return largest
})

// zip is a ZIP code: the name and the state of its city, and its own position.
type zip struct {
	name, state string
	position    Position
}

// findZIP returns the ZIP code of five digits at the start of a postal code.
func findZIP(code string) (zip, bool) {
	if len(code) < 5 {
		return zip{}, false
	}
	cells := zipCodes.first(code[:5])
	if cells == nil {
		return zip{}, false
	}
	return zip{cells[0], cells[1], positionOf(cells[2], cells[3], 1000)}, true
}

// findOutcode returns the position of a British outcode.
func findOutcode(out string) (Position, bool) {
	cells := outcodes.first(out)
	if cells == nil {
		return Position{}, false
	}
	return positionOf(cells[0], cells[1], 1000), true
}

// worldCity is a city outside the US.
type worldCity struct {
	country, admin1 string
	position        Position
}

// citiesOfWorld returns the cities with that key in all countries but the US, sorted by
// country code, the likeliest city of each country first.
func citiesOfWorld(key string) (found []worldCity) {
	for cells := range worldTowns.all(key) {
		c := worldCity{country: cells[0], position: positionOf(cells[1], cells[2], 100)}
		if len(cells) > 3 {
			c.admin1 = cells[3]
		}
		found = append(found, c)
	}
	return found
}

func mustAtoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// positionOf returns the position with the given coordinates, in 1/unit of a degree.
func positionOf(lat, lon string, unit float64) Position {
	return Position{Latitude: float64(mustAtoi(lat)) / unit, Longitude: float64(mustAtoi(lon)) / unit}
}
