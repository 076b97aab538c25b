package recognise

import "testing"

// TestComposedHeaders checks headers that are not in the vocabulary: they consist of words that
// decide what a column holds, and of words that say where, in which unit or how it is stated.
func TestComposedHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Struct. repl cost 100%":        "building_value",
		"tiv_bldg":                      "building_value",
		"Bldg_Lmt":                      "building_value",
		"Spk_Ind":                       "location_have_sprinklers",
		"Const_Cd_Desc":                 "construction_type",
		"TE_Lmt":                        "business_interruption_value",
		"Addr ln 1":                     "location_address",
		"Risk_Addr_2":                   "~address2",
		"Orig Yr Blt":                   "~built",
		"geo_lng":                       "longitude",
		"Machinery, racking & fittings": "~equipment",
		"Stock & Contents":              "contents_tiv",
		"Building / Contents":           "location_pd",
		"Oak-aged stock":                "stock_tiv",
		"Street, City, State, ZIP":      "location_address",
		"City / State / ZIP":            "~city_line",
		"Inhalt inkl. Vorräte":          "contents_tiv",
		"Bldg & Contents":               "location_pd",
		"Hard costs (completed value)":  "building_value",
		"Verzekerd bedrag goederen":     "stock_tiv",
		"Gross Profit 24 mths":          "business_interruption_value",
		"Technische BE":                 "~equipment",
		"Contents deductible":           "",
		"Building premium":              "",
		"Stock turnover":                "",
		"Date of valuation":             "",
		"Owner":                         "",
		"Comments":                      "",
	} {
		m, _ := AnyHeader(header)
		if m.Field != want {
			t.Errorf("%s: got %q, want %q", header, m.Field, want)
		}
	}
}
