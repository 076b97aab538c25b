package location

import (
	"strconv"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

var (
	zipForm      = lazyregexp.New(`^\d{5}(-?\d{4})?$`)
	aside        = lazyregexp.New(`\s*\([^()]*\)\s*$`)
	sprinklerNo  = vocabulary.Pattern(`(?i)\b{{protection.denied}}\b[\s-]*sprinkler|unsprinkler|\b{{protection.absent}}\b`)
	sprinklerYes = vocabulary.Pattern(`(?i)sprinkler|nfpa ?13|\b{{protection.sprinklers}}\b|\b(100|[1-9]\d?)\s?%`)
	detectorYes  = vocabulary.Pattern(`(?i)\b{{protection.detectors}}\b`)
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
	if keys := vocabulary.Words(text); len(keys) > 0 && len(keys) <= maxAnswer { // "not fitted"
		if vocabulary.Protection().Means(keys[0], "no") {
			return "N", 0.9
		}
		if vocabulary.Protection().Means(keys[0], "yes") {
			return "Y", 0.9
		}
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

const maxAnswer = 4 // words of an answer

// Finish returns the values of a location in the order of their fields, or nil if the
// row states no place.
func Finish(r Row, rate func(name, text string, fit float64, c Cell) float64) []field.Value {
	out := make(map[string]field.Value, 16)
	put := func(name, text string, fit float64, from Cell) {
		if _, taken := out[name]; !taken && text != "" {
			text = words.Cut(text, 300)
			out[name] = field.Value{Field: name, Text: text, Score: rate(name, text, fit, from), Evidence: from.At.Evidence.String()}
		}
	}
	r.finishAddress(put)
	r.finishFacts(put)
	r.finishBuilding(put)
	r.finishValues(put)

	if m := r.Cells["~mortgagee"]; m.header != "" && !words.Missing(m.Text) && !YesWords[words.Key(m.Text)] && len(out) > 0 {
		put(field.LocationInterest, field.ObjectText(field.EntryFields(field.LocationInterest), map[string]string{
			"interest": words.Cut(m.header, 40), "party_name": words.Cut(words.OneLine(m.Text), 120), "loan_number": words.Cut(r.Cells["~loan"].Text, 40),
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
		text := words.Cut(limit.header, 200) + ": " + limit.Value.String()
		values = append(values, field.Value{
			Field: field.NamedCoverageLimits, Text: text, Score: rate(field.NamedCoverageLimits, text, 1, limit), Evidence: limit.At.Evidence.String(),
		})
	}
	return values
}

type putter = func(name, text string, fit float64, from Cell)

// finishAddress splits an address that contains more than the street, and adds the
// country that follows from the state or the postal code.
func (r Row) finishAddress(put putter) {
	r.JoinNumber()
	street := r.Cells["location_address"]
	if r.Cells["location_city"].Text == "" {
		street.Text = address.Arrange(street.Text)
	}
	if strings.Contains(street.Text, ")") {
		if m := aside.FindStringIndex(street.Text); m != nil && m[0] > 8 {
			street.Text = street.Text[:m[0]]
		}
	}
	if second := r.Cells["~address2"].Text; second != "" && street.Text != "" && !strings.Contains(street.Text, second) {
		street.Text += ", " + second
	}
	city, state, code, country := r.Cells["location_city"], r.Cells["location_state"], r.Cells["location_postal_code"], r.Cells["location_country"]
	rest := address.Address{}
	from := street
	switch {
	case city.Text == "" && r.Cells["~city_line"].Text != "":
		from = r.Cells["~city_line"]
		rest = address.Parse("1 Main Street, " + from.Text)
		if m := codeAndCity.FindStringSubmatch(from.Text); m != nil && (rest.CountryISO == "US" || rest.City == "") {
			rest = address.Address{PostalCode: m[1], City: m[2]}
		}
		if code := r.Cells["location_postal_code"].Text; rest.PostalCode == "" && code != "" {
			if a := address.Parse("1 Main Street, " + from.Text + " " + code); a.PostalCode != "" && a.City != "" {
				rest = a // "Geelong VIC" beside "3220"
			}
		}
		rest.Street = street.Text
	case street.Text != "" && city.Text == "":
		rest = address.Parse(withoutFirm(words.OneLine(street.Text)))
		if home := r.Cells["~home"].Text; rest.PostalCode == "" && home != "" {
			if a := address.Parse(withoutFirm(words.OneLine(street.Text)) + ", " + home); a.PostalCode != "" {
				rest = a
			}
		}
	case street.Text != "" && strings.Contains(words.BareKey(street.Text), words.BareKey(city.Text)) && strings.Contains(street.Text, ","):
		if a := address.Parse(street.Text); strings.EqualFold(a.City, city.Text) {
			rest = a
		}
	}
	if rest.Street != "" {
		put("location_address", rest.Street, 1, street)
	}
	put("location_address", withoutFirm(street.Text), 1, street)
	put("location_city", city.Text, 1, city)
	put("location_city", rest.City, 0.95, from)
	american := ""
	if abbreviation, iso, ok := address.State(state.Text); ok {
		put("location_state", abbreviation, 1, state)
		if code.Text == "" || zipForm.MatchString(code.Text) || iso == "CA" {
			american = iso
		}
	} else if !parse.HasDigit(state.Text) {
		put("location_state", state.Text, 0.9, state)
	}
	put("location_state", rest.State, 0.95, from)
	put("location_postal_code", code.Text, 1, code)
	put("location_postal_code", rest.PostalCode, 0.95, from)
	if iso, _, ok := address.Country(country.Text); ok {
		put("location_country", iso, 1, country)
		return
	}
	put("location_country", country.Text, 0.8, country)
	put("location_country", rest.CountryISO, 0.8, from)
	defer func() { put("location_country", r.Cells["~home"].Text, 0.7, r.Cells["~home"]) }()
	if american == "US" && street.Text != "" && code.Text != "" {
		whole := address.Parse(strings.Join([]string{street.Text + ",", code.Text, city.Text, state.Text}, " "))
		if iso := whole.CountryISO; iso != "" && iso != american {
			put("location_country", iso, 0.8, city) // "Via Roma 8 | 20144 | Milano | MI"
			return
		}
	}
	if american != "" {
		put("location_country", american, 0.8, state)
		return
	}
	if a := address.Parse("1 Main Street, " + code.Text + " " + city.Text + ", " + state.Text); state.Text != "" && a.State == state.Text && a.City == city.Text {
		put("location_country", a.CountryISO, 0.8, state) // "Santoña | Cantabria | 39740"
	}
	for _, c := range []Cell{state, code, city} {
		if c.Text != "" && rest.CountryISO == "" {
			whole := address.Parse(strings.Join([]string{"1 Main Street", city.Text, strings.TrimSpace(state.Text + " " + dutchCode.ReplaceAllString(code.Text, "$1 $2"))}, ", "))
			if iso, _, ok := address.Country(state.Text); ok && iso == whole.CountryISO && !address.IsCity(city.Text, iso) {
				break // the canton SG is not Singapore
			}
			put("location_country", whole.CountryISO, 0.8, c)
			if whole.State != "" && state.Text == "" {
				put("location_state", whole.State, 0.8, c)
			}
			break
		}
	}
}

// codeAndCity matches a postal code before its city, which is not the order of American addresses.
var codeAndCity = lazyregexp.New(`^(\d{4,5}(?: [A-Z]{2})?) (\pL[^,\d]*)$`)

// dutchCode matches a postal code without its space.
var dutchCode = lazyregexp.New(`^(\d{4})([A-Z]{2})$`)

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

func (r Row) finishFacts(put putter) {
	id, building := r.Cells["location_id"], r.Cells["~building"]
	switch {
	case id.Text != "" && building.Text != "" && (r.Shared || id.Text != building.Text):
		put("location_id", id.Text+"-"+building.Text, 1, id)
	case id.Text != "":
		put("location_id", id.Text, 1, id)
	default:
		put("location_id", building.Text, 0.9, building)
	}
	for _, f := range []string{"latitude", "longitude", "flood_score", "earthquake_score", "wind_score"} {
		c := r.Cells[f]
		if a := strings.Trim(c.Text, "-+.0123456789"); c.Text != "" && a == "" {
			put(f, c.Text, 1, c)
		}
	}
	for _, z := range zones {
		c := r.Cells[z.cell]
		for _, level := range z.levels {
			if c.Text != "" && level.form.MatchString(strings.TrimSpace(c.Text)) {
				c.Derived = true
				put(z.field, level.score, 1, c)
				break
			}
		}
	}
	if c := r.Cells["~geo"]; c.Text != "" {
		if lat, lon, ok := bothDegrees(c.Text); ok {
			put("latitude", lat, 1, c)
			put("longitude", lon, 1, c)
		}
	}
	put("construction_type", r.Cells["construction_type"].Text, 1, r.Cells["construction_type"])
	put("construction_type", r.Cells["~construction_code"].Text, 0.8, r.Cells["~construction_code"])
	put("location_occupancy_code", r.Cells["location_occupancy_code"].Text, 1, r.Cells["location_occupancy_code"])

	guard := func(name string, yes *lazyregexp.Regexp, from ...string) {
		for n, f := range from {
			c := r.Cells[f]
			if c.Text == "" {
				continue
			}
			if n > 0 && f == "~fire_protection" && !yes.MatchString(c.Text) && !sprinklerNo.MatchString(c.Text) {
				continue
			}
			if answer, fit := protected(c.Text, yes); answer != "" {
				put(name, answer, fit, c)
			}
		}
	}
	guard("location_have_sprinklers", sprinklerYes, "location_have_sprinklers", "~sprinkler_percent")
	if c := r.Cells["~fire_protection"]; strings.Contains(strings.ToLower(c.Text), "sprinkler") {
		guard("location_have_sprinklers", sprinklerYes, "~fire_protection")
	}
	if c := r.Cells["~sprinkler_text"]; c.Text != "" {
		answer := "Y"
		if sprinklerNo.MatchString(c.Text) {
			answer = "N"
		}
		put("location_have_sprinklers", answer, 0.9, c)
	}
	guard("location_have_smoke_detectors", detectorYes, "location_have_smoke_detectors", "~fire_alarm")
	guard("location_have_intrusion_detectors", detectorYes, "location_have_intrusion_detectors")
}

// finishValues sets the sums, and the total if it is not stated.
func (r Row) finishValues(put putter) {
	cell := func(name string) Cell { return r.Cells[name] }
	or := func(names ...string) Cell {
		for _, n := range names {
			if cell(n).Value != 0 {
				return cell(n)
			}
		}
		return Cell{}
	}
	building, contents := or("building_value", "~building_other"), or("contents_tiv", "~equipment")
	stock, interruption := cell("stock_tiv"), or("business_interruption_value", "~bi_limit", "100_pct_bi_limit")
	if rents := cell("~rents"); rents.Value != 0 {
		if interruption.Value == 0 {
			interruption = rents
		} else {
			interruption.Value += rents.Value
		}
	}
	sums := []struct {
		name string
		Cell
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
		if s.Value > 0 {
			put(s.name, s.Value.String(), 1, s.Cell)
		}
	}
	damage := sumOf(building, cell("contents_tiv"), cell("~equipment"), stock)
	if damage.Value > 0 && cell("~unread").Text == "" {
		put("location_pd", damage.Value.String(), 1, damage)
	}
	if damage.Value == 0 {
		return // no total from a business interruption alone
	}
	if total := sumOf(damage, interruption, cell("~other_value")); total.Value > 0 {
		put("100_pct_limit", total.Value.String(), 1, total)
	}
}

// sumOf adds the values. The result has the place of the least explicit value.
func sumOf(parts ...Cell) Cell {
	sum := Cell{}
	for _, p := range parts {
		if p.Value != 0 && sum.Value < parse.MostCents {
			sum.Value += p.Value
			if sum.At.Evidence.Part == "" || p.Weaker(sum) {
				sum.At, sum.From, sum.Doubt = p.At, p.From, p.Doubt
			}
			sum.Derived = true
		}
	}
	return sum
}
