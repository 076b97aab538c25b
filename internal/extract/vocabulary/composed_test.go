package vocabulary_test

import (
	"testing"

	"understudy.example/internal/extract/vocabulary"
)

// TestCompose compares the meanings of labels that are composed of known words.
func TestCompose(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"account legal name":               "company_name insured",
		"raison sociale du client":         "company_name insured",
		"name und anschrift der firma":     "company_name insured",
		"broker firm":                      "broker_name broker",
		"adres tussenpersoon":              "~address broker",
		"broker street":                    "~street broker",
		"code postal ville":                "~city_line ",
		"account web address":              "~website insured",
		"account postal code":              "~postal_code insured",
		"prior annual premium":             "expiring_premium ",
		"estimated annual premium":         "estimated_premium ",
		"dernier ca connu":                 "annual_revenue ",
		"umsatz netto p a":                 "annual_revenue ",
		"versicherungsablauf":              "end_date ",
		"vertragsbeginn":                   "policy_inception_date ",
		"contractvervaldatum":              "end_date ",
		"kundenname":                       "company_name insured",
		"proposed efective date":           "policy_inception_date ",
		"business start date":              "year_founded ",
		"inception and expiry of the risk": "~period ",
		"insurance broker":                 "broker_name broker",

		"prior year revenue":      "~prior_revenue ",
		"name of the landlord":    "",
		"building name":           "",
		"current policy expiry":   "",
		"insurance company":       "",
		"client's broker":         "",
		"deposit premium":         "",
		"expected damage":         "",
		"tpa adjuster":            "",
		"claims incurred 5 yr":    "",
		"policy number":           "",
		"date of birth":           "",
		"account number":          "",
		"other":                   "",
		"number of location":      "",
		"broker commission rates": "",
	} {
		got, ok := vocabulary.Compose(label)
		if text := got.Field + " " + got.Party; ok && text != want || !ok && want != "" {
			t.Errorf("%s: got %q, want %q", label, text, want)
		}
	}
}
