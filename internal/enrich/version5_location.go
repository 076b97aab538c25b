package enrich

import (
	"strconv"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// coverageValues are the default names of a location's coverage limits, for documents
// that do not name them. Each limit is the sum of the listed values.
var coverageValues = []struct {
	name   string
	fields []string
}{
	{"Building", []string{"building_value"}},
	{"Business Interruption", []string{"business_interruption_value"}},
	{"Business Personal Property", []string{"contents_tiv", "stock_tiv"}},
}

// Version5 returns the values of the location for every content, with the names and in
// the format of version 5. They are derived from the stored values, so they are not
// stored.
func (l Location) Version5() Record {
	v := merged(l.Facts, l.Options, l.More)
	v.copy("location_doc_id", "location_id", 1)
	v.copy("additional_interest", field.LocationInterest, 1)
	if occupancy := v.text("location_occupancy_code"); strings.Trim(occupancy, "0123456789") != "" {
		v.copy("location_occupancy_description", "location_occupancy_code", 1)
		v.setIfAbsent("atc_occupancy_description", occupancyClass(occupancy), scoreLikely)
	}
	v.setCoverageLimits()
	v.addConstruction()
	if v.has("location_address") || v.has("location_city") || v.has("location_postal_code") {
		v.addGrades()
	}
	return v
}

// setCoverageLimits sets 100_pct_coverage_limits to the limits by name, and
// 100_pct_limit to their sum.
func (r Record) setCoverageLimits() {
	const name = "100_pct_coverage_limits"
	delete(r.Values, name)
	delete(r.Scores, name)
	r.copy(name, field.NamedCoverageLimits, 1)
	if !r.has(name) {
		limits, least := map[string]string{}, 1.0
		for _, coverage := range coverageValues {
			sum := 0.0
			for _, value := range coverage.fields {
				if amount, ok := parseNumber(r.text(value)); ok {
					sum += amount
					least = min(least, r.Scores[value])
				}
			}
			if sum > 0 {
				limits[coverage.name] = formatMoney(sum)
			}
		}
		if len(limits) > 0 {
			r.Values[name], r.Scores[name] = limits, least
		}
	}
	limits, _ := r.Values[name].(map[string]string)
	r.SumLimits(limits)
}

// SumLimits sets 100_pct_limit to the sum of the limits by coverage, unless that is 0.
func (r Record) SumLimits(limits map[string]string) {
	sum := 0.0
	for _, limit := range limits {
		amount, _ := parseNumber(limit)
		sum += amount
	}
	if sum > 0 {
		r.Values["100_pct_limit"], r.Scores["100_pct_limit"] = formatMoney(sum), r.Scores["100_pct_coverage_limits"]
	}
}

// boxes of latitudes and longitudes in which a hazard is above its base level.
var (
	wildfireRegions = []region{{32.5, 42, -124.5, -114, 62}, {42, 49, -125, -109, 40}, {31, 41, -114, -102, 44}, {36, 44, -10, 4, 40}, {-39, -28, 140, 154, 60}}
	hailRegions     = []region{{30, 49, -106, -92, 58}, {38, 44, -92, -80, 34}, {45, 49, 5, 16, 30}}
	tornadoRegions  = []region{{30, 43, -101, -88, 56}, {30, 42, -88, -82, 40}}
	sinkholeRegions = []region{{27, 31, -84, -80, 50}, {35, 39, -94, -84, 32}, {38.5, 41, -80, -75, 28}}
	radonRegions    = []region{{38, 49, -104, -72, 52}}
)

// crimes are the grades of crimes. All grades of one city are alike.
var crimes = strings.Fields(`murder_grade larceny_grade crime_grade aggravated_assault_grade motor_vehicle_theft burglary_grade forcible_rape forcible_robbery`)

// pacificCoast adds to coast, whose hurricane levels are 0 there.
var pacificCoast = []coastPoint{
	{32.6, -117.1, 0},
	{33.7, -118.3, 0},
	{34.4, -119.7, 0},
	{35.4, -120.9, 0},
	{36.6, -121.9, 0},
	{37.8, -122.5, 0},
	{38.9, -123.7, 0},
	{40.8, -124.2, 0},
	{42.8, -124.5, 0},
	{44.6, -124.1, 0},
	{46.3, -124.1, 0},
	{47.6, -122.4, 0},
	{49.3, -123.2, 0},
	{61.2, -150.0, 0},
	{21.3, -157.9, 0},
}

const milesPerDegree = 69.0

// addGrades adds the values that data providers have for an address: grades, the
// distances to the coast and to a hydrant, and the fire protection class. As with the
// peril scores, a random share differs between addresses.
func (r Record) addGrades() {
	country, city, code := r.text("location_country"), r.text("location_city"), r.text("location_postal_code")
	h := newHash(r.text("location_address")+" "+city, country, code)
	lat, hasLat := parseNumber(r.text("latitude"))
	lon, hasLon := parseNumber(r.text("longitude"))
	at := address.Position{Latitude: lat, Longitude: lon}
	graded := func(name string, level float64, jitter uint64) {
		r.setIfAbsent(name, grade(level+float64(h.draw(name, jitter))), scoreDrawn)
	}
	for name, regions := range map[string][]region{
		"wildfire_grade": wildfireRegions, "hail_grade": hailRegions, "tornado_grade": tornadoRegions,
		"sinkhole_point_grade": sinkholeRegions, "radon": radonRegions,
	} {
		level := 6.0
		if hasLat && hasLon {
			level = regionLevel(regions, at, level)
		}
		graded(name, level, 24)
	}
	for _, peril := range []string{"earthquake", "flood", "wind"} {
		if level, ok := parseNumber(r.text(peril + "_score")); ok {
			r.setIfAbsent(peril+"_grade", grade(level), r.Scores[peril+"_score"])
		} else {
			graded(peril+"_grade", 6, 40)
		}
	}
	base := float64(newHash(city, country, code).draw("crime", 66))
	for _, crime := range crimes {
		graded(crime, base, 30)
	}
	r.setIfAbsent("wildfire_grade_desc", wildfireDescriptions[r.text("wildfire_grade")], r.Scores["wildfire_grade"])
	r.setIfAbsent("fire_hydrant_distance", hydrantDistances[h.draw("fire_hydrant_distance", uint64(len(hydrantDistances)))], scoreDrawn)
	r.setIfAbsent("fire_protection_class_code", strconv.Itoa(1+h.draw("fire_protection_class_code", 9)), scoreDrawn)
	if hasLat && hasLon && (country == "US" || country == "CA") {
		degrees := coastDistance(at)
		for _, p := range pacificCoast {
			degrees = min(degrees, distance(at, p))
		}
		r.setIfAbsent("coast_distance", strconv.FormatFloat(degrees*milesPerDegree, 'f', 1, 64), max(r.Scores["latitude"]-0.15, scoreDrawn))
		r.setIfAbsent("coast_distance_unit", "miles", r.Scores["coast_distance"])
	}
}

var (
	wildfireDescriptions = map[string]string{"A": "Low", "B": "Low", "C": "Moderate", "D": "Moderate", "E": "High", "F": "Very High"}
	hydrantDistances     = []string{"<= 500 feet", "> 500 feet AND <= 1,000 feet", "> 500 feet AND <= 1,000 feet", "> 1,000 feet"}
)

// grade returns the grade of a level from 0 to 100: "A" for the lowest.
func grade(level float64) string {
	return string("ABCDEF"[min(max(int(level)*6/100, 0), 5)])
}
