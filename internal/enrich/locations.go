package enrich

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// Scores of a position, by the part of the address that determines it.
const (
	scoreByPostalCode = 0.55
	scoreByCity       = 0.45
	scoreByArea       = 0.30 // state or country
)

// enrichOptions returns the extracted policy values and adds the country of the
// risk: the most frequent country of the locations, else that of the company.
func enrichOptions(values []field.Value, locations []Location, home address.Address) Record {
	r := newRecord(len(values) + 1)
	r.addExtracted(values)
	if iso, _, ok := address.Country(r.text("risk_country")); ok {
		r.replace("risk_country", iso, r.Scores["risk_country"])
	}
	if countries := countriesOf(locations); len(countries) > 0 {
		count := func(iso string) (n int) {
			for _, l := range locations {
				if l.Facts.text("location_country") == iso {
					n++
				}
			}
			return n
		}
		r.setIfAbsent("risk_country", slices.MaxFunc(countries, func(a, b string) int { return cmp.Compare(count(a), count(b)) }), scoreLikely)
	}
	r.setIfAbsent("risk_country", home.CountryISO, scoreAssumed)
	if covered := locationCoverages(locations); len(covered) > 0 {
		r.setIfAbsent("normalized_coverage", covered, scoreInferred)
	}
	return r
}

// countriesOf returns the country codes of the locations, in order and without
// duplicates.
func countriesOf(locations []Location) []string {
	var found []string
	for _, l := range locations {
		iso := l.Facts.text("location_country")
		if _, _, ok := address.Country(iso); ok && !slices.Contains(found, iso) {
			found = append(found, iso)
		}
	}
	return found
}

// enrichLocations completes the address of each location and adds its number, its
// position and its peril scores.
func enrichLocations(rows [][]field.Value, home address.Address) []Location {
	locations := make([]Location, len(rows))
	r := newRecord(28) // used for each row in turn
	for i, row := range rows {
		clear(r.Values)
		clear(r.Scores)
		r.addExtracted(row)
		a := resolveLocationAddress(r, home)
		r.setIfAbsent("location_id", strconv.Itoa(i+1), 0.99)
		if position, score, ok := locationPosition(r, a); ok {
			addPerils(r, position, score, a)
		}
		locations[i] = Location{
			Facts: r.subset(field.LocationFacts), Options: r.subset(field.LocationOptions), More: r.subset(field.MoreLocation),
		}
	}
	return locations
}

// resolveLocationAddress splits and completes the address of a location. If the
// address has no country, the country of the insured applies.
func resolveLocationAddress(r Record, home address.Address) address.Address {
	line := r.text("location_address")
	a := address.Address{Street: line}
	if line != "" && !r.has("location_city") {
		split := address.Parse(line + ", " + r.text("location_postal_code"))
		// If the postal code has its own field, the line may end with an estate or
		// a building, which is not a city.
		if !r.has("location_postal_code") && split.Street+split.City != "" || address.IsCity(split.City, split.CountryISO) {
			a = split
		}
		r.replace("location_address", a.Street, r.Scores["location_address"])
	}
	a = mergeAddress(r, locationAddressFields, a, r.Scores["location_address"]*splitFactor)
	if a.CountryISO == "" && a.Country == "" && home.CountryISO != "" && (a.Street != "" || a.City != "" || a.State != "" || a.PostalCode != "") {
		if _, iso, ok := address.State(a.State); !ok || iso == home.CountryISO {
			a.Country, a.CountryISO = home.Country, home.CountryISO
			r.setIfAbsent("location_country", home.CountryISO, scoreLikely)
		}
	}
	return completeAddress(r, locationAddressFields, a)
}

// locationPosition returns the extracted position and its score. If there is none,
// it locates the address and sets the fields of the position.
func locationPosition(r Record, a address.Address) (address.Position, float64, bool) {
	lat, hasLat := parseNumber(r.text("latitude"))
	lon, hasLon := parseNumber(r.text("longitude"))
	if hasLat && hasLon && math.Abs(lat) <= 90 && math.Abs(lon) <= 180 {
		return address.Position{Latitude: lat, Longitude: lon}, scoreByPostalCode, true
	}
	if r.has("latitude") || r.has("longitude") {
		return address.Position{}, 0, false // incomplete or invalid: stays as extracted
	}
	position, ok := jitteredPosition(a, a.Street)
	if !ok {
		return position, 0, false
	}
	score := scoreByArea
	switch {
	case a.PostalCode != "":
		score = scoreByPostalCode
	case a.City != "":
		score = scoreByCity
	}
	r.setIfAbsent("latitude", strconv.FormatFloat(position.Latitude, 'f', 6, 64), score)
	r.setIfAbsent("longitude", strconv.FormatFloat(position.Longitude, 'f', 6, 64), score)
	return position, score, true
}

// jitteredPosition locates the address. If it has a street, and a city or postal
// code, a hash of the address moves the position by less than 300 m, so that two
// buildings with one postal code have different positions.
func jitteredPosition(a address.Address, street string) (address.Position, bool) {
	centre, ok := address.Locate(a)
	if !ok || street == "" || a.City == "" && a.PostalCode == "" {
		return centre, ok
	}
	sum := sha256.Sum256([]byte(address.Key(street) + "|" + address.Key(a.City) + "|" + address.Key(a.PostalCode) + "|" + a.CountryISO))
	// The unit is a hundred-thousandth of a degree, which is 1.1 m of latitude.
	north := int(binary.BigEndian.Uint32(sum[:4])%361) - 180
	east := int(binary.BigEndian.Uint32(sum[4:8])%361) - 180
	moved := func(degrees float64, by int) float64 {
		return float64(int(math.Round(degrees*1e6))+by*10) / 1e6
	}
	return address.Position{Latitude: moved(centre.Latitude, north), Longitude: moved(centre.Longitude, east)}, true
}
