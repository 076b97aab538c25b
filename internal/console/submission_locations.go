package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
)

const (
	locationsShown  = 25  // rows of the table
	locationsMapped = 150 // on the map; a schedule can have thousands
)

// locationsHeader is the header with the number of all locations, in a response with some
// of them.
const locationsHeader = "X-Understudy-Locations"

// locationList is the locations of a submission.
type locationList struct {
	Total   int
	First   int // number of the first row, from 0
	Rows    []locationRow
	Columns []string
	Map     *locationMap // nil if no position is known
	Mapped  int          // number of locations on the map; 0 if it has all
	TooMany bool         // to be shown
	Before  string       // URLs of the rows before and after these; "" if there are none
	After   string
}

type locationRow struct {
	Number int
	Cells  []shownValue
}

// locationColumns are the columns of the table, if a location has a value for them.
var locationColumns = []string{
	"location_id", "location_address", "location_city", "location_state", "location_postal_code", "location_country",
	"location_occupancy_code", "construction_type", "building_value", "contents_tiv", "stock_tiv", "business_interruption_value",
	"100_pct_limit", "location_have_sprinklers", "latitude", "longitude",
}

// locationData is a location of an inquiry's response.
type locationData struct {
	Facts, Options map[string]json.RawMessage
}

// locationDots returns the positions of the locations.
func locationDots(locations []json.RawMessage) (dots []dot, err error) {
	for i, text := range locations {
		var location struct {
			Facts struct {
				Longitude, Latitude json.RawMessage
				Address             json.RawMessage `json:"location_address"`
				City                json.RawMessage `json:"location_city"`
			}
		}
		if err := json.Unmarshal(text, &location); err != nil {
			return nil, err
		}
		facts := location.Facts
		x, errX := strconv.ParseFloat(unquoted(facts.Longitude), 64)
		y, errY := strconv.ParseFloat(unquoted(facts.Latitude), 64)
		if errX == nil && errY == nil && math.Abs(x) <= 180 && math.Abs(y) <= 90 {
			dots = append(dots, dot{X: 10 * (x + 180), Y: 10 * (90 - y), Title: fmt.Sprintf("%d: %s, %s", i+1, unquoted(facts.Address), unquoted(facts.City))})
		}
	}
	return dots, nil
}

// locationWindow skips the given number of first locations and returns at most the
// given number of the next ones, and the number of all locations.
func (v *visit) locationWindow(packageID string, first, most int) (locations []json.RawMessage, total int, err error) {
	query := url.Values{"version": {"2"}, "package": {packageID}, "locations_from": {strconv.Itoa(first)}, "locations": {strconv.Itoa(most)}}
	response, err := v.call(http.MethodGet, v.txPath+"/inquiry?"+query.Encode(), nil, "")
	if err == nil {
		err = response.err()
	}
	if err != nil {
		return nil, 0, err
	}
	var inquiry struct{ Data []json.RawMessage }
	if err := json.Unmarshal(response.body.Bytes(), &inquiry); err != nil {
		return nil, 0, err
	}
	total, err = strconv.Atoi(response.header.Get(locationsHeader))
	return inquiry.Data, total, err
}

// loadLocations loads a page of locations, and the positions of the first ones.
func (v *visit) loadLocations(p *submissionPage, first int) error {
	packageID, err := v.packageOf("location")
	if err != nil || packageID == "" {
		return err
	}
	mapped, total, err := v.locationWindow(packageID, 0, locationsMapped)
	if refused, ok := errors.AsType[*callError](err); ok && refused.Status == http.StatusRequestEntityTooLarge {
		p.Locations = &locationList{TooMany: true}
		return nil
	}
	if err != nil {
		return err
	}
	list := &locationList{Total: total, First: min(first, total)}
	dots, err := locationDots(mapped)
	if err != nil {
		return err
	}
	if list.Map = newLocationMap(dots); len(mapped) < total {
		list.Mapped = len(mapped)
	}
	rows := mapped[min(list.First, len(mapped)):min(list.First+locationsShown, len(mapped))]
	if len(rows) < min(locationsShown, total-list.First) {
		if rows, _, err = v.locationWindow(packageID, list.First, locationsShown); err != nil {
			return err
		}
	}
	shown := make([]locationData, len(rows))
	for i := range shown {
		if err := json.Unmarshal(rows[i], &shown[i]); err != nil {
			return err
		}
	}
	used := map[string]bool{}
	for _, location := range shown {
		for _, name := range locationColumns {
			used[name] = used[name] || unquoted(location.Facts[name]) != "" || unquoted(location.Options[name]) != ""
		}
	}
	for _, name := range locationColumns {
		if used[name] {
			list.Columns = append(list.Columns, name)
		}
	}
	for i, location := range shown {
		row := locationRow{Number: list.First + i + 1}
		var extracted []extractedValue
		if p.Extraction != nil && i < len(p.Extraction.Locations) {
			extracted = p.Extraction.Locations[i]
		}
		for _, name := range list.Columns {
			value := location.Facts[name]
			if value == nil {
				value = location.Options[name]
			}
			at := list.First + i
			if p.kept != nil && at < len(p.kept.Locations) && p.kept.Locations[at][name] != nil {
				value = p.kept.Locations[at][name]
			}
			cell := shownValue{Field: name, Key: fmt.Sprintf("locations.%d.%s", at, name)}
			cell.Current, cell.Kind = editable(name, value)
			for j, e := range extracted {
				if e.Field == name {
					key := fmt.Sprintf("locations.%d.%d", at, j)
					cell.Score, cell.Evidence, cell.Link = scoreText(e.Score), e.Evidence, v.evidenceLink(key, e.Evidence)
					cell.Selected = v.Query.Get("value") == key
					break
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		list.Rows = append(list.Rows, row)
	}
	if list.First > 0 {
		list.Before = v.With("loc", positive(list.First-locationsShown)) + "#locations"
	}
	if next := list.First + locationsShown; next < list.Total {
		list.After = v.With("loc", positive(next)) + "#locations"
	}
	p.Locations = list
	return nil
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// unquoted returns the text of a JSON string; "" for any other value.
func unquoted(value json.RawMessage) (text string) {
	json.Unmarshal(value, &text) // an error leaves it empty
	return text
}

//go:generate go run ./gen ${WORLD_ATLAS}/countries-110m.json assets/world.svg

// locationMap is a map of locations. Its units are tenths of degrees.
type locationMap struct {
	X, Y, Width, Height float64
	Dots                []dot
	Radius              float64
}

// dot is a location on the map.
type dot struct {
	X, Y  float64
	Title string
}

// newLocationMap returns a map of the region around the dots; nil if there are none.
func newLocationMap(dots []dot) *locationMap {
	if len(dots) == 0 {
		return nil
	}
	x0, y0, x1, y1 := dots[0].X, dots[0].Y, dots[0].X, dots[0].Y
	for _, d := range dots {
		x0, y0, x1, y1 = min(x0, d.X), min(y0, d.Y), max(x1, d.X), max(y1, d.Y)
	}
	// The region is twice as wide as high, and large enough to be recognised.
	height := max(1.3*(y1-y0), 0.65*(x1-x0), 200)
	height = min(height, 1800)
	m := &locationMap{Width: 2 * height, Height: height, Dots: dots, Radius: height / 60}
	m.X = max(0, min((x0+x1)/2-m.Width/2, 3600-m.Width))
	m.Y = max(0, min((y0+y1)/2-m.Height/2, 1800-m.Height))
	return m
}
