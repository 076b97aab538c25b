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

// The tables are made by gen/main.go; countries.tsv is kept by hand. NOTICE
// names the sources.
//
//go:embed tables
var files embed.FS

// town is a place of the US: its ZIP codes share its name.
type town struct {
	key, name, state string
	position         Position
	zips             int
}

// zip is a ZIP code's town, by index, and position.
type zip struct {
	town     int
	position Position
}

type usTable struct {
	towns []town // by key, then state
	zips  map[string]zip
	// largest is each state's town with the most ZIP codes.
	largest map[string]town
}

// worldTable holds the lines of the list as they are, with where each begins:
// decoded into structs it would take five times the memory.
type worldTable struct {
	text   string
	starts []int32
}

// city is one line of the world table.
type city struct {
	country, area string
	position      Position
}

var unitedStates = sync.OnceValue(func() usTable {
	lines := strings.Split(strings.TrimSpace(unpack("us.txt.gz")), "\n")
	table := usTable{towns: make([]town, 0, len(lines)), zips: make(map[string]zip, 43_000), largest: map[string]town{}}
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		lat, lon := number(cells[2]), number(cells[3])
		codes := strings.Split(cells[4], " ")
		for _, code := range codes {
			code, offset, moved := strings.Cut(code, ",")
			at := point(lat, lon, 1000)
			if moved {
				north, east, _ := strings.Cut(offset, ",")
				at = point(lat+number(north), lon+number(east), 1000)
			}
			table.zips[code] = zip{i, at}
		}
		found := town{Key(cells[0]), cells[0], cells[1], point(lat, lon, 1000), len(codes)}
		table.towns = append(table.towns, found)
		if found.zips > table.largest[found.state].zips {
			table.largest[found.state] = found
		}
	}
	return table
})

var outcodes = sync.OnceValue(func() map[string]Position {
	table := make(map[string]Position, 3100)
	for line := range strings.Lines(unpack("uk.txt.gz")) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		table[cells[0]] = point(number(cells[1]), number(cells[2]), 1000)
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

// named returns the towns of that key in all states, by state.
func (t usTable) named(key string) []town {
	first := sort.Search(len(t.towns), func(i int) bool { return t.towns[i].key >= key })
	last := first
	for last < len(t.towns) && t.towns[last].key == key {
		last++
	}
	return t.towns[first:last]
}

// in returns the town of that key in the state.
func (t usTable) in(state, key string) (town, bool) {
	for _, found := range t.named(key) {
		if found.state == state {
			return found, true
		}
	}
	return town{}, false
}

// named returns the cities of that key in all countries, by country code, the
// likeliest of a country first.
func (t worldTable) named(key string) []city {
	at := func(i int) (name, rest string) {
		line := t.text[t.starts[i]:]
		line = line[:strings.IndexByte(line, '\n')]
		name, rest, _ = strings.Cut(line, "\t")
		return name, rest
	}
	i := sort.Search(len(t.starts), func(i int) bool { name, _ := at(i); return name >= key })
	var found []city
	for ; i < len(t.starts); i++ {
		name, rest := at(i)
		if name != key {
			break
		}
		cells := strings.Split(rest, "\t")
		c := city{country: cells[0], position: point(number(cells[1]), number(cells[2]), 100)}
		if len(cells) > 3 {
			c.area = cells[3]
		}
		found = append(found, c)
	}
	return found
}

// unpack reads an embedded table. The tables are part of the program, so a
// damaged one is a fault of the build.
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

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func point(lat, lon int, unit float64) Position {
	return Position{Latitude: float64(lat) / unit, Longitude: float64(lon) / unit}
}
