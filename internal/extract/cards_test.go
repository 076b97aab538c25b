package extract

import (
	"testing"

	"understudy.example/internal/document/content"
)

// TestDescribedLocations checks locations that tables and labels describe in other forms than one
// row for each location.
func TestDescribedLocations(t *testing.T) {
	label := func(pairs ...string) (blocks []content.Block) {
		for i := 0; i < len(pairs); i += 2 {
			blocks = append(blocks, content.Block{Label: pairs[i], Value: pairs[i+1], Place: content.Place{Part: "a.pdf", Page: 1}})
		}
		return blocks
	}
	line := func(text string) content.Block {
		return content.Block{Text: text, Place: content.Place{Part: "a.pdf", Page: 1}}
	}
	for name, tt := range map[string]struct {
		blocks []content.Block
		want   string
	}{
		"a sheet for each building": {
			[]content.Block{
				grid("Cover", "Owner | Quill Trust", "Office | 5 Elm Street, Dayton, OH 45402"),
				grid("1", "Asset name | Alder House", "Street | 12 Mill Street", "City | Dayton", "State | OH", "Zip | 45402", "Building | 3850000", "Contents | 60000"),
				grid("2", "Asset name | Birch House", "Street | 4 Dock Road", "City | Lima", "State | OH", "Zip | 45801", "Building | 910000", "Contents | 35000"),
			},
			lines("12 Mill Street | Dayton |  | 3,850,000.00 | 60,000.00", "4 Dock Road | Lima |  | 910,000.00 | 35,000.00"),
		},
		"boxes that repeat": {
			label("MAILING ADDRESS", "9 Oak Ave", "CITY", "Dayton", "STATE", "OH", "AGENCY", "Birch Agency",
				"STREET", "12 Mill Street", "CITY", "Dayton", "ST", "OH", "SPRINKLERED Y/N", "Y", "BUILDING LIMIT", "$420,000",
				"STREET", "4 Dock Road", "CITY", "Lima", "ST", "OH", "SPRINKLERED Y/N", "N", "BUILDING LIMIT", "$910,000"),
			lines("12 Mill Street | Dayton | Y | 420,000.00 | ", "4 Dock Road | Lima | N | 910,000.00 | "),
		},
		"headings in German": {
			append(append([]content.Block{line("4. Risikoort 1")}, label("Anschrift", "Kirchgasse 7, 67146 Deidesheim", "Sprinkler", "[ ] ja [X] nein", "Gebäude", "2.200.000 EUR")...),
				append([]content.Block{line("4. Risikoort 2")}, label("Anschrift", "Am Bahnhof 1, 67157 Wachenheim", "Sprinkler", "[X] ja [ ] nein", "Gebäude", "875.000 EUR")...)...),
			lines("Kirchgasse 7 | Deidesheim | N | 2,200,000.00 | ", "Am Bahnhof 1 | Wachenheim | Y | 875,000.00 | "),
		},
		"addresses below numbers": {
			[]content.Block{
				line("Location 1"), line("12 Mill Street"), line("Dayton, OH 45402"), line("Building limit: $420,000"), line("Contents: $60,000"), line("Sprinklers: none"),
				line("Location 2"), line("4 Dock Road, Lima, OH 45801"), line("Building: $910,000"), line("Contents: $35,000"), line("Sprinklers: fully sprinklered"),
			},
			lines("12 Mill Street | Dayton | N | 420,000.00 | 60,000.00", "4 Dock Road | Lima | Y | 910,000.00 | 35,000.00"),
		},
		"labels beside the parts of the address": {
			[]content.Block{
				line("Versicherungsort 1"), line("Straße, Nr.\tLindenallee 9"), line("PLZ, Ort\t34117 Kassel"), line("VS Gebäude\t500.000 €"),
				line("Versicherungsort 2"), line("Straße, Nr.\tHafenweg 3"), line("PLZ, Ort\t34119 Kassel"), line("VS Gebäude\t700.000 €"),
			},
			lines("Lindenallee 9 | Kassel |  | 500,000.00 | ", "Hafenweg 3 | Kassel |  | 700,000.00 | "),
		},
		"descriptions in the cells of a table": {
			[]content.Block{grid("", "# | Location | COPE | Values", "1 | Elm House\n12 Elm Row\nSalem, OR 97301 | JM, fully sprinklered | Building: $500,000 Contents: $40,000", "2 | 9 Oak Row\nBend, OR 97701 | Frame, no sprinklers | Building: $700,000 Contents: $90,000")},
			lines("12 Elm Row | Salem | Y | 500,000.00 | 40,000.00", "9 Oak Row | Bend | N | 700,000.00 | 90,000.00"),
		},
		"numbers above the columns of a table on its side": {
			[]content.Block{line("Location 1\tLocation 2"), grid("", "Address | 12 Elm Row | 9 Oak Row", "City | Salem | Bend", "State | OR | OR", "Construction | Frame | Brick", "Sprinklers | Yes | No", "Building | $500,000 | $700,000", "Contents | $40,000 | $90,000")},
			lines("12 Elm Row | Salem | Y | 500,000.00 | 40,000.00", "9 Oak Row | Bend | N | 700,000.00 | 90,000.00"),
		},
		"names in headings, with the address below": {
			[]content.Block{
				line("Standort 1 (Produktion)"), line("Lindenallee 9, 34117 Kassel"), line("- Gebäude: 0,5 Mio. €"), line("- Baujahr 1985, massiv, kein Sprinkler"),
				line("Standort 2 (Lager)"), line("Hafenweg 3, 34119 Kassel"), line("- Gebäude: 700 T€"), line("- Sprinkleranlage vorhanden"),
			},
			lines("Lindenallee 9 | Kassel | N | 500,000.00 | ", "Hafenweg 3 | Kassel | Y | 700,000.00 | "),
		},
		"a description behind the address, and sums in euros": {
			[]content.Block{
				line("Sites à assurer :"), line("Site n°1 : 4 rue des Forges, 56100 Lorient (usine, béton, 1985, sprinklé)"), line("Bâtiments : 4,5 M€ / Mobilier : 1,2 M€"),
				line("Site n°2 : 9 quai du Port, 29000 Quimper (dépôt, bardage, 2001, non sprinklé)"), line("Bâtiments : 900 k€ / Mobilier : 300 k€"),
			},
			lines("4 rue des Forges | Lorient | Y | 4,500,000.00 | 1,200,000.00", "9 quai du Port | Quimper | N | 900,000.00 | 300,000.00"),
		},
		"a label that looks like a heading": {
			[]content.Block{
				line("Property: 12 Elm Row, Salem, OR 97301"), line("Building Limit: 500,000"), line("Construction: JM, built 1985, fully sprinklered"),
				line("Property: 9 Oak Row, Bend, OR 97701"), line("Building Limit: 700,000"), line("Construction: frame, built 2001, no sprinklers"),
			},
			lines("12 Elm Row | Salem | Y | 500,000.00 | ", "9 Oak Row | Bend | N | 700,000.00 | "),
		},
		"labels above their values": {
			[]content.Block{line("Street\tCity\tState\tZIP"), line("12 Mill Street\tDayton\tOH\t45402"), line("Construction\tFully sprinklered?"), line("Brick\tYes"), line("Building limit\tContents limit"), line("$420,000\t$60,000")},
			lines("12 Mill Street | Dayton | Y | 420,000.00 | 60,000.00"),
		},
		"labels with two values": {
			[]content.Block{line("Premises 1\t12 Mill Street, Dayton, OH 45402"), line("Building / Contents\t$420,000 / $60,000"), line("Premises 2\t4 Dock Road, Lima, OH 45801"), line("Building / Contents\t$910,000 / $35,000"), line("Number of units / buildings\t120 / 6")},
			lines("12 Mill Street | Dayton |  | 420,000.00 | 60,000.00", "4 Dock Road | Lima |  | 910,000.00 | 35,000.00"),
		},
		"kinds of property in boxes": {
			append(label("LOC #", "1", "STREET", "12 Mill Street", "CITY", "Dayton", "STATE", "OH"),
				append([]content.Block{line("PREMISES #: 1 STREET ADDRESS: 12 Mill Street")}, label("SUBJECT OF INSURANCE", "BUILDING", "AMOUNT", "420,000", "SUBJECT OF INSURANCE", "BUSINESS PERSONAL PROPERTY", "AMOUNT", "60,000")...)...),
			lines("12 Mill Street | Dayton |  | 420,000.00 | 60,000.00"),
		},
		"columns with sections and a total": {
			[]content.Block{grid("ISR", "Insured: | Quill Pty Ltd", "Currency: | AUD", "| Situation 1 | Situation 2 | Total", "Street | 221 Princes Highway | 14 Cheese Factory Road", "Town | Bega | Cobden", "State | NSW | VIC", "Sprinklers | Yes | No",
				"SECTION 1", "Buildings | 18500000 | 6200000 | 24700000", "Plant & contents | 22750000 | 8100000 | 30850000")},
			lines("221 Princes Highway | Bega | Y | 18,500,000.00 | 22,750,000.00", "14 Cheese Factory Road | Cobden | N | 6,200,000.00 | 8,100,000.00"),
		},
		"a header with groups and units": {
			[]content.Block{grid("Valeurs", "N° | Établissement | Localisation | < | Dommages directs | <", "| | Rue | Commune | Bâtiment | Mobilier", "# | | | 5 lettres | Neuf | Neuf",
				"1 | Hôtel du Port | 17 quai de Rive Neuve | Marseille | 12400000 | 2150000", "2 | Les Pins | 250 avenue des Goums | Aubagne | 5300000 | 740000")},
			lines("17 quai de Rive Neuve | Marseille |  | 12,400,000.00 | 2,150,000.00", "250 avenue des Goums | Aubagne |  | 5,300,000.00 | 740,000.00"),
		},
		"limits of buildings": {
			[]content.Block{grid("Farm", "Item | Legal / 911 address | Town | Constr. | Limit $(000) | Contents $(000)", "1A | 4418 County Road 220 | Broken Bow | Frame | 412 | 206", "1B | 8100 River Road | Thedford | Steel | 285 | 140")},
			lines("4418 County Road 220 | Broken Bow |  | 412,000.00 | 206,000.00", "8100 River Road | Thedford |  | 285,000.00 | 140,000.00"),
		},
		"values by the number of a listed address": {
			[]content.Block{
				line("SITUATIONS:  1. 145 Mill Road, Heyfield VIC 3858"), line("2. 22 Depot Street, Dandenong South VIC 3175"),
				{},
				grid("", "Situation | Construction | Sprinklers | Buildings | Contents", "1. Heyfield | Steel | No | 9,850,000 | 1,300,000", "2. Dandenong South | Concrete | Yes | Leased | 410,000"),
			},
			lines("145 Mill Road | Heyfield | N | 9,850,000.00 | 1,300,000.00", "22 Depot Street | Dandenong South | Y |  | 410,000.00"),
		},
		"addresses that describe buildings": {
			[]content.Block{
				grid("", "Prem. No. | Bldg. No. | Location, Construction And Occupancy", "1 | 1 | 27 Levee Road, Keokuk, IA 52632 Construction: Frame Occupancy: Parts storage Sprinklered: No", "2 | 1 | 3300 Highway 218, Montrose, IA 52639 Construction: Joisted Masonry Sprinklered: Yes"),
				line("COVERAGES PROVIDED"),
				grid("", "Prem. No. | Bldg. No. | Coverage | Limit Of Insurance", "1 | 1 | Building | $1,475,000", "1 | 1 | Business Personal Property | $2,100,000", "2 | 1 | Business Personal Property | $365,000"),
			},
			lines("27 Levee Road | Keokuk | N | 1,475,000.00 | 2,100,000.00", "3300 Highway 218 | Montrose | Y |  | 365,000.00"),
		},
		"a form beside a rating": {
			[]content.Block{grid("Input", "Insured address | 1210 W Grove St | Base rate | 0.112", "City | Boise | Territory factor | 1.04", "State | ID | IRPM | 0.95", "Zip | 83702 | Premium | 4712", "Building | 100000 | Tax | 10")},
			lines("1210 W Grove St | Boise |  | 100,000.00 | "),
		},
	} {
		e := understand(t, content.Part{Name: "a.pdf", Format: content.PDF, Blocks: tt.blocks})
		if got := locationsOf(e, "location_address", "location_city", "location_have_sprinklers", "building_value", "contents_tiv"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
