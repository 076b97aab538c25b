package enrich

import (
	"testing"

	"understudy.example/internal/field"
)

// TestActivityOutweighsPossessions checks that the industry follows from what a
// company does rather than from what it has.
func TestActivityOutweighsPossessions(t *testing.T) {
	for text, want := range map[string]string{
		"Manufacturer of wood household furniture, with its own finishing shop, three warehouses and two showrooms.": "337122",
		"We make furniture. The company has two warehouses and a restaurant.":                                        "337122",
		"Craft brewery with a taproom and a warehouse":                                                               "312120",
		"The company has three restaurants":                                                                          "722511",
		"Warehousing for growers":                                                                                    "493110",
	} {
		report := Enrich(Input{
			Facts: []field.Value{value("company_name", "Quill Works", 0.9), value("company_description", text, 0.9)},
			Locations: [][]field.Value{
				{value("location_occupancy_code", "Warehouse", 0.9)}, {value("location_occupancy_code", "Distribution warehouse", 0.9)},
			},
		})
		codes, _ := report.Facts.Values["primary_naics_2012"].([]field.Code)
		if len(codes) != 1 || codes[0].Code != want {
			t.Errorf("%q: got %v, want %s", text, codes, want)
		}
	}
}
