package enrich

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// Synthetic lists the fields that can have a synthetic value when none was extracted,
// and how that value is made so that it cannot be mistaken for a real one. A
// synthetic value has a score of at most 0.60 and never replaces an extracted one.
var Synthetic = []struct{ Field, How string }{
	{"website", "under the reserved top-level domain .example"},
	{"phone_number", "from the ranges that national regulators reserve for examples and drama (US and Canada 555-0100 to 0199, Ofcom's drama numbers, …); none in other countries"},
	{"company_number", "in the national format, above all issued numbers (United Kingdom 99…, Ireland 9……); none in other countries"},
	{"fein", "prefix 00, which is never issued; United States only"},
	{"bureau_number", "nine digits beginning with 000"},
	{"global_ultimate_bureau_number", "the company's own bureau number"},
	{"smart_company_credit_grade", "random, A to E"},
	{"bureau_rating", "random, 1 to 4"},
	{"bureau_rating_description", "the description of the random rating"},
	{"bureau_review_date", "random, a day in 2025"},
	{"year_founded", "random, depending on the industry"},
	{"year_in_business", "from the year founded"},
	{"has_business_in_operation_for_more_than_3yrs", "from the year founded"},
	{"annual_revenue", "random, depending on industry and staff"},
	{"annual_payroll", "random, depending on industry and staff"},
	{"total_full_time_employees", "random, depending on industry or revenue"},
	{"primary_naics_2012", "from words in the company's name and description"},
	{"secondary_naics_2012", "from words in the company's name and description"},
	{"company_description", "the title of the industry code"},
	{"product_sold_in_countries", "the company's own country"},
	{"latitude", "the centre of the postal code or city, moved by less than 300 m"},
	{"longitude", "the centre of the postal code or city, moved by less than 300 m"},
	{"flood_score", "a rough estimate from the position"},
	{"earthquake_score", "a rough estimate from the position"},
	{"wind_score", "a rough estimate from the position"},

	// Version 5.
	{"primary_naics_2017", "the NAICS 2012 code, which most industries kept"},
	{"primary_sic", "the major group that comes closest to the subsector of the NAICS code"},
	{"smart_construction_code", "from the construction, random if that is unknown"},
	{"rms_construction_code", "from the construction, random if that is unknown"},
	{"rms_construction_description", "from the construction, random if that is unknown"},
	{"atc_construction_code", "from the construction, random if that is unknown"},
	{"atc_construction_description", "from the construction, random if that is unknown"},
	{"wildfire_grade", "random, depending on the region"},
	{"wildfire_grade_desc", "from the wildfire grade"},
	{"earthquake_grade", "from the earthquake score"},
	{"flood_grade", "from the flood score"},
	{"wind_grade", "from the wind score"},
	{"hail_grade", "random, depending on the region"},
	{"tornado_grade", "random, depending on the region"},
	{"sinkhole_point_grade", "random, depending on the region"},
	{"radon", "random, depending on the region"},
	{"murder_grade", "random, alike in one city"},
	{"larceny_grade", "random, alike in one city"},
	{"crime_grade", "random, alike in one city"},
	{"aggravated_assault_grade", "random, alike in one city"},
	{"motor_vehicle_theft", "random, alike in one city"},
	{"burglary_grade", "random, alike in one city"},
	{"forcible_rape", "random, alike in one city"},
	{"forcible_robbery", "random, alike in one city"},
	{"fire_protection_class_code", "random, 1 to 9"},
	{"fire_hydrant_distance", "random"},
	{"coast_distance", "a rough estimate from the position; United States and Canada only"},
	{"coast_distance_unit", "miles"},
}

const scoreDrawn = 0.30 // score of a value that depends on a draw alone

