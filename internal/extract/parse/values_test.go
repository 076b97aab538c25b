package parse_test

import (
	"testing"

	"understudy.example/internal/extract/parse"
)

func TestMoney(t *testing.T) {
	for text, want := range map[string]string{
		"6,216,506":                   "6,216,506.00",
		"$1,234.50":                   "1,234.50",
		"GBP 185,000":                 "185,000.00",
		"£2.5m":                       "2,500,000.00",
		"USD 1.2 million":             "1,200,000.00",
		"€1.234.567,89":               "1,234,567.89",
		"€ 12.500":                    "12,500.00",
		"1 250 000":                   "1,250,000.00",
		"(1,500)":                     "-1,500.00",
		"$220,000 to $240,000":        "220,000.00",
		"£1-2m":                       "1,000,000.00",
		"$4,500K":                     "4,500,000.00",
		"€4.500 k":                    "4,500,000.00",
		"$45,000K":                    "45,000,000.00",
		"$1,500MM":                    "1,500,000,000.00",
		"1,234 Mio. €":                "1,234,000.00",
		"4.500 TEUR":                  "4,500,000.00",
		"TEUR 4.500":                  "4,500,000.00",
		"4.500 T€":                    "4,500,000.00",
		"T-EUR 4.500":                 "4,500,000.00",
		"kEUR 4500":                   "4,500,000.00",
		"TCHF 4'500":                  "4,500,000.00",
		"Tsd. EUR 4.500":              "4,500,000.00",
		"Mio. EUR 4,5":                "4,500,000.00",
		"mln. € 4,5":                  "4,500,000.00",
		"Mrd. EUR 1,2":                "1,200,000,000.00",
		"4,5 MM€":                     "4,500,000.00",
		"Mio. USD 4,5":                "4,500,000.00",
		"mln CHF 4,5":                 "4,500,000.00",
		"MEUR 4,5":                    "4,500,000.00",
		"TUSD 4.500":                  "4,500,000.00",
		"k-EUR 4.500":                 "4,500,000.00",
		"T EUR 4.500":                 "4,500,000.00",
		"4.500 TGBP":                  "4,500,000.00",
		"Umsatz: T EUR 4.500":         "4,500,000.00",
		"von T EUR 4.500":             "4,500,000.00",
		"in k € 4.500":                "4,500,000.00",
		"Circle K EUR 4.500":          "4,500.00",
		"AT&T USD 4,500":              "4,500.00",
		"4.500 miles de euros":        "4,500,000.00",
		"4.500 migliaia di euro":      "4,500,000.00",
		"$4,500 (000's)":              "4,500,000.00",
		"$4,500,000 (000's)":          "4,500,000.00",
		" $10,000,000.00 ":            "10,000,000.00",
		"10000000000000":              "10,000,000,000,000.00",
		"1e13":                        "10,000,000,000,000.00",
		"total 5,690,000 across site": "5,690,000.00",
		"500k":                        "500,000.00",
	} {
		a, _, ok := parse.Money(text)
		if got := a.String(); !ok || got != want {
			t.Errorf("money(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "TBA", "72%", "Nil", "see attached", "9e99"} {
		if a, _, ok := parse.Money(text); ok {
			t.Errorf("money(%q) = %s, want nothing", text, a)
		}
	}
	if _, fit, _ := parse.Money("about 12 vehicles"); fit == 1 {
		t.Error("money with words about it fits wholly")
	}
}

// TestPlainMoney checks that plain numbers, which are read without the pattern, are read
// as the pattern reads them: the same text after a blank.
func TestPlainMoney(t *testing.T) {
	read := func(text string) (parse.MoneyFound, bool) {
		found, ok := parse.FindMoney(text)
		found.Start, found.End = 0, 0
		return found, ok
	}
	texts := []string{"5", "007", "1,234", "1.234", "1.234.567", "1,5", "12,34,567", "1.", "1,", "1.2.3,4", "1,2.3,4", "999999999999999", "1000000000000001", "99999999999999999999"}
	for _, text := range texts {
		for _, sign := range []string{"", "$", "£", "€"} {
			got, ok := read(sign + text)
			want, wantOK := read(" " + sign + text)
			if got != want || ok != wantOK {
				t.Errorf("%s%s: got %+v, %v, want %+v, %v", sign, text, got, ok, want, wantOK)
			}
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-31":                    "2026-03-31",
		"20260401":                      "2026-04-01",
		"28/02/2026":                    "2026-02-28",
		"15th December 2025":            "2025-12-15",
		"Monday 1st of April, 2026":     "2026-04-01",
		"April 1, 2026":                 "2026-04-01",
		"1-Apr-26":                      "2026-04-01",
		"3.4.2026":                      "2026-04-03",
		"Sept. 5th, 2026":               "2026-09-05",
		"46113":                         "2026-04-01",
		"01/07/26 12:01 AM":             "2026-07-01",
		"2026/7/1":                      "2026-07-01",
		"effective from 1 January 2027": "2027-01-01",
	} {
		if got, _, ok := parse.DateValue(text, parse.DayFirst); !ok || got != want {
			t.Errorf("dateValue(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"April 2026", "31/02/2026", "12:01", "1.2.3", "page 12 of 20", "2026"} {
		if got, _, ok := parse.DateValue(text, parse.DayFirst); ok {
			t.Errorf("dateValue(%q) = %q, want nothing", text, got)
		}
	}
}

func TestDateOrder(t *testing.T) {
	for text, want := range map[string]parse.DateOrder{
		"from 01/02/2026 to 31/01/2027":     parse.DayFirst,
		"from 02/01/2026 to 01/31/2027":     parse.MonthFirst,
		"03/04/2026, target £12,000":        parse.DayFirst,
		"03/04/2026, Acme LLC, $12,000":     parse.MonthFirst,
		"03/04/2026":                        parse.UnknownOrder,
		"2026-13-40 and 1/2/2026, 5 storey": parse.DayFirst,
	} {
		if got := parse.OrderOf(text); got != want {
			t.Errorf("dateOrder(%q) = %d, want %d", text, got, want)
		}
	}
	if got, fit, _ := parse.DateValue("03/04/2026", parse.UnknownOrder); got != "2026-03-04" || fit >= 1 {
		t.Errorf("undecided date = %s with fit %v", got, fit)
	}
}

func TestYesNo(t *testing.T) {
	for text, want := range map[string]string{
		"Yes": "Y", "N": "N", "no": "N", "[x] Yes [ ] No": "Y", "[ ] Yes [x] No": "N", "☐ Yes ☒ No": "N", "☒ Yes ☐ No": "Y",
		"Yes, at two sites": "Y", "No - never": "N", "[ ] Yes [ ] No": "", "Yes/No": "", "X": "Y", "Norwich": "", "Yesterday": "",
		"Number 12": "", "": "", "not known": "",
	} {
		if got, _ := parse.YesNo(text); got != want {
			t.Errorf("yesNo(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestCoversAreListed checks that the lines of business of the vocabulary are accepted as
// products.
func TestCoversAreListed(t *testing.T) {
	for _, name := range []string{"Excess Liability", "Excess Casualty", "Umbrella", "Property", "D&O"} {
		if _, _, ok := parse.ListedValue(name); !ok {
			t.Errorf("%q is not accepted", name)
		}
	}
	for _, name := range []string{"Requested?", "Retention", "[ ] Flood", "Limit"} {
		if _, _, ok := parse.ListedValue(name); ok {
			t.Errorf("%q is accepted", name)
		}
	}
}

// TestNamesWithTypesAndAnswers checks that the type of company after a name is not part of it, and that a
// name can begin with a word such as "No".
func TestNamesWithTypesAndAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Quill Foods, Inc., a Delaware corporation":                "Quill Foods, Inc.",
		"Quill Foods, Inc., a maker of oat milk":                   "Quill Foods, Inc.",
		"Quill Foods LLC, a New York limited liability company":    "Quill Foods LLC",
		"Quill Foods LLC, an Ohio LLC":                             "Quill Foods LLC",
		"Quill Foods, Inc. a Nevada corp.":                         "Quill Foods, Inc.",
		"Quill Foods Inc, a Division of Alder Corporation of Ohio": "Quill Foods Inc, a Division of Alder Corporation of Ohio",
		"No Frills Foods LLC":                                      "No Frills Foods LLC",
		"None Such Foods LLC":                                      "None Such Foods LLC",
		"No, Quill Foods":                                          "",
		"None":                                                     "",
	} {
		if got, _, _ := parse.TextRules["company_name"](text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestOnlyType checks that names of companies that consist of states, of words for types of companies and
// of legal forms are names, and that types of companies are none.
func TestOnlyType(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Washington Ltd", "Montana LLC", "Georgia Corporation", "Ontario Inc", "1234567 Ontario Inc", "Virginia Company", "Colorado GmbH",
		"General Family Benefit Association", "Liability Partners Ltd", "Family Partnership LLP", "Private Trust Company",
	} {
		if got, _, ok := parse.TextRules["company_name"](name); !ok || got != name {
			t.Errorf("%s: got %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{
		"Private Limited Company", "Limited Liability Company LLC", "Sole Prop LLC Corporation", "Corporation / LLC", "LLC ☐ Trust ☐",
		"a Delaware LLC", "Delaware corporation", "General Partnership", "Joint Venture", "Nonprofit Corporation", "Benefit Corporation",
		"S Corporation", "Aktiengesellschaft", "Sociedad Limitada", "Société par actions simplifiée",
	} {
		if got, _, ok := parse.TextRules["company_name"](name); ok {
			t.Errorf("%s is the name %q", name, got)
		}
	}
}
