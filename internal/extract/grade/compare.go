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

// kindOf is the kind of each field by name.
var kindOf = func() map[string]field.Kind {
	all := map[string]field.Kind{"sum_building_value": field.Money}
	for _, table := range [][]field.Field{
		field.Report, field.Facts, field.Options, field.LocationFacts, field.LocationOptions, field.MoreFacts, field.MoreOptions, field.MoreLocation,
	} {
		for _, f := range table {
			all[f.Name] = f.Kind
		}
	}
	return all
}()

// matchesStated reports whether the value extracted for the field agrees with the
// value that the document states. The rules depend on the field.
func matchesStated(name, stated, extracted string) bool {
	switch kindOf[name] {
	case field.Money, field.Number, field.Integer:
		return equalNumbers(stated, extracted)
	case field.Indicator:
		return strings.EqualFold(stated, extracted)
	}
	switch name {
	case "construction_type", "product", "coverage":
		return containsWords(extracted, stated)
	case "phone_number", "broker_contact_phone":
		return lastNineDigits(stated) != "" && lastNineDigits(stated) == lastNineDigits(extracted)
	case "business_interruption_period":
		if want := months(stated); want > 0 {
			return want == months(extracted)
		}
	case "state", "broker_state", "location_state":
		if want, _, ok := address.State(stated); ok {
			got, _, _ := address.State(extracted)
			return got == want
		}
	case "country", "risk_country", "location_country":
		if want, _, ok := address.Country(stated); ok {
			got, _, _ := address.Country(extracted)
			return got == want
		}
	}
	return normalize(stated) != "" && strings.Contains(normalize(extracted), normalize(stated))
}

// normalize returns the letters and digits of the text in lower case.
func normalize(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// equalNumbers compares two numbers with a tolerance of half a cent. Texts that
// are not numbers are compared by letters and digits.
func equalNumbers(stated, extracted string) bool {
	a, errA := strconv.ParseFloat(strings.ReplaceAll(stated, ",", ""), 64)
	b, errB := strconv.ParseFloat(strings.ReplaceAll(extracted, ",", ""), 64)
	if errA != nil || errB != nil {
		return normalize(stated) == normalize(extracted)
	}
	return math.Abs(a-b) <= 0.005
}

// containsWords reports whether text contains all words of the stated text, of
// which there must be at least one.
func containsWords(text, stated string) bool {
	words := map[string]bool{}
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		words[word] = true
	}
	found := false
	for word := range strings.FieldsFuncSeq(strings.ToLower(stated), isSeparator) {
		if !words[word] {
			return false
		}
		found = true
	}
	return found
}

// lastNineDigits returns the last nine digits of a phone number, which are the
// same in its national and its international form.
func lastNineDigits(text string) string {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	return digits[max(0, len(digits)-9):]
}

var period = regexp.MustCompile(`(?i)(\d+)\s*-?\s*(day|week|month|mth|mo|year|yr)?`)

// months returns the number of months in a period such as "18 months" or "1
// year", or 0 if the text is not a period.
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
