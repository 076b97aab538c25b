package extract_test

import (
	"testing"
)

// TestFactsLayouts checks the name, the address and the revenue of the insured in layouts and wordings
// of invented documents.
func TestFactsLayouts(t *testing.T) {
	t.Parallel()
	const hook = "company_name=Fenwick Looms Ltd"
	for _, test := range []struct {
		name, file, text string
		want             []string
		without          []string // fields
	}{
		{
			"a hint between label and value", "a.txt", `
1  Name of applicant(s)
   Please list all parties to be insured.
   Fenwick Looms Ltd

2  Postal address
   Please include the postcode.
   4 Weaver Street, Halifax HX1 5AB`,
			[]string{hook, "address=4 Weaver Street, Halifax HX1 5AB"},
			nil,
		},
		{
			"a label over two lines", "a.txt", "RISK DETAILS\n\nINSURED:                Fenwick Looms Ltd\nPRINCIPAL ADDRESS OF    4 Weaver Street\nINSURED:                Halifax HX1 5AB\n",
			[]string{hook, "address=4 Weaver Street, Halifax HX1 5AB"},
			nil,
		},
		{
			"two parties side by side", "a.txt", `
NAMED INSURED AND MAILING ADDRESS           AGENT
   FENWICK LOOMS LTD                           QUILL INSURORS INC     CODE 26-0091
   DBA WEAVER LOOMS                            PO BOX 414
   12 ELM AVE                                  DAYTON OH 45402
   SALEM OR 97301                              308-555-0135`,
			[]string{"company_name=FENWICK LOOMS LTD", "address=12 ELM AVE, SALEM OR 97301"},
			nil,
		},
		{
			"lines without empty ones", "a.txt", "Insured: Fenwick Looms Ltd\nAddress: 4 Weaver Street\nHalifax HX1 5AB\nPhone: 01422 555 0123\n",
			[]string{hook, "address=4 Weaver Street, Halifax HX1 5AB", "phone_number=01422 555 0123"},
			nil,
		},
		{
			"where a complaint is sent", "a.txt", `
Name of proposer: Fenwick Looms Ltd

If you wish to complain please contact our Customer Satisfaction Manager:
Address: Customer Satisfaction Manager, Alder, 57 Oak Road, Derby DE1 1AA
Phone: 01332 555 0188

Alder Insurance plc
Registered in England number 84638
Registered office: 57 Oak Road, Derby DE1 1AA`,
			[]string{hook},
			[]string{"address", "phone_number", "company_number"},
		},
		{
			"further insureds", "a.txt", `
NAME (First Named Insured) AND MAILING ADDRESS
Fenwick Looms Ltd
12 Elm Ave, Salem, OR 97301

NAME (Other Named Insured) AND MAILING ADDRESS
Fenwick Realty Holdings LLC`,
			[]string{hook, "address=12 Elm Ave, Salem, OR 97301"},
			nil,
		},
		{"choices of legal forms", "a.txt", "Applicant name:\nEntity type:  Sole Prop   LLC   Corporation   Partnership\n", nil, []string{"company_name"}},
		{"a legal entity", "a.txt", "Legal entity: Fenwick Looms Ltd\nFounded: 1998\n", []string{hook, "year_founded=1998"}, nil},
		{
			"an invitation to tender", "a.txt", "REQUEST FOR PROPOSALS\nProperty insurance\n\nIssued by: Port of Alder Bay, 55 Port Street, Salem, OR 97301\nContact: Ada Quill\n",
			[]string{"company_name=Port of Alder Bay", "address=55 Port Street, Salem, OR 97301"},
			nil,
		},
		{
			"who remains insured", "a.txt", "\nThe first named insured stays Fenwick Looms Ltd, our address is 12 Elm Ave, Salem, OR 97301.\n",
			[]string{hook, "address=12 Elm Ave, Salem, OR 97301"},
			nil,
		},
		{
			"an export", "a.csv", "Account Name,Billing Street,Billing City,Billing State/Province,Billing Zip/Postal Code\nFenwick Looms Ltd,12 Elm Ave,Salem,OR,97301\n",
			[]string{hook, "address=12 Elm Ave, Salem, OR 97301"},
			nil,
		},
		{"keys with dots", "a.csv", "applicant.name,Fenwick Looms Ltd\napplicant.address.city,Salem\n", []string{hook, "city=Salem"}, nil},
		{
			"revenue by territory", "a.txt", "Insured: Fenwick Looms Ltd\n\nTerritory\tTurnover (£)\nUnited Kingdom\t£11,500,000\nEurope\t£2,000,000\nTOTAL\t£13,500,000\n",
			[]string{"annual_revenue=13,500,000.00"},
			nil,
		},
		{
			"revenue below a qualified label", "a.txt", "8. Gross fees: last complete financial year (ended 31/03/2026)\n£3,184,500\n\nprevious year\n£2,911,200\n",
			[]string{"annual_revenue=3,184,500.00"},
			nil,
		},
		{"the previous year's revenue", "a.txt", "Versicherungsnehmer: Korbacher Drahtwerk GmbH\nUmsatz Vorjahr: 14.250.000 EUR\n", []string{"annual_revenue=14,250,000.00"}, nil},
		{"apostrophes", "a.txt", "Firma: Korbacher Drahtwerk AG\nUmsatz 2025: CHF 31'600'000\n", []string{"annual_revenue=31,600,000.00"}, nil},
		{"a number after a name", "a.txt", "Client: Alder Standard Condominium Corporation No. 9982\nEffective: 1 March 2027\n", []string{"company_name=Alder Standard Condominium Corporation No. 9982"}, nil},
		{"a remark in brackets", "a.txt", "Insured: Fenwick Looms Ltd\nGross sales: $6,840,000 (alcohol 27%)\nEmployees: 41 (wages £1.48m)\n", []string{"annual_revenue=6,840,000.00", "total_full_time_employees=41"}, nil},
		{
			"labels whose numbers have no full stop, and an address of four lines", "a.txt", `
Exmoor Underwriting Limited

1  Full name of proposer (incl. trading names)
Fenwick Looms Ltd

2  Address (incl. postcode)
Unit 3, Mill Lane Industrial Estate
Tavistock
Devon
PL19 8AA

3  Website
www.fenwicklooms.co.uk`,
			[]string{hook, "address=Unit 3, Mill Lane Industrial Estate, Tavistock, Devon, PL19 8AA"},
			[]string{"dba_aka"},
		},
		{
			"questions of a web form", "a.txt", `
Business name
Fenwick Looms Ltd

Estimated sales for the next 12 months
4,700,000

When do you need coverage to start?
2027-03-01`,
			[]string{hook, "annual_revenue=4,700,000.00", "policy_inception_date=2027-03-01"},
			nil,
		},
		{"the start of a business in Spanish", "a.txt", "Razón social: Telares Castro, S.L.\nAño de inicio de actividad: 1994\n", []string{"year_founded=1994"}, nil},
		{
			"a canton whose code is that of a country", "a.txt", `
Antragsteller: Korbacher Uhren AG
Strasse / Nr.: Lindenstrasse 14
PLZ / Ort: 9000 St. Gallen
Kanton: SG
Land: Schweiz

Versicherungssummen
Waren und Einrichtungen: CHF 3'200'000.-`,
			[]string{"address=Lindenstrasse 14, 9000 St. Gallen, SG, Schweiz", "risk_country=CH", "1.location_city=St. Gallen", "1.location_postal_code=9000"},
			[]string{"risk_country=SG", "1.location_country=SG"},
		},
		{"a town with an article behind a firm", "a.txt", "Reinsured: Brandwaarborg Peelland U.A., Havenkade 21, 5201 AB 's-Hertogenbosch, Netherlands\n", []string{"address=Havenkade 21, 5201 AB 's-Hertogenbosch"}, nil},
		{
			"a saint's town without its country", "a.txt", "Versicherungsnehmer: Korbacher Bergbahnen AG\nAdresse: Via Grevas 4, 7500 St. Moritz\nBetriebshaftpflicht per 1.7.2027\n",
			[]string{"address=Via Grevas 4, 7500 St. Moritz"},
			nil,
		},
		{
			"revenue by territory and year below a heading", "a.html", "<p>Insured: Fenwick Looms Ltd</p><h2>Part B. Revenue</h2><table><tr><th></th><th>Prior year (2025)</th><th>Last year (2026)</th><th>Current year est. (2027)</th></tr><tr><td>UK</td><td>£4,100,000</td><td>£4,700,000</td><td>£5,000,000</td></tr><tr><td>Abroad</td><td>£300,000</td><td>£400,000</td><td>£500,000</td></tr><tr><td>Total</td><td>£4,400,000</td><td>£5,100,000</td><td>£5,500,000</td></tr></table>",
			[]string{"annual_revenue=5,100,000.00"},
			nil,
		},
		{"a year in a short cell", "a.csv", "Client:,Larch Tool Corp.,\nEst. 1964,\"Sales: $12,480,000\",Emp: 57\n", []string{"year_founded=1964"}, nil},
		{"a year after \"est. in\"", "a.html", "<table><tr><td>Applicant:</td><td>Larch Home Health, Inc.</td></tr><tr><td>Est. in:</td><td>1999</td></tr></table>", []string{"year_founded=1999"}, nil},
		{"a district created by an act", "a.txt", "Named Insured: Fenwick Drainage District\nThe district was created by special act, 1968.\n", []string{"year_founded=1968"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.without)
		})
	}
}