// addSynthetic adds identifiers of the company, from ranges that no real company can
// use, the ratings that a credit bureau would assign, and values that follow from its
// industry and country.
func (c *company) addSynthetic() {
	r := c.record
	if !r.has("company_name") {
		return
	}
	if name := strings.ReplaceAll(domainName(r.text("company_name")), " ", ""); name != "" {
		r.setIfAbsent("website", "www."+name+".example", scoreDrawn)
	}
	r.setIfAbsent("phone_number", c.examplePhone(), scoreDrawn)
	switch c.home.CountryISO {
	case "US":
		r.setIfAbsent("fein", fmt.Sprintf("00-%07d", c.hash.draw("fein", 10_000_000)), scoreDrawn)
	case "GB":
		r.setIfAbsent("company_number", fmt.Sprintf("99%06d", c.hash.draw("company_number", 1_000_000)), scoreDrawn)
	case "IE":
		r.setIfAbsent("company_number", fmt.Sprintf("9%06d", c.hash.draw("company_number", 1_000_000)), scoreDrawn)
	}
	r.setIfAbsent("bureau_number", fmt.Sprintf("000%06d", c.hash.draw("bureau_number", 1_000_000)), scoreDrawn)
	if !r.has("parent_company_revenue") && !r.has("parent_company_global_sales") {
		r.setIfAbsent("global_ultimate_bureau_number", r.text("bureau_number"), min(r.Scores["bureau_number"], scoreDrawn))
	}
	c.addRatings()

	if codes, _ := r.Values["primary_naics_2012"].([]field.Code); len(codes) > 0 && codes[0].Desc != "" {
		r.setIfAbsent("company_description", []string{codes[0].Desc}, min(r.Scores["primary_naics_2012"], scoreInferred)-0.05)
	}
	if iso := c.home.CountryISO; iso != "" {
		r.setIfAbsent("product_sold_in_countries", []string{iso}, scoreDrawn)
		if r.has("parent_company_revenue") {
			r.setIfAbsent("parent_company_revenue_currency_code", currencies[iso], scoreAssumed)
		}
	}
}

// ratings are the descriptions of the bureau ratings 1, the best, to 4.
var ratings = []string{"Low risk", "Lower than average risk", "Average risk", "Higher than average risk"}

// addRatings derives all ratings from one draw, so that they do not contradict each
// other. Companies founded recently get worse ratings.
func (c *company) addRatings() {
	r := c.record
	risk := c.hash.draw("bureau_rating", 8) // 0 is the best
	if founded, err := strconv.Atoi(r.text("year_founded")); err == nil && founded > referenceYear-5 {
		risk += 2
	}
	rating := min(risk*len(ratings)/9, len(ratings)-1)
	if extracted, err := strconv.Atoi(r.text("bureau_rating")); err == nil && extracted >= 1 && extracted <= len(ratings) {
		rating = extracted - 1
	}
	r.setIfAbsent("bureau_rating", strconv.Itoa(rating+1), scoreDrawn)
	if r.text("bureau_rating") == strconv.Itoa(rating+1) {
		r.setIfAbsent("bureau_rating_description", ratings[rating], min(r.Scores["bureau_rating"], scoreDrawn))
	}
	r.setIfAbsent("smart_company_credit_grade", string("ABCDE"[min(risk/2, 4)]), scoreDrawn)
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, c.hash.draw("bureau_review_date", 365))
	r.setIfAbsent("bureau_review_date", day.Format(time.DateOnly), scoreDrawn)
}

// domainName returns the company's name without its legal form, reduced to spaces and
// the characters allowed in a domain.
func domainName(name string) string {
	key := address.Key(name)
	for _, form := range legalForms {
		if short, ok := strings.CutSuffix(key, " "+form.ending); ok {
			key = short
			break
		}
	}
	key = strings.TrimSuffix(strings.TrimSuffix(key, " ltd"), " limited")
	allowed := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == ' ' {
			return r
		}
		return -1
	}, key)
	return allowed[:min(len(allowed), 60)]
}

