package extract

import (
	"testing"

	"understudy.example/internal/document/content"
)

// TestBuildingsOfSites checks tables of buildings that do not state where the buildings are, because a
// line or a block outside of their rows does.
func TestBuildingsOfSites(t *testing.T) {
	line := func(text string) content.Block {
		return content.Block{Text: text, Place: content.Place{Part: "a.pdf", Page: 1}}
	}
	inFile := func(b content.Block) content.Block {
		b.Place = content.Place{Part: "a.pdf", Page: 1}
		return b
	}
	label := func(pairs ...string) (blocks []content.Block) {
		for i := 0; i < len(pairs); i += 2 {
			blocks = append(blocks, content.Block{Label: pairs[i], Value: pairs[i+1], Place: content.Place{Part: "a.pdf", Page: 1}})
		}
		return blocks
	}
	for name, tt := range map[string]struct {
		blocks []content.Block
		want   string
	}{
		"a sheet for each site": {
			[]content.Block{
				grid("North", "NORTH CAMPUS", "Physical address: 12 Elm Row, Salem, OR 97301", "", "Bldg No. | Building | Yr | Construction | Bldg Value | Contents Value", "1 | Gym | 1990 | Masonry | 500,000 | 40,000", "2 | Hall | 1991 | Frame | 700,000 | 90,000", "| Campus total | | | 1,200,000 | 130,000"),
				grid("South", "SOUTH CAMPUS", "Physical address: 9 Oak Row, Bend, OR 97701", "", "Bldg No. | Building | Yr | Construction | Bldg Value | Contents Value", "1 | Shop | 1999 | Frame | 300,000 | 20,000"),
			},
			lines("12 Elm Row | Salem | 500,000.00 | 40,000.00", "12 Elm Row | Salem | 700,000.00 | 90,000.00", "9 Oak Row | Bend | 300,000.00 | 20,000.00"),
		},
		"parts of the address in cells": {
			[]content.Block{
				grid("Werk 1", "Objekt | Werk 1", "Straße | Lindenallee 9", "PLZ | 34117", "Ort | Kassel", "", "Geb.-Nr. | Bezeichnung | Baujahr | Bauart | Gebäude | Inhalt", "1 | Halle A | 1990 | Massiv | 500.000 | 40.000", "2 | Halle B | 1991 | Holz | 700.000 | 90.000"),
			},
			lines("Lindenallee 9 | Kassel | 500,000.00 | 40,000.00", "Lindenallee 9 | Kassel | 700,000.00 | 90,000.00"),
		},
		"sites between the rows": {
			[]content.Block{grid("", "Bldg | Description | Built | Construction | Building | Contents", "Site 1 - 12 Elm Row, Salem, OR 97301", "1 | Gym | 1990 | Masonry | 500,000 | 40,000", "2 | Hall | 1991 | Frame | 700,000 | 90,000",
				"Site 2 - 9 Oak Row, Bend, OR 97701", "1 | Shop | 1999 | Frame | 300,000 | 20,000", "Total | | | | 1,500,000 | 150,000")},
			lines("12 Elm Row | Salem | 500,000.00 | 40,000.00", "12 Elm Row | Salem | 700,000.00 | 90,000.00", "9 Oak Row | Bend | 300,000.00 | 20,000.00"),
		},
		"a line of text above": {
			[]content.Block{
				line("Schedule of buildings"), line("Adresse du risque : 9 rue du Port, 56100 Lorient"),
				inFile(grid("", "Bât. | Désignation | Année | Construction | Bâtiment | Contenu", "A | Atelier | 1990 | Béton | 500 000 | 40 000", "B | Dépôt | 1991 | Bardage | 700 000 | 90 000")),
			},
			lines("9 rue du Port | Lorient | 500,000.00 | 40,000.00", "9 rue du Port | Lorient | 700,000.00 | 90,000.00"),
		},
		"a table for each site below a numbered heading": {
			[]content.Block{
				line("Location 1: 12 Elm Row, Salem, OR 97301"),
				inFile(grid("", "Bldg | Description | Built | Construction | Building | Contents", "1 | Gym | 1990 | Masonry | 500,000 | 40,000", "2 | Hall | 1991 | Frame | 700,000 | 90,000")),
				line("Location 2: 9 Oak Row, Bend, OR 97701"),
				inFile(grid("", "Bldg | Description | Built | Construction | Building | Contents", "1 | Shop | 1999 | Frame | 300,000 | 20,000", "2 | Barn | 1989 | Frame | 100,000 | 10,000")),
			},
			lines("12 Elm Row | Salem | 500,000.00 | 40,000.00", "12 Elm Row | Salem | 700,000.00 | 90,000.00", "9 Oak Row | Bend | 300,000.00 | 20,000.00", "9 Oak Row | Bend | 100,000.00 | 10,000.00"),
		},
		"the address of another party above": {
			[]content.Block{
				line("Broker: Birch Agency, 5 Dock Street, Dayton, OH 45402"),
				inFile(grid("", "Bldg No | Description | Built | Construction | Building | Contents", "1 | Gym | 1990 | Masonry | 500,000 | 40,000", "2 | Hall | 1991 | Frame | 700,000 | 90,000")),
			},
			lines(" |  | 500,000.00 | 40,000.00", " |  | 700,000.00 | 90,000.00"),
		},
		"numbered sections that state no place": {
			append(append(label("LOC #", "1", "STREET", "12 Elm Row", "CITY", "Salem", "STATE", "OR", "LOC #", "2", "STREET", "9 Oak Row", "CITY", "Bend", "STATE", "OR"), line("PROPERTY SECTION"), line("PREMISES #: 1\tBUILDING #: 1\t12 Elm Row, Salem")),
				append(append(label("SUBJECT OF INSURANCE", "BUILDING", "AMOUNT", "500,000", "SUBJECT OF INSURANCE", "CONTENTS", "AMOUNT", "40,000"), line("PREMISES #: 2\tBUILDING #: 1\t9 Oak Row, Bend")),
					label("SUBJECT OF INSURANCE", "BUILDING", "AMOUNT", "300,000", "SUBJECT OF INSURANCE", "CONTENTS", "AMOUNT", "20,000")...)...),
			lines("12 Elm Row | Salem | 500,000.00 | 40,000.00", "9 Oak Row | Bend | 300,000.00 | 20,000.00"),
		},
	} {
		e := understand(t, content.Part{Name: "a.pdf", Format: content.PDF, Blocks: tt.blocks})
		if got := locationsOf(e, "location_address", "location_city", "building_value", "contents_tiv"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
