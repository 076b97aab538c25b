package enrich

import (
	"math"
	"strconv"

	"understudy.example/internal/address"
)

// region is a box of latitudes and longitudes and the level of a peril in it, from
// 0 to 100. The regions are rough: they rank locations and do not rate them.
type region struct {
	south, north, west, east float64
	level                    float64
}

var earthquakeRegions = []region{
	{32.5, 38.5, -124.5, -115.5, 82},
	{38.5, 42, -124.8, -121, 72},
	{42, 49, -125, -121, 62},
	{38.5, 42, -121, -114, 52},
	{33, 38.5, -115.5, -112, 42},
	{40, 42.5, -113, -110, 55},
	{42.5, 49, -121, -109, 38},
	{34.8, 38, -91.5, -88, 60},
	{32, 34, -81.5, -79, 40},
	{54, 66, -170, -140, 84},
	{18.5, 22.5, -161, -154, 62},
	{43, 46, -75.5, -69, 26},
	{47, 51, -129, -121, 66},
	{14, 21, -106, -90, 74},
	{7, 14.5, -92, -77, 66},
	{17, 20, -75, -60, 60},
	{-56, -17, -76, -68, 88},
	{-17, 2, -82, -70, 80},
	{30, 46, 129, 146, 88},
	{21, 26, 119, 123, 86},
	{5, 20, 117, 127, 78},
	{-11, 6, 95, 141, 76},
	{-48, -34, 166, 179, 74},
	{35.8, 42.2, 26, 45, 74},
	{34, 42, 19, 29, 70},
	{36, 47, 7, 19, 46},
	{25, 40, 44, 63, 68},
	{26, 36, 70, 98, 66},
	{21, 34, 98, 108, 52},
	{36, 43.5, -10, 4, 22},
	{63, 67, -25, -13, 58},
	{36, 44, 63, 80, 62},
}

var windstormRegions = []region{
	{10, 27, -90, -59, 70},
	{15, 23, -107, -90, 52},
	{20, 36, 119, 142, 66},
	{5, 20, 118, 128, 76},
	{8, 24, 80, 93, 58},
	{-25, -10, 43, 60, 56},
	{-26, -10, 140, 154, 52},
	{49, 61, -11, 3, 36},
	{46, 58, 3, 15, 30},
	{53, 72, 3, 31, 28},
	{31, 41, -103, -94, 42},
	{37, 44, -98, -84, 34},
	{30.5, 37, -94, -84, 36},
	{18, 23, -161, -154, 44},
}

// coastPoint is a point on the coast of the Gulf of Mexico or the Atlantic and the
// level of hurricane wind there, from 0 to 100.
type coastPoint struct{ lat, lon, wind float64 }

var coast = []coastPoint{
	{25.9, -97.2, 78},
	{27.8, -97.2, 80},
	{28.7, -95.9, 84},
	{29.3, -94.8, 90},
	{29.8, -93.3, 88},
	{29.5, -91.5, 86},
	{29.3, -90.0, 94},
	{30.2, -88.5, 90},
	{30.3, -87.2, 88},
	{29.8, -85.3, 86},
	{29.1, -83.0, 76},
	{27.8, -82.8, 86},
	{26.1, -81.8, 92},
	{24.6, -81.8, 98},
	{25.8, -80.1, 97},
	{26.7, -80.0, 94},
	{28.4, -80.6, 84},
	{30.3, -81.4, 74},
	{32.0, -80.8, 78},
	{32.8, -79.9, 82},
	{34.0, -77.9, 84},
	{35.2, -75.5, 88},
	{36.8, -76.0, 66},
	{38.3, -75.1, 56},
	{39.4, -74.4, 52},
	{40.6, -73.9, 50},
	{41.0, -71.9, 54},
	{41.7, -70.0, 54},
	{42.3, -71.0, 44},
	{43.6, -70.2, 36},
	{44.4, -66.5, 34},
	{44.6, -63.5, 40},
}

// hurricaneReach is the distance from the coast, in degrees, at which the level of
// hurricane wind falls to 0.
const hurricaneReach = 2.5

var floodRegions = []region{
	{28.8, 31.2, -94.5, -88.5, 58},
	{29, 30.3, -96, -94.5, 56},
	{24.4, 27.5, -82, -79.9, 52},
	{35, 38, -91, -88.5, 40},
	{51, 53.6, 3.3, 6.5, 55},
	{20.5, 25, 87.5, 92.5, 78},
	{8.5, 11, 104, 107, 66},
	{13, 15, 99.5, 101.5, 62},
	{-7, -5.5, 106, 107.5, 64},
	{38, 42.5, -91.5, -89.5, 34},
	{51.2, 51.8, -0.6, 0.9, 30},
}

// addPerils adds the scores of flood, earthquake and wind, from 0.00 to 100.00, with
// a random share that differs between addresses.
func addPerils(r Record, at address.Position, score float64, a address.Address) {
	h := newHash(a.Street+" "+a.City, a.CountryISO, a.PostalCode)
	wind := max(regionLevel(windstormRegions, at, 10), hurricaneLevel(at))
	flood := regionLevel(floodRegions, at, 8) + 22*max(0, 1-coastDistance(at)/0.5)
	peril := func(name string, base float64, jitter uint64) {
		hundredths := int(math.Round(base*100)) + h.draw(name, jitter*100)
		hundredths = min(max(hundredths, 0), 10_000)
		r.setIfAbsent(name, strconv.FormatFloat(float64(hundredths)/100, 'f', 2, 64), min(score, scoreByCity)-0.05)
	}
	peril("wind_score", wind, 5)
	peril("earthquake_score", regionLevel(earthquakeRegions, at, 5), 6)
	peril("flood_score", flood, 24)
}

// regionLevel returns the highest level of the regions that contain the position,
// but at least base.
func regionLevel(regions []region, at address.Position, base float64) float64 {
	for _, r := range regions {
		if at.Latitude >= r.south && at.Latitude <= r.north && at.Longitude >= r.west && at.Longitude <= r.east {
			base = max(base, r.level)
		}
	}
	return base
}

func hurricaneLevel(at address.Position) float64 {
	highest := 0.0
	for _, p := range coast {
		highest = max(highest, p.wind*(1-distance(at, p)/hurricaneReach))
	}
	return highest
}

// coastDistance returns the distance to the nearest coast point, in degrees.
func coastDistance(at address.Position) float64 {
	least := math.Inf(1)
	for _, p := range coast {
		least = min(least, distance(at, p))
	}
	return least
}

// distance returns a distance in degrees of latitude. It takes the length of a
// degree of longitude at 33° north everywhere.
func distance(at address.Position, p coastPoint) float64 {
	north, east := at.Latitude-p.lat, (at.Longitude-p.lon)*0.84
	return math.Sqrt(float64(north*north) + float64(east*east))
}