// dramaPrefixes are the prefixes of the phone numbers that Ofcom reserves for drama,
// by city. Three digits follow.
var dramaPrefixes = map[string]string{
	"london": "020 7946 0", "leeds": "0113 496 0", "sheffield": "0114 496 0", "nottingham": "0115 496 0", "leicester": "0116 496 0",
	"bristol": "0117 496 0", "reading": "0118 496 0", "birmingham": "0121 496 0", "edinburgh": "0131 496 0", "glasgow": "0141 496 0",
	"liverpool": "0151 496 0", "manchester": "0161 496 0", "newcastle upon tyne": "0191 498 0", "belfast": "028 9649 6", "cardiff": "029 2018 0",
}

// areaCodes holds one area code in use for each US state and Canadian province.
var areaCodes = map[string]string{
	"AL": "205", "AK": "907", "AZ": "602", "AR": "501", "CA": "415", "CO": "303", "CT": "203", "DE": "302", "DC": "202", "FL": "305", "GA": "404", "HI": "808",
	"ID": "208", "IL": "312", "IN": "317", "IA": "515", "KS": "316", "KY": "502", "LA": "504", "ME": "207", "MD": "410", "MA": "617", "MI": "313", "MN": "612",
	"MS": "601", "MO": "314", "MT": "406", "NE": "402", "NV": "702", "NH": "603", "NJ": "201", "NM": "505", "NY": "212", "NC": "919", "ND": "701", "OH": "614",
	"OK": "405", "OR": "503", "PA": "215", "RI": "401", "SC": "803", "SD": "605", "TN": "615", "TX": "512", "UT": "801", "VT": "802", "VA": "804", "WA": "206",
	"WV": "304", "WI": "414", "WY": "307", "PR": "787",
	"AB": "403", "BC": "604", "MB": "204", "NB": "506", "NL": "709", "NS": "902", "NT": "867", "NU": "867", "ON": "416", "PE": "902", "QC": "514", "SK": "306", "YT": "867",
}

// examplePhone returns a phone number from the range reserved for examples in the
// company's country, or "" if there is none.
func (c *company) examplePhone() string {
	draw := func(n uint64) int { return c.hash.draw("phone_number", n) }
	switch c.home.CountryISO {
	case "US", "CA":
		area, ok := areaCodes[c.home.State]
		if !ok {
			area = "800"
		}
		return fmt.Sprintf("(%s) 555-01%02d", area, draw(100))
	case "GB":
		if prefix, ok := dramaPrefixes[address.Key(c.home.City)]; ok {
			return prefix + fmt.Sprintf("%03d", draw(1000))
		}
		return fmt.Sprintf("01632 960%03d", draw(1000))
	case "AU":
		return fmt.Sprintf("(02) 5550 %04d", draw(10_000))
	case "DE":
		return fmt.Sprintf("+49 30 23125 %03d", draw(1000))
	case "FR":
		return fmt.Sprintf("+33 1 99 00 %02d %02d", draw(100), c.hash.draw("phone_number end", 100))
	}
	return ""
}

// currencies are currency codes by country.
var currencies = map[string]string{
	"US": "USD", "GB": "GBP", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "CH": "CHF", "SE": "SEK", "NO": "NOK", "DK": "DKK", "PL": "PLN", "JP": "JPY", "CN": "CNY", "IN": "INR",
	"MX": "MXN", "BR": "BRL", "ZA": "ZAR", "SG": "SGD", "HK": "HKD", "IE": "EUR", "DE": "EUR", "FR": "EUR", "IT": "EUR", "ES": "EUR", "NL": "EUR", "BE": "EUR", "AT": "EUR",
	"PT": "EUR", "FI": "EUR", "LU": "EUR", "GR": "EUR", "SK": "EUR", "SI": "EUR", "EE": "EUR", "LV": "EUR", "LT": "EUR", "MT": "EUR", "CY": "EUR", "HR": "EUR",
}
