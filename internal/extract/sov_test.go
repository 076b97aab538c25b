package extract

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
)

// locationsOf writes the locations' named fields, one location a line.
func locationsOf(e *Extraction, names ...string) string {
	var out strings.Builder
	for _, l := range e.Locations {
		for i, n := range names {
			if i > 0 {
				out.WriteString(" | ")
			}
			out.WriteString(stated(l, n))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func lines(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

func TestStatementsOfValues(t *testing.T) {
	hidden := grid("Backup", "Loc # | Address | City | Building Value", "1 | 5 Old Road | Akron | 100,000", "2 | 6 Old Road | Akron | 100,000")
	hidden.Table.Hidden = true
	for name, c := range map[string]struct {
		blocks []content.Block
		fields []string
		want   string
	}{
		"title rows, thousands, totals": {
			[]content.Block{grid("SOV", "Statement of Values", "Insured: | Harbour Hotels plc", "All values in £000s", "",
				"Loc No | Premises Address | Post Code | Wall Construction | Sprinklers | Buildings Declared Value | Contents | BI Gross Profit",
				"1 | 12 Marine Parade, Brighton | BN2 1TL | Brick | Yes | 12,500 | 2,300 | 4,100",
				"2 | 1 Castle Street, Edinburgh | EH2 3AH | Stone | No | 8,200 | 1,050 | 2,000",
				"Total | | | | | 20,700 | 3,350 | 6,100", "* as advised by the insured")},
			[]string{"location_address", "location_city", "location_postal_code", "location_country", "construction_type", "location_have_sprinklers", "building_value", "business_interruption_value", "100_pct_limit"},
			lines("12 Marine Parade | Brighton | BN2 1TL | GB | Brick | Y | 12,500,000.00 | 4,100,000.00 | 18,900,000.00",
				"1 Castle Street | Edinburgh | EH2 3AH | GB | Stone | N | 8,200,000.00 | 2,000,000.00 | 11,250,000.00"),
		},
		"header of two lines with merged cells": {
			[]content.Block{grid("SOV", " | Location | < | < | Values | < | <", "# | Street | City | State | Building | Contents | TIV",
				"1 | 12 Grain Road | Omaha | Nebraska | $1,500,000 | $200,000 | $1,900,000", "2 | 9 Mill Road | Omaha | NE | $500,000 | | $500,000")},
			[]string{"location_id", "location_address", "location_state", "building_value", "contents_tiv", "100_pct_limit"},
			lines("1 | 12 Grain Road | NE | 1,500,000.00 | 200,000.00 | 1,900,000.00", "2 | 9 Mill Road | NE | 500,000.00 |  | 500,000.00"),
		},
		"prior year and hidden sheets are not doubled": {
			[]content.Block{
				grid("Expiring SOV", "Loc # | Address | City | Building Value", "1 | 12 Grain Road | Omaha | 900,000"),
				hidden,
				grid("SOV", "Loc # | Address | City | Building Value", "1 | 12 Grain Road | Omaha | 1,000,000", "2 | 9 Mill Road | Omaha | 500,000"),
			},
			[]string{"location_address", "building_value"},
			lines("12 Grain Road | 1,000,000.00", "9 Mill Road | 500,000.00"),
		},
		"tables joined by location": {
			[]content.Block{
				grid("A", "Loc # | Address | City | State | Zip", "1 | 12 Grain Road | Omaha | NE | 68102", "2 | 9 Mill Road | Omaha | NE | 68104"),
				grid("B", "Loc # | Year Built | Building Value | BPP | Sprinklered", "1 | 1990 | 1,000,000 | 50,000 | Y", "2 | 2001 | 500,000 | 20,000 | N"),
			},
			[]string{"location_id", "location_postal_code", "building_value", "contents_tiv", "location_have_sprinklers"},
			lines("1 | 68102 | 1,000,000.00 | 50,000.00 | Y", "2 | 68104 | 500,000.00 | 20,000.00 | N"),
		},
		"long shape": {
			[]content.Block{grid("Sums", "Location | Address | Category | Sum Insured",
				"Site 1 | Forge Works, Mill Lane, Coventry, CV6 4BX | Buildings | 6,800,000", "Site 1 | Forge Works, Mill Lane, Coventry, CV6 4BX | Stock | 2,150,000",
				"Site 1 | Forge Works, Mill Lane, Coventry, CV6 4BX | BI | 5,800,000", "Site 2 | Unit 4, Central Park, Rugby, CV23 0XF | Buildings | 0",
				"Site 2 | Unit 4, Central Park, Rugby, CV23 0XF | Stock | 1,100,000")},
			[]string{"location_city", "building_value", "stock_tiv", "business_interruption_value"},
			lines("Coventry | 6,800,000.00 | 2,150,000.00 | 5,800,000.00", "Rugby |  | 1,100,000.00 | "),
		},
		"several buildings at one address": {
			[]content.Block{grid("SOV", "Loc # | Bldg # | Street Address | City | State | Building Values",
				"1 | 1 | 12 Grain Road | Omaha | NE | 1,000,000", "1 | 2 | 12 Grain Road | Omaha | NE | 700,000")},
			[]string{"location_id", "building_value"},
			lines("1-1 | 1,000,000.00", "1-2 | 700,000.00"),
		},
		"a template without values": {
			[]content.Block{grid("SOV", "Loc # | Street Address | City | State | Zip | Building Values", "1 | | | | |", "2 | | | | |")},
			[]string{"location_id"},
			"",
		},
		"vehicles, losses and payroll": {
			[]content.Block{
				grid("Autos", "# | Year | Make | Model | VIN | Garaging Address | City | Cost New", "1 | 2019 | Ford | F150 | 1FT | 12 Grain Road | Omaha | 35,000"),
				grid("Losses", "Date of Loss | Claimant | Location | Paid | Reserve | Total", "01/02/2024 | A. Smith | Omaha | 1,000 | 500 | 1,500"),
				grid("Payroll", "Location | State | Class Code | Employees | Payroll", "1 | NE | 8810 | 12 | 600,000"),
			},
			[]string{"location_address"},
			"",
		},
	} {
		part := content.Part{Name: "book.xlsx", Format: content.XLSX, Blocks: c.blocks}
		if got := locationsOf(understand(t, part), c.fields...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestTotalsRaiseScores(t *testing.T) {
	score := func(total string) float64 {
		e := understand(t, sheet("SOV", "Address | City | State | Buildings DV", "12 Grain Road | Omaha | NE | approx. 100,000 plus fittings", "9 Mill Road | Omaha | NE | 200,000", "Total | | | "+total))
		for _, v := range e.Locations[0] {
			if v.Field == "building_value" {
				return v.Score
			}
		}
		return 0
	}
	if agreed, not := score("300,000"), score("310,000"); agreed <= not {
		t.Errorf("score %v with a total that agrees, %v with one that does not", agreed, not)
	}
}

func TestSitesInText(t *testing.T) {
	e := understand(t, text("mail.txt", `Insured: Northern Press Works Ltd
Registered address: 4 Leeds Road, Bradford, BD3 7DN

Locations & key protections:
1) Bradford Head Office – sprinklers, monitored intruder alarm
2) Wakefield Warehouse – monitored fire alarm

Sums insured (GBP):
- Bradford: Buildings 7,200,000; Stock 2,100,000
- Wakefield: Buildings 1,800,000; Stock 900,000
Total: Buildings 9,000,000; Stock 3,000,000`))
	want := lines("Bradford | GB | Y | 7,200,000.00 | 2,100,000.00", "Wakefield | GB |  | 1,800,000.00 | 900,000.00")
	if got := locationsOf(e, "location_city", "location_country", "location_have_sprinklers", "building_value", "stock_tiv"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	e = understand(t, text("form.txt", `Location 1
Address: 12 Grain Road, Omaha, NE 68102
Construction: Joisted Masonry
Building value: $1,000,000

Location 2
Address: 9 Mill Road, Lincoln, NE 68502
Construction: Frame
Building value: $400,000`))
	want = lines("12 Grain Road | Omaha | Joisted Masonry | 1,000,000.00", "9 Mill Road | Lincoln | Frame | 400,000.00")
	if got := locationsOf(e, "location_address", "location_city", "construction_type", "building_value"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestManyLocations(t *testing.T) {
	rows := []string{"Address | City | State | Building Value"}
	for i := range location.MaxLocations + 50 {
		rows = append(rows, fmt.Sprintf("%d Grain Road | Omaha | NE | 100,000", i+1))
	}
	if e := understand(t, sheet("SOV", rows...)); len(e.Locations) != location.MaxLocations {
		t.Errorf("%d locations", len(e.Locations))
	}
}

func TestPropertyDamage(t *testing.T) {
	e := understand(t, sheet("SOV", "Loc # | Address | City | State | Building Value | Contents | Stock | BI",
		"1 | 12 Grain Road | Omaha | NE | 1,000,000 | 200,000 | 50,000 | 300,000",
		"2 | 9 Mill Road | Omaha | NE | 500,000 | TBC | 10,000 | 100,000",
		"3 | 4 Mill Road | Omaha | NE | 400,000 | n/a | - | "))
	want := lines("1,250,000.00 | 1,550,000.00", " | 610,000.00", "400,000.00 | 400,000.00")
	if got := locationsOf(e, "location_pd", "100_pct_limit"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSchedulesOfOtherShapes checks forms of schedules that were read wrong in generated
// documents: a transposed schedule with totals, units of other languages, and notes
// below a schedule.
func TestSchedulesOfOtherShapes(t *testing.T) {
	for name, tt := range map[string]struct {
		rows []string
		want string
	}{
		"on its side, with totals": {
			[]string{
				"Insured | Saguaro Furniture Co.", "Location No | 1 | 2 |", "Property Address | 4131 W Jefferson Ave | 2123 Elm St | Grand total",
				"City | Tampa | Austin |", "State | FL | TX |", "Zip Code | 33602 | 78701 |", "Occupancy | Apartments | Hotel |", "Building Value | 875000 | 550000 | 1425000",
			},
			"4131 W Jefferson Ave Tampa 875,000.00; 2123 Elm St Austin 550,000.00; Saguaro Furniture Co.",
		},
		"on its side, with streets without numbers": {
			[]string{
				" | Premises 1 | Premises 2", "Address | Forge Lane, Dudley | Ladle Business Park, Walsall", "Postcode | DY1 9QR | WS1 8XP",
				"Construction | Brick | Steel", "Sprinklers | No | Yes", "Buildings | £950,000 | £320,000", "Stock | £90,000 | £64,000",
			},
			"Forge Lane Dudley N 950,000.00; Ladle Business Park Walsall Y 320,000.00; ",
		},
		"in thousands": {
			[]string{"Anschrift | Ort | PLZ | Gebäude (TEUR) | Sprinkler", "Hafenstraße 3 | Bremen | 28195 | 4.125 | J", "Lindenallee 9 | Kassel | 34117 | 850 | nein"},
			"Hafenstraße 3 Bremen Y 4,125,000.00; Lindenallee 9 Kassel N 850,000.00; ",
		},
		"with headers that are not known": {
			[]string{"Bldg key | Where | Metro | Mail code | Shell | Chattels", "A | 16 Church Walk | Derby | DE1 2QR | 11625000 | 2310000", "B | 133 Mill Lane | Stockport | SK1 3AZ | 12500000 | 2895000"},
			"16 Church Walk Derby 11,625,000.00; 133 Mill Lane Stockport 12,500,000.00; ",
		},
		"of claims": {[]string{"Referencia | Ocurrido | Causa | Situación | Coste | Previsto | Suma", "A-1 | 13 de noviembre del 2026 | Robo | cerrado | 19850 | 3150 | 23000", "A-2 | 20 de mayo del 2026 | Agua | cerrado | 20050 | 9050 | 29100"}, ""},
		"with a note below": {
			[]string{
				"Nummer | Adres | Plaats | Postcode | Bouwjaar | Gebouw", "1 | Kerkstraat 96 | Zwolle | 8011 CD | 1992 | 4125000", "2 | Molenweg 7 | Breda | 4811 EG | 1985 | 1850000",
				"| Totaal generaal | | | | 5975000", "Maximum per gebeurtenis | | € 50.000.000 | | |",
			},
			"Kerkstraat 96 Zwolle 4,125,000.00; Molenweg 7 Breda 1,850,000.00; ",
		},
		"of claims at sites":            {[]string{"Claim # | Injury date | Job site | Class | Body part | Indemnity | Total", "WC-301 | 07.07.2025 | 12600 Bradley Ave, Sylmar | 7382 | Back | 22000 | 41315", "WC-340 | 19.12.2025 | 1820 Eastman Ave, Oxnard | 8385 | Hand | 0 | 4000"}, ""},
		"of claims by kind of property": {[]string{"Claim No | Claimant | Loss Location | City | State | Building | Contents | Total Paid", "C-1 | Alpha | 12 Main St | Akron | OH | 12,000 | 3,000 | 15,000", "C-2 | Alpha | 40 Mill Rd | Dayton | OH | 55,000 | 0 | 55,000"}, ""},
		"of machines":                   {[]string{"Item | Description | Serial No | Location | Value", "1 | CAT 320 | ZX9912 | 40 Mill Rd, Dayton, OH 45402 | 210,000", "2 | Genie S-65 | GS100 | 12 Main St, Akron, OH 44301 | 95,000"}, ""},
		"with values of structures": {
			[]string{"Site | Address | Structure ($) | Inventory ($)", "Plant A | 12 Main St, Akron, OH 44301 | 1,200,000 | 300,000", "Plant B | 40 Mill Rd, Dayton, OH 45402 | 800,000 | 100,000"},
			"12 Main St Akron 1,200,000.00; 40 Mill Rd Dayton 800,000.00; ",
		},
		"below other tables of a report": {
			[]string{
				"Customer No | Firm Name | DBA | Address 1 | Address 2 | City | ST | Zip", "10733 | Pinyon Storage LLC | | PO Box 1180 | | Cortez | CO | 81321", "",
				"Policy No | Line of Business | Writing Company | Eff Date | Exp Date | Status | Est Premium | Bill", "QUOTE | Package | TBD | 08/20/2026 | 08/20/2027 | New | 28,900.00 | D", "",
				"Loc | Premises Address | City | ST | Zip | Construction | Building Limit | BPP Limit", "1 | 11400 Hwy 145 | Cortez | CO | 81321 | Frame | 2,340,000 | 45,000", "2 | 760 Railroad Ave | Dolores | CO | 81323 | Frame | 1,125,000 | 15,000", "",
				"Agency: Sage Insurance | 221 W Main St | Durango CO 81301 | 970-555-0140 | k@sage.example | | |",
			},
			"11400 Hwy 145 Cortez 2,340,000.00; 760 Railroad Ave Dolores 1,125,000.00; ",
		},
		"above another table": {
			[]string{
				"Loc | Address | City | ST | Zip | Building", "1 | 11400 Hwy 145 | Cortez | CO | 81321 | 2,340,000", "2 | 760 Railroad Ave | Dolores | CO | 81323 |", "",
				"Contact | Role | Office | Region | Reach | Notes", "A. Hill | Adjuster | Denver | West | mail | none",
			},
			"11400 Hwy 145 Cortez 2,340,000.00; 760 Railroad Ave Dolores; ",
		},
		"in millions, with totals and four digits of postal codes": {
			[]string{"SCHEDULE (DKK m)", "| Situation | PC | Town | Spr | Bldg | Stk", "A | Havnevej 30 | 9990 | Skagen | Y | 48.5 | 22", "B | Fiskerivej 4 | 7680 | Lemvig | N | 19.75 | 9.6", "Tot | | | | | 68.25 | 31.6"},
			"Havnevej 30 Skagen Y 48,500,000.00; Fiskerivej 4 Lemvig N 19,750,000.00; ",
		},
		"of labels in two columns": {
			[]string{"Insured | | Policy | ", "Named Insured | Birch Mills Inc. | Proposed Eff. | 2027-04-01", "Street | 4 Elm Row | Target Prem | $18,000", "City | Salem | Producer | Ann Lee", "State | OR | Producer Email | ann@birch.example", "ZIP | 97301 | Producer Phone | 503-555-0100"},
			"Birch Mills Inc.",
		},
		"with limits beside contents": {
			[]string{"No. | Location of premises | Construction | Limit of insurance | Contents / Equipment", "1 | 240 Glen Rd, Biglerville, PA 17307 | Frame | $905,000 | $515,000", "2 | 1122 Carlisle Rd, Biglerville, PA 17307 | Frame | $276,000 | $88,500", "| TOTAL | | $1,181,000 | $603,500"},
			"240 Glen Rd Biglerville 905,000.00; 1122 Carlisle Rd Biglerville 276,000.00; ",
		},
	} {
		e := understand(t, content.Part{Name: "a.xlsx", Format: content.XLSX, Blocks: []content.Block{grid("", tt.rows...)}})
		var got strings.Builder
		for _, row := range e.Locations {
			var values []string
			for _, v := range row {
				switch v.Field {
				case "location_address", "location_city", "building_value", "location_have_sprinklers":
					values = append(values, v.Text)
				}
			}
			got.WriteString(strings.Join(values, " ") + "; ")
		}
		got.WriteString(stated(e.Facts, "company_name"))
		if got.String() != tt.want {
			t.Errorf("%s: got %q, want %q", name, got.String(), tt.want)
		}
	}
}

// TestColumnsByContent checks columns and tables whose headers do not say what they hold, but
// whose cells do.
func TestColumnsByContent(t *testing.T) {
	for name, tt := range map[string]struct {
		blocks []content.Block
		want   string
	}{
		"codes in the first column": {
			[]content.Block{grid("", "Plant | Where it is | Town | State | Cost to rebuild | Machinery, racking & fittings | All in", "CCS-A | 3301 Taylor Way | Tacoma | WA | 18600000 | 9450000 | 28050000", "CCS-B | 920 River Rd | Yakima | WA | 4875000 | 3120000 | 7995000")},
			lines("CCS-A | 3301 Taylor Way |  | 18,600,000.00 | 9,450,000.00", "CCS-B | 920 River Rd |  | 4,875,000.00 | 3,120,000.00"),
		},
		"two columns in one": {
			[]content.Block{grid("", "Prop ID | Address | City | State | Construction / Sprinklers | Building", "A1 | 1440 Fox Pkwy | Aurora | IL | MNC / Yes | 31500", "A2 | 88 Clair Ave | Toledo | OH | Steel / No | 30250")},
			lines("A1 | 1440 Fox Pkwy | Y | 31,500.00 | ", "A2 | 88 Clair Ave | N | 30,250.00 | "),
		},
		"a list of claims below": {
			[]content.Block{
				grid("", "Premises | Buildings | Contents | BI", "Quill Hall, 1 Mill Road, Derby, DE1 2QR | £920,000 | £145,000 | £310,000", "9 Bridge Street, Derby, DE1 3QR | £215,000 | £38,000 | £72,000"),
				grid("", "Year | Peril | Paid | O/S", "2022 | Storm | £14,220 | nil", "2024 | Escape of water | £37,905 | nil"),
			},
			lines(" | Quill Hall, 1 Mill Road |  | 920,000.00 | 145,000.00", " | 9 Bridge Street |  | 215,000.00 | 38,000.00"),
		},
		"a table without header": {
			[]content.Block{
				grid("", "Prem. | Bldg. | Location | Construction", "1 | 1 | 18 Technology Way, Nashua, NH 03060 | Masonry", "2 | 1 | 5 Perimeter Rd, Manchester, NH 03103 | Noncombustible"),
				grid("", "1 | 1 | Building | $ 5,850,000 | 90%", "1 | 1 | Business Personal Property | $ 3,425,000 | 90%", "2 | 1 | Business Personal Property | $ 780,000 | 90%"),
			},
			lines("1 | 18 Technology Way |  | 5,850,000.00 | 3,425,000.00", "2-1 | 5 Perimeter Rd |  |  | 780,000.00"),
		},
		"house numbers in a column of their own": {
			[]content.Block{grid("", "Bldg | No. | Street | City | St | Zip | Building | Contents", "1 | 2100 | Birch Lane | Salem | OR | 97301 | 740,000 | 90,000", "2 | 88-90 | Elm Court | Salem | OR | 97301 | 310,000 | 41,000")},
			lines("1 | 2100 Birch Lane |  | 740,000.00 | 90,000.00", "2 | 88-90 Elm Court |  | 310,000.00 | 41,000.00"),
		},
		"house numbers behind the street": {
			[]content.Block{grid("", "Straße | Nr. | PLZ | Ort | Gebäude | Inhalt", "Lindenallee | 9a | 34117 | Kassel | 740.000 | 90.000", "Hafenweg | 12 | 34119 | Kassel | 310.000 | 41.000")},
			lines(" | Lindenallee 9a |  | 740,000.00 | 90,000.00", " | Hafenweg 12 |  | 310,000.00 | 41,000.00"),
		},
		"names and addresses in one cell, and codes of construction": {
			[]content.Block{grid("", "No | Property | Built | Class | Units | Bldg. Limit | BPP | Spkl", "1 | Elm House\n4 Elm Row\nSalem, OR 97301 | 1980 | FM | 12 | 740,000 | 90,000 | None", "2 | Oak House\n9 Oak Row\nBend, OR 97701 | 1991 | JM | 9 | 310,000 | 41,000 | Full")},
			lines("1 | 4 Elm Row | N | 740,000.00 | 90,000.00", "2 | 9 Oak Row | Y | 310,000.00 | 41,000.00"),
		},
		"a row for all locations": {
			[]content.Block{grid("", "Loc | Address | City | State | Building | Contents", "1 | 1 Mill Road | Alpine | TX | 740000 | 90000", "2 | 8 Dock Road | Marfa | TX | 310000 | 41000", "Blanket | Signs and fences, all locations | | | 15000 |")},
			lines("1 | 1 Mill Road |  | 740,000.00 | 90,000.00", "2 | 8 Dock Road |  | 310,000.00 | 41,000.00"),
		},
	} {
		e := understand(t, content.Part{Name: "a.pdf", Format: content.PDF, Blocks: tt.blocks})
		if got := locationsOf(e, "location_id", "location_address", "location_have_sprinklers", "building_value", "contents_tiv"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

// TestLocationsInText checks locations that letters and lists state.
func TestLocationsInText(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a list without postal codes": {
			"Situation of risk:\n1. Unit 4, Fenway Road, Grimsby - Buildings £4,500,000\n2. 12 Dock Lane, Hull - Buildings £900,000",
			lines("Unit 4, Fenway Road | Grimsby |  | 4,500,000.00 | ", "12 Dock Lane | Hull |  | 900,000.00 | "),
		},
		"a paragraph": {
			"We have two places. The brewery is at 815 Colorado Ave, Bend, OR 97703; it is masonry, fully sprinklered, and we would rebuild it for $2,900,000. The second is a leased warehouse at 2210 Veterans Way, Redmond, OR 97756, not sprinklered, with equipment of $310,000.",
			lines("815 Colorado Ave | Bend | Y | 2,900,000.00 | ", "2210 Veterans Way | Redmond | N |  | 310,000.00"),
		},
		"a list in German": {
			"Betriebsstätten:\n- Werk 1: Gewerbestraße 27, 82362 Weilheim - Gebäude 8.900.000 EUR, Inhalt 6.250.000 EUR\n- Werk 2: Am Anger 3, 82380 Peißenberg - Gebäude 3.100.000 EUR, Inhalt 1.940.000 EUR, ohne Sprinkler",
			lines("Gewerbestraße 27 | Weilheim |  | 8,900,000.00 | 6,250,000.00", "Am Anger 3 | Peißenberg | N | 3,100,000.00 | 1,940,000.00"),
		},
		"a slip": {
			"SITUATION:\t1. Tees Park, Haverton Hill Road, Stockton,\nTS18 2HN, United Kingdom\n2. Wear Gate, Trimdon Street, Sunderland, SR4 6DJ, United\nKingdom\nPREMIUM:\tGBP 214,500",
			lines("Tees Park, Haverton Hill Road | Stockton |  |  | ", "Wear Gate, Trimdon Street | Sunderland |  |  | "),
		},
		"the only location": {
			"Proposer: Quill Cars Limited\nAddress: 118 Dalby Road, Melton LE13 0BJ\n\nRebuilding cost is £785,000 and tools and equipment £140,000. No sprinklers.",
			lines("118 Dalby Road | Melton | N | 785,000.00 | 140,000.00"),
		},
		"a claim": {
			"Please quote PI for Lark Engineers Ltd.\n\nOne claim: defective design of a warehouse at 14 Dock Rd, Hull HU1 1AA, building value £3m, reserve £40,000.",
			"",
		},
	} {
		e := understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: []content.Block{{Text: tt.text, Place: content.Place{Part: "a.txt", Line: 1}}}})
		if got := locationsOf(e, "location_address", "location_city", "location_have_sprinklers", "building_value", "contents_tiv"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
