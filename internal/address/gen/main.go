//go:build ignore

// Command gen generates the tables of package address from the data sets that
// NOTICE names. Run it from the root of the module with the directory that holds
// them:
//
//	go run internal/address/gen/main.go DIRECTORY
//
// It reads us_zipcodes.csv (code, city, state, …, lat, lon), uk_outcodes.csv
// (outcode, lat, lon) and world_cities.csv (country, admin1, name, lat, lon).
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/address"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen DIRECTORY")
	}
	directory := os.Args[1]
	cities, zips := unitedStates(readCSV(directory, "us_zipcodes.csv"))
	writeTable("us.txt", cities)
	writeTable("zips.txt", zips)
	writeTable("uk.txt", outcodes(readCSV(directory, "uk_outcodes.csv")))
	writeTable("world.txt", world(readCSV(directory, "world_cities.csv")))
}

// readCSV returns the rows of a CSV file, keyed by column name.
func readCSV(directory, name string) []map[string]string {
	file, err := os.Open(filepath.Join(directory, name))
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	rows := make([]map[string]string, 0, len(lines))
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = strings.TrimSpace(line[i])
		}
		rows = append(rows, row)
	}
	return rows
}

func writeTable(name string, lines []string) {
	text := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("internal", "address", "tables", name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path, len(lines), "lines,", len(text), "bytes")
}

// position returns the position of a row in thousandths of a degree. It returns
// false when the row has none.
func position(row map[string]string) (lat, lon int, ok bool) {
	latitude, errLat := strconv.ParseFloat(row["lat"], 64)
	longitude, errLon := strconv.ParseFloat(row["lon"], 64)
	if errLat != nil || errLon != nil || latitude == 0 && longitude == 0 {
		return 0, 0, false
	}
	return int(math.Round(latitude * 1000)), int(math.Round(longitude * 1000)), true
}

type zip struct {
	code     string
	lat, lon int
}

// unitedStates returns a line per city: key, state, name, position, number of ZIP codes;
// and a line per ZIP code: code, name and state of its city, position.
func unitedStates(rows []map[string]string) (lines, codes []string) {
	cities := map[string][]zip{}
	shared := map[[2]int]int{}
	for _, row := range rows {
		lat, lon, ok := position(row)
		if ok {
			city := row["city"] + "\t" + row["state"]
			cities[city] = append(cities[city], zip{row["code"], lat, lon})
			shared[[2]int{lat, lon}]++
		}
	}
	for city, zips := range cities {
		// The data set gives many ZIP codes the centre of their county; the
		// median of the city's other codes is closer.
		own := slices.DeleteFunc(slices.Clone(zips), func(z zip) bool { return shared[[2]int{z.lat, z.lon}] > 2 })
		if len(own) == 0 {
			own = zips
		}
		lat := median(own, func(z zip) int { return z.lat })
		lon := median(own, func(z zip) int { return z.lon })
		name, state, _ := strings.Cut(city, "\t")
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d", address.Key(name), state, name, lat, lon, len(zips)))
		for _, z := range zips {
			if len(own) < len(zips) && !slices.Contains(own, z) {
				z.lat, z.lon = lat, lon
			}
			codes = append(codes, fmt.Sprintf("%s\t%s\t%d\t%d", z.code, city, z.lat, z.lon))
		}
	}
	slices.Sort(lines)
	slices.Sort(codes)
	return lines, codes
}

// median, unlike the mean, does not move a city when one of its ZIP codes has a
// wrong position.
func median(zips []zip, of func(zip) int) int {
	values := make([]int, len(zips))
	for i, z := range zips {
		values[i] = of(z)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func outcodes(rows []map[string]string) []string {
	var lines []string
	for _, row := range rows {
		if lat, lon, ok := position(row); ok && row["outcode"] != "" {
			lines = append(lines, fmt.Sprintf("%s\t%d\t%d", row["outcode"], lat, lon))
		}
	}
	slices.Sort(lines)
	return lines
}

// withAdmin1 lists the countries whose first-level administrative areas Parse and
// Locate know.
var withAdmin1 = map[string]bool{"CA": true, "GB": true, "AU": true}

type city struct {
	key, country, admin1 string
	lat, lon             int
	neighbours           int // rows of the same country in the same cell of 0.3 degrees
}

// world returns a line per city: key, country, position in hundredths of a
// degree, first-level area. The data set has no populations: of several cities
// with the same name in a country (and area), world keeps the one with the most
// neighbours.
func world(rows []map[string]string) []string {
	density := map[[3]any]int{}
	cell := func(country string, lat, lon int) [3]any { return [3]any{country, lat / 300, lon / 300} }
	best := map[string]city{}
	for _, row := range rows {
		if lat, lon, ok := position(row); ok {
			density[cell(row["country"], lat, lon)]++
		}
	}
	for _, row := range rows {
		lat, lon, ok := position(row)
		c := city{key: address.Key(row["name"]), country: row["country"], lat: lat, lon: lon}
		if !ok || c.key == "" || c.country == "US" {
			continue
		}
		if withAdmin1[c.country] {
			c.admin1 = row["admin1"]
		}
		c.neighbours = density[cell(c.country, lat, lon)]
		id := c.key + "\t" + c.country + "\t" + c.admin1
		if old, found := best[id]; !found || c.neighbours > old.neighbours {
			best[id] = c
		}
	}
	cities := make([]city, 0, len(best))
	for _, c := range best {
		cities = append(cities, c)
	}
	slices.SortFunc(cities, func(a, b city) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		if c := strings.Compare(a.country, b.country); c != 0 {
			return c
		}
		if a.neighbours != b.neighbours {
			return b.neighbours - a.neighbours
		}
		return strings.Compare(a.admin1, b.admin1)
	})
	lines := make([]string, len(cities))
	for i, c := range cities {
		lines[i] = fmt.Sprintf("%s\t%s\t%d\t%d", c.key, c.country, toHundredths(c.lat), toHundredths(c.lon))
		if c.admin1 != "" {
			lines[i] += "\t" + c.admin1
		}
	}
	return lines
}

func toHundredths(thousandths int) int { return int(math.Round(float64(thousandths) / 10)) }
