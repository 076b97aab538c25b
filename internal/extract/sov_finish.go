package extract

import (
	"strconv"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

var (
	zipForm      = lazyregexp.New(`^\d{5}(-?\d{4})?$`)
	aside        = lazyregexp.New(`\s*\([^()]*\)\s*$`)
	sprinklerNo  = lazyregexp.New(`(?i)\b(non|un|not|no|none|without)\b[\s-]*sprinkler|unsprinkler|\bnone\b|\bnot sprinklered\b|\bnil\b`)
	sprinklerYes = lazyregexp.New(`(?i)sprinkler|\besfr\b|nfpa ?13|\b12845\b|\bwet\b|\bdry\b|\bfull(y)?\b|\bpartial(ly)?\b|\bLPC\b|\bP\b|\b(100|[1-9]\d?)\s?%`)
	detectorYes  = lazyregexp.New(`(?i)\b(mains|linked|interlinked|wired|optical|zoned|gsm|dual ?path|L1|L2|LD2|P1|addressable|monitored|hard ?wired|battery|central station|local|nsi|ssaib|arc|redcare|bells?|full|partial|installed|fitted|present|automatic|BS ?5839|grade|silent|audible|dualcom|gradeshift|digital)\b`)
)

// protected reads a cell about sprinklers, detectors or alarms.
func protected(text string, yes *lazyregexp.Regexp) (string, float64) {
	text = strings.TrimSpace(text)
	if len(text) == 1 && strings.Contains("JjOoSs", text) { // ja, oui, sí
		return "Y", 0.9
	}
	if answer, fit := parse.YesNo(text); answer != "" {
		return answer, fit
	}
	if a, fit, ok := parse.Money(strings.TrimSuffix(text, "%")); ok && fit == 1 {
		if a > 0 {
			return "Y", 0.95
		}
		return "N", 0.8
	}
	switch {
	case sprinklerNo.MatchString(text):
		return "N", 0.9
	case yes.MatchString(text):
		return "Y", 0.9
	}
	return "", 0
}

// finish returns the values of a location in the order of their fields, or nil if the
// row states no place.
func finish(r sovRow, rate func(name, text string, fit float64, c sovCell) float64) []field.Value {
	out := make(map[string]field.Value, 16)
	put := func(name, text string, fit float64, from sovCell) {
		if _, taken := out[name]; !taken && text != "" {
			text = words.Cut(text, 300)
			out[name] = field.Value{Field: name, Text: text, Score: rate(name, text, fit, from), Evidence: from.at.Evidence.String()}
		}
	}
	r.finishAddress(put)
	r.finishFacts(put)
	r.finishBuilding(put)
	r.finishValues(put)

	if m := r.cells["~mortgagee"]; m.header != "" && !words.Missing(m.text) && !yesWords[words.Key(m.text)] && len(out) > 0 {
		put(field.LocationInterest, field.ObjectText(field.EntryFields(field.LocationInterest), map[string]string{
			"interest": words.Cut(m.header, 40), "party_name": words.Cut(words.OneLine(m.text), 120), "loan_number": words.Cut(r.cells["~loan"].text, 40),
		}), 1, m)
	}

	if len(out) == 0 || len(out) == 1 && out["location_id"].Text != "" {
		return nil
	}
	values := []field.Value{}
	for _, fields := range [][]field.Field{field.LocationFacts, field.LocationOptions, field.MoreLocation} {
		for _, f := range fields {
			if v, ok := out[f.Name]; ok {
				values = append(values, v)
			}
		}
	}
	for _, limit := range r.namedLimits() {
		text := words.Cut(limit.header, 200) + ": " + limit.value.String()
		values = append(values, field.Value{
			Field: field.NamedCoverageLimits, Text: text, Score: rate(field.NamedCoverageLimits, text, 1, limit), Evidence: limit.at.Evidence.String(),
		})
	}
	return values
}

type putter = func(name, text string, fit float64, from sovCell)

// finishAddress splits an address that contains more than the street, and adds the
// country that follows from the state or the postal code.
func (r sovRow) finishAddress(put putter) {
	street := r.cells["location_address"]
	if strings.Contains(street.text, ")") {
		if m := aside.FindStringIndex(street.text); m != nil && m[0] > 8 {
			street.text = street.text[:m[0]]
		}
	}
	if n := r.cells["~address_number"]; n.text != "" && street.text != "" && !strings.HasPrefix(street.text, n.text) {
		street.text = n.text + " " + street.text
	}
	if second := r.cells["~address2"].text; second != "" && street.text != "" && !strings.Contains(street.text, second) {
		street.text += ", " + second
	}
	city, state, code, country := r.cells["location_city"], r.cells["location_state"], r.cells["location_postal_code"], r.cells["location_country"]
	rest := address.Address{}
	from := street
	switch {
	case city.text == "" && r.cells["~city_line"].text != "":
		from = r.cells["~city_line"]
		rest = address.Parse("1 Main Street, " + from.text)
		rest.Street = street.text
	case street.text != "" && city.text == "":
		rest = address.Parse(withoutFirm(words.OneLine(street.text)))
	case street.text != "" && strings.Contains(words.BareKey(street.text), words.BareKey(city.text)) && strings.Contains(street.text, ","):
		if a := address.Parse(street.text); strings.EqualFold(a.City, city.text) {
			rest.Street = a.Street
		}
	}
	if rest.Street != "" {
		put("location_address", rest.Street, 1, street)
	}
	put("location_address", withoutFirm(street.text), 1, street)
	put("location_city", city.text, 1, city)
	put("location_city", rest.City, 0.95, from)
	american := ""
	if abbreviation, iso, ok := address.State(state.text); ok {
		put("location_state", abbreviation, 1, state)
		if code.text == "" || zipForm.MatchString(code.text) || iso == "CA" {
			american = iso
		}
	} else if !parse.DigitsForm.MatchString(state.text) {
		put("location_state", state.text, 0.9, state)
	}
	put("location_state", rest.State, 0.95, from)
	put("location_postal_code", code.text, 1, code)
	put("location_postal_code", rest.PostalCode, 0.95, from)
	if iso, _, ok := address.Country(country.text); ok {
		put("location_country", iso, 1, country)
		return
	}
	put("location_country", country.text, 0.8, country)
	put("location_country", rest.CountryISO, 0.8, from)
	if american != "" {
		put("location_country", american, 0.8, state)
		return
	}
	for _, c := range []sovCell{state, code, city} {
		if c.text != "" && rest.CountryISO == "" {
			whole := address.Parse(strings.Join([]string{"1 Main Street", city.text, strings.TrimSpace(state.text + " " + code.text)}, ", "))
			put("location_country", whole.CountryISO, 0.8, c)
			if whole.State != "" && state.text == "" {
				put("location_state", whole.State, 0.8, c)
			}
			break
		}
	}
}

type level struct {
	form  *lazyregexp.Regexp
	score string
}

// zones convert the zone in a schedule to a score of 0 to 100.
var zones = []struct {
	cell, field string
	levels      []level
}{
	{"~flood_zone", "flood_score", []level{
		{lazyregexp.New(`(?i)^(?:zone )?(?:V|VE|V\d+|3b)\b`), "90.00"},
		{lazyregexp.New(`(?i)^(?:zone )?(?:A|AE|AH|AO|AR|A\d+|A99|3a?)\b`), "75.00"},
		{lazyregexp.New(`(?i)^(?:zone )?(?:B|X ?\(?(?:500|shaded)|X500|0\.2|2)`), "40.00"},
		{lazyregexp.New(`(?i)^(?:zone )?(?:X|C|1)\b`), "12.00"},
	}},
	{"~eq_zone", "earthquake_score", []level{
		{lazyregexp.New(`(?i)^(?:zone )?[45]\b`), "80.00"},
		{lazyregexp.New(`(?i)^(?:zone )?3\b`), "60.00"},
		{lazyregexp.New(`(?i)^(?:zone )?2[AB]?\b`), "40.00"},
		{lazyregexp.New(`(?i)^(?:zone )?1\b`), "20.00"},
		{lazyregexp.New(`(?i)^(?:zone )?0\b`), "5.00"},
	}},
	{"~wind_tier", "wind_score", []level{
		{lazyregexp.New(`(?i)^(?:tier )?1\b`), "85.00"}, {lazyregexp.New(`(?i)^(?:tier )?2\b`), "60.00"}, {lazyregexp.New(`(?i)^(?:tier )?3\b`), "35.00"},
	}},
}

var degrees = lazyregexp.New(`(?i)([-+]?\d{1,3}\.\d{2,})\s*°?\s*([NSEW])?\b`)

// bothDegrees reads "51.5072 N, 0.1276 W" or "51.5072, -0.1276".
func bothDegrees(text string) (latitude, longitude string, ok bool) {
	found := degrees.FindAllStringSubmatch(text, 3)
	if len(found) != 2 {
		return "", "", false
	}
	signed := func(m []string) string {
		if side := strings.ToUpper(m[2]); (side == "S" || side == "W") && m[1][0] != '-' {
			return "-" + m[1]
		}
		return strings.TrimPrefix(m[1], "+")
	}
	if side := strings.ToUpper(found[0][2]); side == "E" || side == "W" {
		found[0], found[1] = found[1], found[0]
	}
	latitude, longitude = signed(found[0]), signed(found[1])
	north, _ := strconv.ParseFloat(latitude, 64)
	east, _ := strconv.ParseFloat(longitude, 64)
	return latitude, longitude, north >= -90 && north <= 90 && east >= -180 && east <= 180
}

// withoutFirm removes the occupier's name from the start of an address.
func withoutFirm(address string) string {
	first, rest, ok := strings.Cut(address, ",")
	if !ok || first == "" || strings.Contains(parse.Digits, first[:1]) {
		return address
	}
	if m := parse.LegalName.FindStringIndex(first); m != nil && m[0] == 0 && m[1] == len(first) {
		return strings.TrimSpace(rest)
	}
	return address
}

func (r sovRow) finishFacts(put putter) {
	id, building := r.cells["location_id"], r.cells["~building"]
	switch {
	case id.text != "" && building.text != "" && (r.shared || id.text != building.text):
		put("location_id", id.text+"-"+building.text, 1, id)
	case id.text != "":
		put("location_id", id.text, 1, id)
	default:
		put("location_id", building.text, 0.9, building)
	}
	for _, f := range []string{"latitude", "longitude", "flood_score", "earthquake_score", "wind_score"} {
		c := r.cells[f]
		if a := strings.Trim(c.text, "-+.0123456789"); c.text != "" && a == "" {
			put(f, c.text, 1, c)
		}
	}
	for _, z := range zones {
		c := r.cells[z.cell]
		for _, level := range z.levels {
			if c.text != "" && level.form.MatchString(strings.TrimSpace(c.text)) {
				c.derived = true
				put(z.field, level.score, 1, c)
				break
			}
		}
	}
	if c := r.cells["~geo"]; c.text != "" {
		if lat, lon, ok := bothDegrees(c.text); ok {
			put("latitude", lat, 1, c)
			put("longitude", lon, 1, c)
		}
	}
	put("construction_type", r.cells["construction_type"].text, 1, r.cells["construction_type"])
	put("construction_type", r.cells["~construction_code"].text, 0.8, r.cells["~construction_code"])
	put("location_occupancy_code", r.cells["location_occupancy_code"].text, 1, r.cells["location_occupancy_code"])

	guard := func(name string, yes *lazyregexp.Regexp, from ...string) {
		for n, f := range from {
			c := r.cells[f]
			if c.text == "" {
				continue
			}
			if n > 0 && f == "~fire_protection" && !yes.MatchString(c.text) && !sprinklerNo.MatchString(c.text) {
				continue
			}
			if answer, fit := protected(c.text, yes); answer != "" {
				put(name, answer, fit, c)
			}
		}
	}
	guard("location_have_sprinklers", sprinklerYes, "location_have_sprinklers", "~sprinkler_percent")
	if c := r.cells["~fire_protection"]; strings.Contains(strings.ToLower(c.text), "sprinkler") {
		guard("location_have_sprinklers", sprinklerYes, "~fire_protection")
	}
	if c := r.cells["~sprinkler_text"]; c.text != "" {
		answer := "Y"
		if sprinklerNo.MatchString(c.text) {
			answer = "N"
		}
		put("location_have_sprinklers", answer, 0.9, c)
	}
	guard("location_have_smoke_detectors", detectorYes, "location_have_smoke_detectors", "~fire_alarm")
	guard("location_have_intrusion_detectors", detectorYes, "location_have_intrusion_detectors")
}

// finishValues sets the sums, and the total if it is not stated.
func (r sovRow) finishValues(put putter) {
	cell := func(name string) sovCell { return r.cells[name] }
	or := func(names ...string) sovCell {
		for _, n := range names {
			if cell(n).value != 0 {
				return cell(n)
			}
		}
		return sovCell{}
	}
	building, contents := or("building_value", "~building_other"), or("contents_tiv", "~equipment")
	stock, interruption := cell("stock_tiv"), or("business_interruption_value", "~bi_limit")
	if rents := cell("~rents"); rents.value != 0 {
		if interruption.value == 0 {
			interruption = rents
		} else {
			interruption.value += rents.value
		}
	}
	sums := []struct {
		name string
		sovCell
	}{
		{"building_value", building},
		{"contents_tiv", contents},
		{"stock_tiv", stock},
		{"business_interruption_value", interruption},
		{"location_pd", cell("location_pd")},
		{"100_pct_pd_limit", cell("100_pct_pd_limit")},
		{"100_pct_bi_limit", cell("100_pct_bi_limit")},
		{"100_pct_limit", or("100_pct_limit", "~total_limit")},
		{"100_pct_coverage_limits", cell("100_pct_coverage_limits")},
		{"location_application_limit", cell("location_application_limit")},
		{"location_charge_value", cell("location_charge_value")},
	}
	for _, s := range sums {
		if s.value > 0 {
			put(s.name, s.value.String(), 1, s.sovCell)
		}
	}
	damage := sumOf(building, cell("contents_tiv"), cell("~equipment"), stock)
	if damage.value > 0 && cell("~unread").text == "" {
		put("location_pd", damage.value.String(), 1, damage)
	}
	if damage.value == 0 {
		return // no total from a business interruption alone
	}
	if total := sumOf(damage, interruption, cell("~other_value")); total.value > 0 {
		put("100_pct_limit", total.value.String(), 1, total)
	}
}

// sumOf adds the values. The result has the place of the least explicit value.
func sumOf(parts ...sovCell) sovCell {
	sum := sovCell{}
	for _, p := range parts {
		if p.value != 0 && sum.value < parse.MostCents {
			sum.value += p.value
			if sum.at.Evidence.Part == "" || p.weaker(sum) {
				sum.at, sum.from, sum.doubt = p.at, p.from, p.doubt
			}
			sum.derived = true
		}
	}
	return sum
}
