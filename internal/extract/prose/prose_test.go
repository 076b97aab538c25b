package prose_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract/prose"
	"understudy.example/internal/extract/vocabulary"
)

var (
	sum  = regexp.MustCompile(`[$£€]\d+(?:[.,]\d+)*[km]?|\d[\d.,]* €`)
	date = regexp.MustCompile(`\d{1,2} \pL+ 20\d\d|\d{1,2}[.-]\d{1,2}[.-]20\d\d`)
	year = regexp.MustCompile(`\b(?:19|20)\d\d\b`)
)

// TestRead compares the statements in texts.
func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Turnover for the last financial year was £3.2m.":                                 {"annual_revenue=£3.2m"},
		"They pay £51,000 today and the premium target is £45,000.":                       {"estimated_premium=£45,000", "expiring_premium=£51,000"},
		"The incumbent charges $80,000; $71,500 wins it.":                                 {"estimated_premium=$71,500"},
		"Sales of $4m against $3.6m in the prior year, with a limit of $2m.":              {"annual_revenue=$4m"},
		"A claim of £12,000 was paid in 2019. The firm was founded in 1971.":              {"year_founded=1971"},
		"The warehouse was built in 1988; insured with us since 2003.":                    nil,
		"Please quote from 1 April 2026 and reply to me, need by 9 March 2026.":           {"policy_inception_date=1 April 2026", "quote_target_date=9 March 2026"},
		"The present policy expires on 31 March 2026.":                                    nil,
		"Der Umsatz betrug 4.200.000 €, die Zielprämie liegt bei 18.000 €.":               {"annual_revenue=4.200.000 €", "estimated_premium=18.000 €"},
		"Le chiffre d'affaires est de 2.100.000 €; la franchise de 5.000 € convient.":     {"annual_revenue=2.100.000 €"},
		"La empresa, fundada en 1980, tuvo una facturación de 900.000 € este ejercicio.":  {"year_founded=1980", "annual_revenue=900.000 €"},
		"De omzet bedroeg 750.000 €. Wij mikken op 6.000 € per jaar.":                     {"annual_revenue=750.000 €", "estimated_premium=6.000 €"},
		"Die Adresse wurde per 1.1.2020 geändert. Wir bitten um Deckung ab 01.07.2027.":   {"policy_inception_date=01.07.2027"},
		"Die Konten wurden per 01.03.2015 umgestellt.":                                    nil,
		"Wij verhuisden per 1-3-2015. Graag een offerte per 1-7-2027.":                    {"policy_inception_date=1-7-2027"},
		"Bitte um Umdeckung per 1.7.2027, Versicherungsbeginn per 1.8.2027.":              {"policy_inception_date=1.7.2027", "policy_inception_date=1.8.2027"},
		"We like investors with revenue between $5m and $150m.":                           nil,
		"The turnover of the group is confidential. Its three sites are insured for £9m.": nil,
	} {
		var values []prose.Value
		for kind, form := range map[vocabulary.ValueKind]*regexp.Regexp{vocabulary.Sum: sum, vocabulary.Date: date, vocabulary.Year: year} {
			for _, m := range form.FindAllStringIndex(text, -1) {
				values = append(values, prose.Value{Kind: kind, Start: m[0], End: m[1]})
			}
		}
		got := map[string]bool{}
		for _, s := range prose.New(text).Read(values) {
			got[s.Field+"="+text[s.Start:s.End]] = true
		}
		wanted := map[string]bool{}
		for _, w := range want {
			wanted[w] = true
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}
