package extract_test

import "testing"

// TestSiteWordings checks locations in lists, lines and tables with different wordings.
func TestSiteWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"an address before its description in a numbered list", "a.txt", `
Proposer: Larch Estates Limited
Correspondence address: Alder House, 28 Orange Street, Truro, Cornwall TR1 2LS
Rental income: £542,500 p.a.

Premises and sums insured

1) 28 Orange Street, Truro TR1 2LS - offices, brick/slate, circa 1850
   Buildings DV £1,250,000   Loss of rent (24 mths) £126,000
2) Unit 9 Larch Park, Truro TR1 3FF - light industrial, steel frame, 1999
   Buildings DV £2,175,000   Loss of rent £210,000

Total DV £3,425,000.
`,
			[]string{"1.location_address=28 Orange Street", "1.building_value=1,250,000.00", "2.location_address=Unit 9 Larch Park", "2.building_value=2,175,000.00", "2.construction_type=steel frame"},
			[]string{"3.location_address"},
		},
		{
			"sentences behind the address of the place", "a.txt", `
Tomador: Conservas Alerce, S.L.
Domicilio social: C/ Mayor, 22, 39750 Colindres (Cantabria)

Situación de riesgo: Polígono Industrial La Marina, parcela 12, 39740 Santoña. Nave de hormigón con cubierta de panel, año 2004. Dispone de rociadores automáticos.

Continente: 3.400.000 €
Existencias: 1.300.000 €
`,
			[]string{"1.location_address=Polígono Industrial La Marina, parcela 12", "1.location_city=Santoña", "1.construction_type=hormigón", "1.building_value=3,400,000.00"},
			[]string{"2.location_address"},
		},
		{
			"addresses below the header of a column of towns", "a.csv", `
Ort;Gebäude;Vorräte;Bauweise
"Weberstraße 212, 42855 Remscheid";8.900.000;2.300.000;Massiv
"Gewerbering 4, 42929 Wermelskirchen";3.150.000;4.100.000;Stahlbeton
`,
			[]string{"1.location_address=Weberstraße 212", "1.location_city=Remscheid", "2.location_address=Gewerbering 4", "2.building_value=3,150,000.00"},
			nil,
		},
		{
			"American towns with Italian names", "a.csv", `
Loc,Address,City,State,Zip,Building Value
1,12 Main St,Lodi,CA,95240,"1,000,000"
2,40 Oak Ave,Verona,PA,15147,"2,000,000"
`,
			[]string{"1.location_country=US", "2.location_country=US", "2.location_state=PA"},
			nil,
		},
		{
			"Italian provinces that are also American states", "a.csv", `
Ubicazione;Indirizzo;CAP;Comune;Prov.;Fabbricati
Stabilimento;Via Emilia 230;29016;Cortemaggiore;PC;12500000
Showroom;Via Tortona 8;20144;Milano;MI;980000
`,
			[]string{"1.location_country=IT", "2.location_country=IT"},
			nil,
		},
		{
			"paragraphs below the heading of a location", "a.txt", `
Insured: Larch Cold Chain Pty Ltd

Situations

Situation 1

22 Larch Road, Tomago NSW 2322

Steel frame, sprinklers throughout. Buildings $19,500,000, Contents $8,200,000, Gross Profit $7,400,000

Situation 2

5 Elm Street, Rocklea QLD 4106

Concrete tilt-up, no sprinklers. Buildings $11,250,000, Contents $4,100,000, Gross Profit $3,600,000
`,
			[]string{"1.location_address=22 Larch Road", "1.building_value=19,500,000.00", "1.contents_tiv=8,200,000.00", "2.building_value=11,250,000.00", "2.business_interruption_value=3,600,000.00"},
			[]string{"3.location_address"},
		},
		{
			"a period in brackets before an amount", "a.txt", `
Insured: Larch Truss Pty Ltd
Situation 1: 72 Boundary Road, Narangba QLD 4504
   Buildings $2,900,000 / Contents & stock $1,750,000 / Gross profit (12 mths) $3,200,000
Situation 2: 25 Industry Drive, Caboolture QLD 4510
   Buildings $1,100,000 / Contents & stock $880,000 / Gross profit (12 mths) $400,000
`,
			[]string{"1.building_value=2,900,000.00", "1.contents_tiv=1,750,000.00", "1.business_interruption_value=3,200,000.00", "2.contents_tiv=880,000.00"},
			nil,
		},
		{
			"streets in the column of names", "a.csv", `
Ref,Property,Town,Postcode,Buildings DV (£),Total (£)
P1,"Alder Court, Larch Road",Exeter,EX2 4TA,4600000,4600000
P2,22-40 Birch Street,Plymouth,PL1 2EU,7900000,7900000
P3,"Elm House, Queen Street",Newton Abbot,TQ12 2AQ,3125000,3125000
`,
			[]string{`1.location_address=Alder Court, Larch Road`, "2.location_address=22-40 Birch Street", "3.location_city=Newton Abbot"},
			nil,
		},
		{
			"French words of Québec", "a.csv", `
No;Emplacement;Ville;Province;Code postal;Gicleurs;Bâtiment;Contenu;Perte de revenus
1;450, rue du Mélèze;Mont-Tremblant;QC;J8E 2W5;Oui;3 250 000 $;2 100 000 $;1 400 000 $
2;98, chemin du Lac;Labelle;QC;J0T 1H0;Non;1 075 000 $;690 000 $;500 000 $
`,
			[]string{"1.location_have_sprinklers=Y", "2.location_have_sprinklers=N", "1.business_interruption_value=1,400,000.00"},
			nil,
		},
		{
			"a house number behind a label", "a.txt", `
Applicant                        Larch Aero Services LLC

Location                         1 Terminal Drive, Hays, Kansas 67601

Inception                        5-Jan-2028
`,
			[]string{"address=1 Terminal Drive, Hays, Kansas 67601"},
			[]string{"1.location_address=Terminal Drive", "2.location_address"},
		},
		{
			"captions below the details of a location", "a.txt", `
SECTION A - APPLICANT

Larch Valley Fasteners Inc                     16-5550177
Legal name of applicant                        Federal tax ID

47 Alder Street               Binghamton         NY        13904
Street address                City               State     ZIP

SECTION C - POLICY INFORMATION

09/01/2027             09/01/2028              Bundled Property / General Liability
Effective date         Expiration date         Program requested

Birch Lake Fire & Marine        $64,115             $60,000
Current carrier                 Expiring premium    Target premium

SECTION D - PREMISES

47 Alder Street, Binghamton NY 13904     Masonry NC      Yes            1951
Premises 1 address                       Construction    Sprinklered    Year built

$4,820,000             $6,400,000             $2,100,000
Building limit         Contents limit         Business income limit
`,
			[]string{"1.location_address=47 Alder Street", "1.construction_type=Masonry NC", "1.location_have_sprinklers=Y", "1.building_value=4,820,000.00", "1.year_built=1951", "estimated_premium=60,000.00"},
			[]string{"2.location_address"},
		},
		{
			"a caption below the address of the premises", "a.txt", `
Commercial Combined Proposal Form

LARCHDALE JOINERY LIMITED
Full name of Proposer (include trading names)

UNIT 7 LARCH MILLS, CANAL ROAD, KEIGHLEY
Correspondence address

BD20 0QX         01535 960 144     accounts@larchdale.example
Postcode         Telephone         Email

ADA QUILL        01756 960 177     ADA@ALDER.EXAMPLE
Broker contact

UNIT 7 LARCH MILLS, CANAL ROAD, KEIGHLEY BD20 0QX
Premises to be insured (1)

STONE                         2                             NO
Construction of walls         Number of storeys             Sprinklers?

£1,150,000                   £640,000                            £185,000      £1,400,000
Sum insured - Buildings      Machinery & all other contents      Stock         Gross profit
`,
			[]string{
				"1.location_postal_code=BD20 0QX", "1.construction_type=STONE", "1.location_have_sprinklers=N", "1.building_value=1,150,000.00",
				"1.contents_tiv=640,000.00", "1.business_interruption_value=1,400,000.00", "broker_contact_phone=01756 960 177",
			},
			[]string{"2.location_address"},
		},
		{
			"a location that refers to the insured's address", "a.txt", `
Razón social: Alerce Azulejos, S.A.
Domicilio: Polígono Industrial Norte, parcela 4, 12006 Borriol

SITUACIÓN DEL RIESGO
Dirección: la misma que el domicilio social
Construcción: Estructura de hormigón y cubierta metálica
Continente: 5.900.000 €`,
			[]string{"1.location_address=Polígono Industrial Norte, parcela 4", "1.construction_type=Estructura de hormigón y cubierta metálica", "1.building_value=5,900,000.00"},
			nil,
		},
		{
			"a building site in a paragraph below a heading", "a.txt", `
THE INSURED
Larch Constructions Pty Ltd, of Unit 3, 27 Alder Street, Fairy Meadow NSW 2519.

THE PROJECT
Construction of 14 townhouses, 2 storey brick veneer on slab, at 88 Larch Road, Kiama NSW 2533. Contract value $9,850,000.

COVER
Section 1 - Contract Works: $9,850,000 plus 15% escalation, $500k removal of debris, existing structures nil`,
			[]string{"1.location_address=88 Larch Road", "1.location_city=Kiama"},
			[]string{"1.building_value=500,000.00"},
		},
		{
			"sums by kind of property, and one address in the text", "a.html", `
<p>Interessent: Lärche Fruchtsäfte GmbH, Marschweg 5, 21720 Steinkirchen</p>
<p>Die Gebäude sind massiv errichtet (Baujahr 1986), eine Sprinkleranlage ist nicht vorhanden, eine Brandmeldeanlage schon.</p>
<table><tr><td>Position</td><td>Versicherungssumme</td></tr>
<tr><td>Gebäude (Neuwert)</td><td>5.300.000 EUR</td></tr>
<tr><td>Technische und kaufmännische Betriebseinrichtung</td><td>4.150.000 EUR</td></tr>
<tr><td>Vorräte</td><td>1.250.000 EUR</td></tr>
<tr><td>Betriebsunterbrechung, Haftzeit 12 Monate</td><td>3.600.000 EUR</td></tr></table>
`,
			[]string{"1.location_address=Marschweg 5", "1.building_value=5,300,000.00", "1.stock_tiv=1,250,000.00", "1.business_interruption_value=3,600,000.00", "1.location_have_sprinklers=N"},
			[]string{"2.100_pct_limit=4,150,000.00"},
		},
		{
			"addresses in the heads of columns", "a.csv", `
Section,"Situation 1
Shop 2, 415 Larch Parade, Brunswick East VIC 3057","Situation 2
8 Alder Drive, Thomastown VIC 3074"
Construction,Brick,Concrete tilt-up
Sprinklers,No,No
Buildings,Not insured,"$2,350,000"
Contents,"$310,000","$540,000"
`,
			[]string{"1.location_address=Shop 2, 415 Larch Parade", "2.location_address=8 Alder Drive", "2.building_value=2,350,000.00", "1.contents_tiv=310,000.00"},
			[]string{"3.location_address"},
		},
		{
			"sums by number of premises and building", "a.html", `
<p>Named Insured: Larch Dentistry, P.C.</p>
<table><tr><td>Prem/Bldg</td><td>Location</td><td>Construction</td><td>Sprinklered</td></tr>
<tr><td>001/001</td><td>712 Larch Street, Ottumwa, IA 52501</td><td>Masonry</td><td>No</td></tr>
<tr><td>002/001</td><td>320 Alder Ave, Albia, IA 52531</td><td>Frame</td><td>No</td></tr></table>
<p>PROPERTY COVERAGE - LIMITS OF INSURANCE</p>
<table><tr><td>Coverage</td><td>001/001</td><td>002/001</td><td>Deductible</td></tr>
<tr><td>Building</td><td>$ 812,000</td><td>$ 294,000</td><td>$1,000</td></tr>
<tr><td>Business Personal Property</td><td>$ 365,000</td><td>$ 128,500</td><td>$1,000</td></tr></table>
`,
			[]string{"1.building_value=812,000.00", "2.building_value=294,000.00", "2.contents_tiv=128,500.00", "coverage=Building", "coverage=Business Personal Property"},
			[]string{"3.location_id"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
