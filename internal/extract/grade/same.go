package grade

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// kinds is the kind of each field, by name.
var kinds = func() map[string]field.Kind {
	all := map[string]field.Kind{"sum_building_value": field.Money}
	for _, table := range [][]field.Field{field.Report, field.Facts, field.Options, field.LocationFacts, field.LocationOptions} {
		for _, f := range table {
			all[f.Name] = f.Kind
		}
	}
	return all
}()

// same tells whether the value that was read for the field says what the
// document states.
func same(name, stated, read string) bool {
	switch kinds[name] {
	case field.Money, field.Number, field.Integer:
		return sameNumber(stated, read)
	case field.Indicator:
		return strings.EqualFold(stated, read)
	}
	switch name {
	case "construction_type", "product", "coverage":
		return holdsWords(read, stated)
	case "phone_number", "broker_contact_phone":
		return lastDigits(stated) != "" && lastDigits(stated) == lastDigits(read)
	case "business_interruption_period":
		if wanted := months(stated); wanted > 0 {
			return wanted == months(read)
		}
	case "state", "broker_state", "location_state":
		if code, _, ok := address.State(stated); ok {
			found, _, _ := address.State(read)
			return code == found
		}
	case "country", "risk_country", "location_country":
		if iso, _, ok := address.Country(stated); ok {
			found, _, _ := address.Country(read)
			return iso == found
		}
	}
	return plain(stated) != "" && strings.Contains(plain(read), plain(stated))
}

// plain is the text's letters and digits in lower case.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func sameNumber(stated, read string) bool {
	a, errA := strconv.ParseFloat(strings.ReplaceAll(stated, ",", ""), 64)
	b, errB := strconv.ParseFloat(strings.ReplaceAll(read, ",", ""), 64)
	if errA != nil || errB != nil {
		return plain(stated) == plain(read)
	}
	return math.Abs(a-b) <= 0.005
}

// holdsWords tells whether all words of the stated text are in the read one.
func holdsWords(read, stated string) bool {
	words := map[string]bool{}
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(read), split) {
		words[word] = true
	}
	found := false
	for word := range strings.FieldsFuncSeq(strings.ToLower(stated), split) {
		if !words[word] {
			return false
		}
		found = true
	}
	return found
}

// lastDigits are the last nine digits of a phone number: without what differs
// between its national and its international form.
func lastDigits(text string) string {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	return digits[max(0, len(digits)-9):]
}

var period = regexp.MustCompile(`(?i)(\d+)\s*-?\s*(day|week|month|mth|mo|year|yr)?`)

// months is how many months a period like "18 months" or "1 year" has; 0 when
// it is none.
func months(text string) int {
	found := period.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	number, _ := strconv.Atoi(found[1])
	switch strings.ToLower(found[2]) {
	case "day":
		return int(math.Round(float64(number) * 12 / 365))
	case "week":
		return int(math.Round(float64(number) * 12 / 52))
	case "year", "yr":
		return 12 * number
	}
	return number
}
