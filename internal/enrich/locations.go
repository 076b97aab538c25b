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

// Scores of a position, by what it was found from.
const (
	byPostalCode = 0.55
	byCity       = 0.45
	byAreaOnly   = 0.30
)

// options passes the policy's values through and adds the country of the risk.
func options(values []field.Value, locations []Location, home address.Address) Record {
	r := newRecord(len(values) + 1)
	r.read(values)
	r = r.pick(field.Options)
	if iso, _, ok := address.Country(r.text("risk_country")); ok {
		r.put("risk_country", iso, r.Scores["risk_country"])
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
		r.fill("risk_country", slices.MaxFunc(countries, func(a, b string) int { return cmp.Compare(count(a), count(b)) }), byDomain)
	}
	r.fill("risk_country", home.CountryISO, byCountry)
	return r
}

// countriesOf lists the countries of the locations, by code, in their order.
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

// locate completes each location: address, position, perils.
func locate(rows [][]field.Value, home address.Address) []Location {
	locations := make([]Location, len(rows))
	for i, row := range rows {
		r := newRecord(28)
		r.read(row)
		a := locationAddress(r, home)
		r.fill("location_id", strconv.Itoa(i+1), 0.99)
		if at, score, ok := statedPosition(r, a); ok {
			addPerils(r, at, score, a)
		}
		locations[i] = Location{r.pick(field.LocationFacts), r.pick(field.LocationOptions)}
	}
	return locations
}

// locationAddress splits and completes the location's address. Where it names
// no country, the insured's is taken.
func locationAddress(r Record, home address.Address) address.Address {
	line := r.text("location_address")
	a := address.Address{Street: line}
	if line != "" && !r.has("location_city") {
		split := address.Parse(line + ", " + r.text("location_postal_code"))
		// Beside a postal code of its own the line may end with an estate or a
		// building, which is no city.
		if !r.has("location_postal_code") && split.Street+split.City != "" || address.IsCity(split.City, split.CountryISO) {
			a = split
		}
		r.put("location_address", a.Street, r.Scores["location_address"])
	}
	a = settle(r, locationParts, a, r.Scores["location_address"]*splitOff)
	if a.CountryISO == "" && a.Country == "" && home.CountryISO != "" && (a.Street != "" || a.City != "" || a.State != "" || a.PostalCode != "") {
		if _, iso, ok := address.State(a.State); !ok || iso == home.CountryISO {
			a.Country, a.CountryISO = home.Country, home.CountryISO
			r.fill("location_country", home.CountryISO, byDomain)
		}
	}
	return complete(r, locationParts, a)
}

// statedPosition returns the position that was read, or else finds one and
// shows it.
func statedPosition(r Record, a address.Address) (address.Position, float64, bool) {
	lat, northing := number(r.text("latitude"))
	lon, easting := number(r.text("longitude"))
	if northing && easting && math.Abs(lat) <= 90 && math.Abs(lon) <= 180 {
		return address.Position{Latitude: lat, Longitude: lon}, byPostalCode, true
	}
	if r.has("latitude") || r.has("longitude") {
		return address.Position{}, 0, false // half a position, or a wrong one: not ours to mend
	}
	at, ok := position(a, a.Street)
	if !ok {
		return at, 0, false
	}
	score := byAreaOnly
	switch {
	case a.PostalCode != "":
		score = byPostalCode
	case a.City != "":
		score = byCity
	}
	r.fill("latitude", strconv.FormatFloat(at.Latitude, 'f', 6, 64), score)
	r.fill("longitude", strconv.FormatFloat(at.Longitude, 'f', 6, 64), score)
	return at, score, true
}

// position finds the address. A street moves it by less than 300 m, by the
// address's hash, so that two buildings of one postal code differ.
func position(a address.Address, street string) (address.Position, bool) {
	at, ok := address.Locate(a)
	if !ok || street == "" || a.City == "" && a.PostalCode == "" {
		return at, ok
	}
	sum := sha256.Sum256([]byte(address.Key(street) + "|" + address.Key(a.City) + "|" + address.Key(a.PostalCode) + "|" + a.CountryISO))
	// A unit is a hundred-thousandth of a degree, 1.1 m to the north.
	north := int(binary.BigEndian.Uint32(sum[:4])%361) - 180
	east := int(binary.BigEndian.Uint32(sum[4:8])%361) - 180
	moved := func(degrees float64, by int) float64 {
		return float64(int(math.Round(degrees*1e6))+by*10) / 1e6
	}
	return address.Position{Latitude: moved(at.Latitude, north), Longitude: moved(at.Longitude, east)}, true
}
