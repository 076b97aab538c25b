//go:build ignore

// Command gen makes the tables of package place from the lists that NOTICE
// names. Run it from the module's root with the folder that holds them:
//
//	go run internal/address/gen/main.go FOLDER
//
// It reads us_zipcodes.csv (code, city, state, …, lat, lon), uk_outcodes.csv
// (outcode, lat, lon) and world_cities.csv (country, admin1, name, lat, lon).
package main

import (
	"bytes"
	"compress/gzip"
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
		log.Fatal("usage: gen FOLDER")
	}
	folder := os.Args[1]
	write("us.txt.gz", unitedStates(read(folder, "us_zipcodes.csv")))
	write("uk.txt.gz", outcodes(read(folder, "uk_outcodes.csv")))
	write("world.txt.gz", world(read(folder, "world_cities.csv")))
}

// read returns the rows of a list, each by column name.
func read(folder, name string) []map[string]string {
	file, err := os.Open(filepath.Join(folder, name))
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

func write(name string, lines []string) {
	var b bytes.Buffer
	packer, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		if _, err := packer.Write([]byte(line + "\n")); err != nil {
			log.Fatal(err)
		}
	}
	if err := packer.Close(); err != nil {
		log.Fatal(err)
	}
	path := filepath.Join("internal", "place", "tables", name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path, len(lines), "lines,", b.Len(), "bytes")
}

// point reads a row's position in thousandths of a degree.
func point(row map[string]string) (lat, lon int, ok bool) {
	la, err := strconv.ParseFloat(row["lat"], 64)
	lo, err2 := strconv.ParseFloat(row["lon"], 64)
	if err != nil || err2 != nil || la == 0 && lo == 0 {
		return 0, 0, false
	}
	return int(math.Round(la * 1000)), int(math.Round(lo * 1000)), true
}

type zip struct {
	code     string
	lat, lon int
}

// unitedStates writes a line per city: name, state, position, its ZIP codes. A
// ZIP code that lies elsewhere than the city adds the distance to it.
func unitedStates(rows []map[string]string) []string {
	cities := map[string][]zip{}
	shared := map[[2]int]int{}
	for _, row := range rows {
		lat, lon, ok := point(row)
		if ok {
			city := row["city"] + "\t" + row["state"]
			cities[city] = append(cities[city], zip{row["code"], lat, lon})
			shared[[2]int{lat, lon}]++
		}
	}
	var lines []string
	for city, zips := range cities {
		slices.SortFunc(zips, func(a, b zip) int { return strings.Compare(a.code, b.code) })
		// The list gives the middle of the county to many codes that it cannot
		// place; the middle of the city's others is nearer.
		own := slices.DeleteFunc(slices.Clone(zips), func(z zip) bool { return shared[[2]int{z.lat, z.lon}] > 2 })
		if len(own) == 0 {
			own = zips
		}
		lat := median(own, func(z zip) int { return z.lat })
		lon := median(own, func(z zip) int { return z.lon })
		var b strings.Builder
		fmt.Fprintf(&b, "%s\t%d\t%d\t", city, lat, lon)
		for i, z := range zips {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(z.code)
			if (z.lat != lat || z.lon != lon) && (len(own) == len(zips) || slices.Contains(own, z)) {
				fmt.Fprintf(&b, ",%d,%d", z.lat-lat, z.lon-lon)
			}
		}
		lines = append(lines, b.String())
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	return lines
}

func order(line string) string {
	cells := strings.Split(line, "\t")
	return address.Key(cells[0]) + "\t" + cells[1] + "\t" + cells[0]
}

// median is taken, not the mean, so that one ZIP code with a wrong position
// does not move a city.
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
		if lat, lon, ok := point(row); ok && row["outcode"] != "" {
			lines = append(lines, fmt.Sprintf("%s\t%d\t%d", row["outcode"], lat, lon))
		}
	}
	slices.Sort(lines)
	return lines
}

// regional are the countries whose first-level areas Parse and Locate know.
var regional = map[string]bool{"CA": true, "GB": true, "AU": true}

type city struct {
	key, country, area string
	lat, lon, near     int
}

// world writes a line per city: key, country, position in hundredths of a
// degree, area. Of several places with one name in a country (and area) the
// one in the densest surroundings stays, as the list holds no populations.
func world(rows []map[string]string) []string {
	dense := map[[3]any]int{}
	cell := func(country string, lat, lon int) [3]any { return [3]any{country, lat / 300, lon / 300} }
	best := map[string]city{}
	for _, row := range rows {
		if lat, lon, ok := point(row); ok {
			dense[cell(row["country"], lat, lon)]++
		}
	}
	for _, row := range rows {
		lat, lon, ok := point(row)
		c := city{key: address.Key(row["name"]), country: row["country"], lat: lat, lon: lon}
		if !ok || c.key == "" || c.country == "US" {
			continue
		}
		if regional[c.country] {
			c.area = row["admin1"]
		}
		c.near = dense[cell(c.country, lat, lon)]
		id := c.key + "\t" + c.country + "\t" + c.area
		if old, found := best[id]; !found || c.near > old.near {
			best[id] = c
		}
	}
	chosen := make([]city, 0, len(best))
	for _, c := range best {
		chosen = append(chosen, c)
	}
	slices.SortFunc(chosen, func(a, b city) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		if c := strings.Compare(a.country, b.country); c != 0 {
			return c
		}
		if a.near != b.near {
			return b.near - a.near
		}
		return strings.Compare(a.area, b.area)
	})
	lines := make([]string, len(chosen))
	for i, c := range chosen {
		lines[i] = fmt.Sprintf("%s\t%s\t%d\t%d", c.key, c.country, hundredth(c.lat), hundredth(c.lon))
		if c.area != "" {
			lines[i] += "\t" + c.area
		}
	}
	return lines
}

func hundredth(thousandths int) int { return int(math.Round(float64(thousandths) / 10)) }
