package passages

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/source"
)

// TestPropertySums checks which property the amounts in a sentence are for: the words for it can
// stand before or behind them, and other amounts do not count.
func TestPropertySums(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Buildings £3,250,000, Plant & contents £1,875,000, Stock £640,000.":                 "building_value 3,250,000.00; contents_tiv 1,875,000.00; stock_tiv 640,000.00",
		"Gebäude 8.900.000 EUR, Inhalt 6,25 Mio. EUR; Vorräte 800.000 EUR":                   "building_value 8,900,000.00; contents_tiv 6,250,000.00; stock_tiv 800,000.00",
		"Bâtiments 7 400 000 €, matériel 5 150 000 €":                                        "building_value 7,400,000.00; ~equipment 5,150,000.00",
		"sums insured are £3,650,000 for the building (steel frame), and £240,000 for stock": "building_value 3,650,000.00; stock_tiv 240,000.00",
		"12 metal buildings, $2.4M building value, $160K rents":                              "building_value 2,400,000.00; ~rents 160,000.00",
		"we would rebuild it for $2,900,000. The equipment in it is worth $1,650,000":        "building_value 2,900,000.00; ~equipment 1,650,000.00",
		"Buildings and contents £900,000":                                                    "location_pd 900,000.00",
		"The building has 14,200 square feet and 12 employees":                               "",
		"A target premium of £61,500; turnover £8.4m; stock losses of £7,800 paid":           "",
		"Flood ($5M sublimit), contents limited to £20,000, built in 1,987":                  "",
	} {
		var got []string
		for _, s := range propertySums(text) {
			got = append(got, fmt.Sprint(s.field, " ", s.amount))
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%s\n got %q\nwant %q", text, joined, want)
		}
	}
}

// TestBuildingsInSentences checks what a sentence says about the construction and the protection
// of a building.
func TestBuildingsInSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"masonry with a steel roof, fully sprinklered":         "masonry with a steel|Yes|",
		"Steel portal frame, not sprinklered, intruder alarm":  "Steel portal frame|No|Yes",
		"Brick & slate. No sprinklers. No intruder alarm.":     "Brick & slate|No|No",
		"Stahlbeton, gesprinklert: ja":                         "Stahlbeton|Yes|",
		"Massivbauweise, keine Sprinkleranlage":                "Massivbauweise|No|",
		"Sprinklers : non":                                     "|No|",
		"whether protected by sprinklers. SPRINKLERS: NO":      "|No|",
		"Is the building sprinklered?":                         "||",
		"unsprinklered, Sprinklers fitted? Yes":                "|No|",
		"Sin rociadores, estructura metálica, alarma de robo.": "estructura metálica|No|Yes",
	} {
		row := location.Row{Cells: map[string]location.Cell{}}
		location.DescribeBuilding(row, text, source.Place{})
		got := row.Cells["construction_type"].Text + "|" + row.Cells["location_have_sprinklers"].Text + "|" + row.Cells["location_have_intrusion_detectors"].Text
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
