package address

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// gen/main.go generates the .gz tables; countries.tsv is maintained by hand.
// NOTICE names the sources.
//
//go:embed tables
var files embed.FS

// usCity is a US city or town; its ZIP codes share its name and state.
type usCity struct {
	key, name, state string
	position         Position
	zipCount         int
}

// zip is the city and position of a ZIP code.
type zip struct {
	city     int // index in usTable.cities
	position Position
}

type usTable struct {
	cities []usCity // sorted by key, then state
	zips   map[string]zip
	// largest is the city with the most ZIP codes, by state.
	largest map[string]usCity
}

// worldTable holds the lines of the table as text: decoded into structs they
// would take five times the memory.
type worldTable struct {
	text   string
	starts []int32 // offset of each line
}

// worldCity is one line of the world table.
type worldCity struct {
	country, admin1 string
	position        Position
}

var unitedStates = sync.OnceValue(func() usTable {
	lines := strings.Split(strings.TrimSpace(unpack("us.txt.gz")), "\n")
	table := usTable{cities: make([]usCity, 0, len(lines)), zips: make(map[string]zip, 43_000), largest: map[string]usCity{}}
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		lat, lon := mustAtoi(cells[2]), mustAtoi(cells[3])
		codes := strings.Split(cells[4], " ")
		for _, code := range codes {
			code, offset, moved := strings.Cut(code, ",")
			position := scaledPosition(lat, lon, 1000)
			if moved {
				north, east, _ := strings.Cut(offset, ",")
				position = scaledPosition(lat+mustAtoi(north), lon+mustAtoi(east), 1000)
			}
			table.zips[code] = zip{i, position}
		}
		found := usCity{Key(cells[0]), cells[0], cells[1], scaledPosition(lat, lon, 1000), len(codes)}
		table.cities = append(table.cities, found)
		if found.zipCount > table.largest[found.state].zipCount {
			table.largest[found.state] = found
		}
	}
	return table
})

var outcodePositions = sync.OnceValue(func() map[string]Position {
	table := make(map[string]Position, 3100)
	for line := range strings.Lines(unpack("uk.txt.gz")) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		table[cells[0]] = scaledPosition(mustAtoi(cells[1]), mustAtoi(cells[2]), 1000)
	}
	return table
})

var world = sync.OnceValue(func() worldTable {
	table := worldTable{text: unpack("world.txt.gz")}
	table.starts = make([]int32, 0, strings.Count(table.text, "\n"))
	for i := 0; i < len(table.text); {
		table.starts = append(table.starts, int32(i))
		i += strings.IndexByte(table.text[i:], '\n') + 1
	}
	return table
})

// withName returns the cities with that key in all states, sorted by state.
func (t usTable) withName(key string) []usCity {
	first := sort.Search(len(t.cities), func(i int) bool { return t.cities[i].key >= key })
	last := first
	for last < len(t.cities) && t.cities[last].key == key {
		last++
	}
	return t.cities[first:last]
}

// find returns the city with that key in the state.
func (t usTable) find(state, key string) (usCity, bool) {
	for _, found := range t.withName(key) {
		if found.state == state {
			return found, true
		}
	}
	return usCity{}, false
}

// lookup returns the cities with that key in all countries, sorted by country
// code, the likeliest city of each country first.
func (t worldTable) lookup(key string) []worldCity {
	line := func(i int) (name, rest string) {
		text := t.text[t.starts[i]:]
		text = text[:strings.IndexByte(text, '\n')]
		name, rest, _ = strings.Cut(text, "\t")
		return name, rest
	}
	i := sort.Search(len(t.starts), func(i int) bool { name, _ := line(i); return name >= key })
	var found []worldCity
	for ; i < len(t.starts); i++ {
		name, rest := line(i)
		if name != key {
			break
		}
		cells := strings.Split(rest, "\t")
		c := worldCity{country: cells[0], position: scaledPosition(mustAtoi(cells[1]), mustAtoi(cells[2]), 100)}
		if len(cells) > 3 {
			c.admin1 = cells[3]
		}
		found = append(found, c)
	}
	return found
}

// unpack decompresses an embedded table. It panics on a damaged table, which can
// only be a fault of the build.
func unpack(name string) string {
	packed, err := files.ReadFile("tables/" + name)
	if err != nil {
		panic(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func mustAtoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func scaledPosition(lat, lon int, unit float64) Position {
	return Position{Latitude: float64(lat) / unit, Longitude: float64(lon) / unit}
}
