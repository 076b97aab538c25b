package location

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

var (
	wholeForm  = lazyregexp.New(`^\d{1,3}(?:\.0+)?$`)
	areaForm   = lazyregexp.New(`^(\d{1,3}(?:,\d{3})+|\d{2,8})(?:\.\d+)?\s*([\pL .²]*)$`)
	metricForm = vocabulary.Pattern(`(?i)\b{{buildings.square metre}}|m²`)
)

// buildingTexts are fields that a column states as they are shown.
var buildingTexts = []string{
	"roof_type", "roof_shape", "roof_configuration", "exterior_construction_features", "exterior_roof_features",
	"fire_alarm_manufacturer", "fire_protection_class_code", "fire_hydrant_distance",
}

var (
	distanceForm = lazyregexp.New(`^[<>~≤≥]?\s*(\d{1,5}(?:\.\d+)?)\s*\+?\s*(\pL*)\.?$`)
	distanceUnit = vocabulary.Pattern(`(?i)\b{{buildings.distance}}\b`)
)

const squareFeetPerSquareMetre = 10.7639

// finishBuilding sets the fields of version 5 that describe the building of a row.
func (r Row) finishBuilding(put putter) {
	cell := func(name string) Cell { return r.Cells[name] }
	put("building_number", cell("~building").Text, 1, cell("~building"))
	put("year_built", parse.YearForm.FindString(cell("~built").Text), 1, cell("~built"))
	for name, from := range map[string]Cell{
		"total_floors": cell("~stories"), "total_buildings": cell("total_buildings"), "sprinkler_pct": cell("~sprinkler_percent"),
	} {
		if text := strings.TrimSpace(strings.TrimSuffix(from.Text, "%")); wholeForm.MatchString(text) {
			whole, _, _ := strings.Cut(text, ".")
			put(name, whole, 1, from)
		}
	}
	if m := areaForm.FindStringSubmatch(cell("~area").Text); m != nil {
		area, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err == nil && metricForm.MatchString(m[2]+" "+cell("~area").header) {
			area *= squareFeetPerSquareMetre
		}
		if err == nil && area > 0 {
			put("total_building_area_sqft", strconv.FormatFloat(math.Round(area), 'f', -1, 64), 1, cell("~area"))
		}
	}
	for _, name := range buildingTexts {
		put(name, cell(name).Text, 1, cell(name))
	}
	if m := distanceForm.FindStringSubmatch(cell("coast_distance").Text); m != nil {
		put("coast_distance", m[1], 1, cell("coast_distance"))
		for _, text := range []string{m[2], cell("coast_distance").header} {
			if unit := strings.ToLower(distanceUnit.FindString(text)); unit != "" {
				put("coast_distance_unit", vocabulary.Classes("buildings.distance")[unit], 1, cell("coast_distance"))
			}
		}
	}
	if alarm := cell("location_have_intrusion_detectors"); alarm.Text != "" {
		if answer, _ := parse.YesNo(alarm.Text); answer == "" {
			put("burglar_alarm_type", alarm.Text, 1, alarm)
		}
	}
}

// limitCols are the columns whose values are limits of a location, in the order of
// their names.
var limitCols = []string{
	"building_value", "~building_other", "contents_tiv", "~equipment", "stock_tiv", "business_interruption_value", "~bi_limit", "~rents", "~other_value",
}

var emptyBrackets = strings.NewReplacer("()", "", "( )", "")

// CoverageName returns a header without the unit of the amounts under it.
func CoverageName(header string) string {
	name := recognise.Units.ReplaceAllString(header, "")
	return strings.Trim(words.OneLine(emptyBrackets.Replace(name)), " -")
}

// namedLimits returns the limits of a row whose column has a header, which is the name
// of the coverage.
func (r Row) namedLimits() []Cell {
	var limits []Cell
	for _, name := range limitCols {
		c := r.Cells[name]
		same := slices.ContainsFunc(limits, func(other Cell) bool { return other.header == c.header })
		if c.Value > 0 && c.header != "" && !same {
			limits = append(limits, c)
		}
	}
	return limits
}