// TestWordsThatNameNoCountry checks that an Incoterm, an adverb, a kind of program and an alarm, which are
// also names or codes of registers and currencies, do not give a country.
func TestWordsThatNameNoCountry(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Shipments are sold CIF.\n\nCIF Rotterdam applies to cocoa.\n\nSales are CIF Hamburg.\n\nCIF Genoa\n",
		"Das ist fein.\n\nDer Sand wird fein gemahlen.\n\nEr ist sehr fein.\n\nfein gesiebt\n",
		"The firm draws with CAD.\n\nIt sells CAD files.\n\nIts CAD courses are popular.\n\nCAD bureau\n",
		"The hall has a siren.\n\nA second siren is in the yard.\n\nThe siren is tested monthly.\n\nsiren tower\n",
	} {
		wantValues(t, "a.txt", "Insured: Fenwick Looms Ltd\n\n"+line, nil, []string{"risk_country"})
	}
}

// TestLabelsThatNameNoPlace checks that a label in lower case before amounts does not make a location.
func TestLabelsThatNameNoPlace(t *testing.T) {
	t.Parallel()
	wantValues(t, "a.txt", "Claim no.: 88-1\nDate of loss: 07/30/2026\n\nReserve set: contents 50,000; BI 10,000 (closed 3 days).\n", nil, []string{"1.contents_tiv", "1.location_city"})
	wantValues(t, "a.txt", "Insured: Larch Ltd\n\nBradford: Buildings £7,200,000; Stock £2,100,000\nYork: Buildings £3,200,000; Stock £1,100,000\n", []string{"1.location_city=Bradford", "2.building_value=3,200,000.00"}, nil)
}
