package extract_test

import (
	"testing"
)

// TestExportedLayouts checks values in the layouts of exports, reports and forms of invented documents.
func TestExportedLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{
			"YAML", "a.txt", `
# request
account:
  insured:
    name: "Fenwick Looms Ltd"
    address:
      line1: "4 Weaver Street"
      city: 'Salem'
      state: OR
      zip: "97301"
  agency: {name: "Birch Insurance Brokers", phone: "937-555-0142"}
  policy:
    lines_of_business: ["General Liability", "Commercial Auto"]
    effective_date: 2027-01-01
`, []string{"company_name=Fenwick Looms Ltd", "address=4 Weaver Street, Salem, OR 97301", "broker_name=Birch Insurance Brokers", "product=Commercial Auto", "policy_inception_date=2027-01-01"},
		},
		{
			"policy in each row, with totals", "a.csv", `
insured_name,policy_effective,policy_expiration,line_of_business,address,city,state,zip,building_value
Fenwick Looms Inc,2027-02-01,2028-02-01,Commercial Property,4 Weaver Street,Salem,OR,97301,500000
Fenwick Looms Inc,2027-02-01,2028-02-01,Commercial Property,9 Oak Row,Salem,OR,97302,700000
TOTAL,,,,,,,,1200000
`, []string{"company_name=Fenwick Looms Inc", "policy_inception_date=2027-02-01", "end_date=2028-02-01", "product=Commercial Property"},
		},
		{
			"account in each row, beside its locations", "a.csv", `
AcctNo,NamedInsured,MailAddr1,MailCity,MailState,MailZip,YearEst,GrossSales,Agency,ProducerPhone,TargetPremium,LocNum,LocAddr,LocCity,LocState,LocZip,BldgLimit
7,Fenwick Looms Inc,4 Weaver Street,Salem,OR,97301,1964,5210000,Birch Insurance,937-555-0142,18400,1,9 Oak Row,Salem,OR,97302,500000
7,Fenwick Looms Inc,4 Weaver Street,Salem,OR,97301,1964,5210000,Birch Insurance,937-555-0142,18400,2,2 Elm Road,Salem,OR,97303,700000
`, []string{"address=4 Weaver Street, Salem, OR, 97301", "annual_revenue=5,210,000.00", "year_founded=1964", "broker_contact_phone=937-555-0142", "estimated_premium=18,400.00"},
		},
		{
			"question about the place", "a.txt", `
1. Who is to be insured?
Fenwick Growers Co-operative Limited
2. Where is the business run from?
Factory 6, 33 Weaver Drive, Salem, OR 97301
3. What does the business do?
Packs fruit
`, []string{"company_name=Fenwick Growers Co-operative Limited", "address=Factory 6, 33 Weaver Drive, Salem, OR 97301"},
		},
		{
			"place of work in a sentence", "a.txt", `
Please find below our presentation for Fenwick Architects LLP, where there are three partners and 17 other staff, all working from 2nd Floor, Weaver House, 41 Water Lane, Leeds LS11 5PS (where the lease ends in 2031).
Revenue for the fiscal year just ended (September 30, 2026) was $17,250,000 against $18,940,000 the year before.
`, []string{"company_name=Fenwick Architects LLP", "address=2nd Floor, Weaver House, 41 Water Lane, Leeds LS11 5PS", "annual_revenue=17,250,000.00"},
		},
		{
			"covers with amounts behind dashes", "a.txt", `
Client: Fenwick Homes Limited
Class: Commercial Combined

Material Damage
Business Interruption
Employers Liability - £10,000,000, wages £2,385,000, 78 staff
`, []string{"product=Commercial Combined", "coverage=Employers Liability"},
		},
		{
			"state and code behind one label, revenue in columns", "a.txt", `
Legal name: Fenwick Looms Inc
Street: 8 Mill Rd
City: Salem
State / Zip: OR / 97301

Exposures
  Receipts, last 12 months          $3,410,000
  Receipts, year before             $2,976,000
  Projected next 12                 $3,850,000
`, []string{"address=8 Mill Rd, Salem, OR 97301", "annual_revenue=3,410,000.00"},
		},
		{
			"summary by the broker, with the budget of a year", "a.txt", `
Fenwick Analytics Inc.
Underwriting summary prepared by Birch Professional Risks Inc.

Revenue
FY ended Sept 30, 2025    8,775,000
FY ended Sept 30, 2026    9,640,000
FY 2027 budget            11,200,000

Target premium is $61,000.
`, []string{"company_name=Fenwick Analytics Inc.", "broker_name=Birch Professional Risks Inc.", "annual_revenue=9,640,000.00", "estimated_premium=61,000.00"},
		},
		{
			"a contact at the end", "a.txt", `
Fenwick Analytics Inc.
Technology E&O
Statement of the business

Fenwick Analytics Inc. builds software for grocers.
It employs 71 people.
It was founded in 2012.
Losses: none
Claims: none

Your contact

Nora Klein, CIP
Vice President, Technology
Birch Insurance Advisors Inc.
416-555-0129
nklein@birchadvisors.example
`, []string{"broker_name=Birch Insurance Advisors Inc.", "broker_contact_points=Nora Klein", "broker_contact_phone=416-555-0129", "broker_email=nklein@birchadvisors.example"},
		},
		{
			"revenue before its year", "a.txt", `
Fenwick Group, LLC owns nine restaurants. The group had $36.8 million in revenue in 2025 and has 512 employees.
`, []string{"annual_revenue=36,800,000.00", "total_full_time_employees=512"},
		},
		{
			"a memo", "a.csv", `
TO:,Excess Underwriting
FROM:,"Nora Klein, Birch Lane Risk Management"
RE:,Lead umbrella - Fenwick School Bus Company
"Fenwick School Bus Company, 4 Weaver Street, Salem, OR 97301, is looking for a new lead umbrella at 7/1/27. Call me at (503) 555-0164 or nora@birchlanerisk.example."
`, []string{"broker_name=Birch Lane Risk Management", "policy_inception_date=2027-07-01", "broker_email=nora@birchlanerisk.example"},
		},
		{
			"a label and the name above a statement of values", "a.csv", `
Named Insured,Fenwick Foods LLC
Producer,Alder Group LLC
Property Manager,Larch Homes Inc

Loc,Address,City,State,Zip,Building Value
1,12 Weaver Street,Salem,OR,97301,"1,000,000"
2,14 Weaver Street,Salem,OR,97301,"2,000,000"
`, []string{"company_name=Fenwick Foods LLC", "broker_name=Alder Group LLC"},
		},
		{
			"a title and the name above a statement of values", "a.csv", `
Statement of Values,Fenwick Foods LLC

Loc,Address,City,State,Zip,Building Value
1,12 Weaver Street,Salem,OR,97301,"1,000,000"
2,14 Weaver Street,Salem,OR,97301,"2,000,000"
`, []string{"company_name=Fenwick Foods LLC"},
		},
		{
			"a founding year before its verb", "a.txt", `
Interessent: Spedition Erlenbach GmbH & Co. KG
Die Spedition wurde 1958 gegründet und beschäftigt 210 Mitarbeiter.
`, []string{"year_founded=1958"},
		},
		{
			"a typographic apostrophe", "a.txt", `
La société Transports Aulne SAS, créée en 1969.
Nous vous présentons le risque pour une prise d’effet au 1er avril 2027.
`, []string{"policy_inception_date=2027-04-01", "year_founded=1969"},
		},
		{
			"labels and values in columns", "a.txt", `
Named Insured                 Fenwick Foods LLC
Broker                        Birch Bridge Insurance Brokers
Effective Date                07/01/2026
`, []string{"company_name=Fenwick Foods LLC", "broker_name=Birch Bridge Insurance Brokers", "policy_inception_date=2026-07-01"},
		},
		{
			"a name that begins with a number", "a.txt", "Named Insured: 1200 Weaver Partners LP\nRevenue: $2,000,000\n",
			[]string{"company_name=1200 Weaver Partners LP"},
		},
		{
			"covers with amounts behind a label", "a.eml", `From: Nora Klein <nora@birchbroking.example>
Subject: Demande
Content-Type: text/plain

Souscripteur : SARL Atelier Aulne
Garanties demandées : RC professionnelle 2 000 000 € par sinistre et par an, RC exploitation 8 000 000 €
`, []string{"company_name=SARL Atelier Aulne", "coverage=RC professionnelle", "coverage=RC exploitation"},
		},
		{
			"dates beside the revenue in a form of two columns", "a.csv", `
Insured,Fenwick Teachers Association,Type,Corporation
Effective date,"January 31, 2027",Expiration date,"January 31, 2028"
Annual revenue,"$7,240,000",Total assets,"$96,400,000"
Employees,52,Audited by,Alder CPAs
`, []string{"annual_revenue=7,240,000.00", "policy_inception_date=2027-01-31", "end_date=2028-01-31"},
		},
		{
			"times of day without a blank", "a.txt", "Named Insured: Fenwick Foods LLC\nPolicy Period: 07/01/2026 12:01AM to 07/01/2027 12:01AM\n",
			[]string{"policy_inception_date=2026-07-01", "policy_inception_effective_time=12:01AM"},
		},
		{
			"an insured loss of revenue before the revenue", "a.txt", "Fenwick Foods LLC was founded in 1986. Loss of revenue £4.1m; revenue £9m.\n",
			[]string{"annual_revenue=9,000,000.00"},
		},
		{
			"a change between two years", "a.csv", `
Insured,Fenwick Foods LLC,,
,2024,Change,2025
Revenue,"4,310,000",4%,"4,480,000"
`, []string{"annual_revenue=4,480,000.00"},
		},
		{
			"revenue by year in thousands", "a.csv", `
Insured,Fenwick Foods Ltd

Turnover (£000)
Turnover 2025,"4,310"
Turnover 2026,"4,720"
`, []string{"annual_revenue=4,720,000.00"},
		},
		{
			"questions about other parties", "a.txt", `
Proposal
1. Who is to be insured?
Fenwick Looms Ltd
2. Turnover for the last financial year (to 30 June 2026)
$4,260,000
3. Payments to subcontractors
$250,000
4. Present insurer and premium
Alder Mutual, $21,870 plus stamp duty
5. What premium are you hoping for?
$16,500 plus charges
6. Any claims?
None
`, []string{"company_name=Fenwick Looms Ltd", "annual_revenue=4,260,000.00", "expiring_premium=21,870.00", "estimated_premium=16,500.00"},
		},
		{
			"client in each row", "a.csv", `
Client;Eff Date;Street;City;State;Zip;Building
Fenwick Looms Inc;02/01/2027;4 Weaver Street;Salem;OR;97301;500000
Fenwick Looms Inc;02/01/2027;9 Oak Row;Salem;OR;97302;700000
`, []string{"company_name=Fenwick Looms Inc", "policy_inception_date=2027-02-01"},
		},
		{
			"address beside a contact", "a.txt", `
Member: Alder County, Oregon
Member Contact: Nora Klein, County Administrator, 4 Weaver Street, Alderville, OR 97301, (937) 555-0142
`, []string{"address=4 Weaver Street, Alderville, OR 97301", "contact_name=Nora Klein"},
		},
		{
			"address without a name", "a.txt", `
FENWICK LOOMS, INC.
Statement of Values
Corporate: 4 Weaver Street, Alder Junction, OR 97301 | Risk Manager: Nora Klein
`, []string{"company_name=FENWICK LOOMS, INC.", "address=4 Weaver Street, Alder Junction, OR 97301"},
		},
		{
			"in care of a manager", "a.txt", `
Fenwick Apartments, L.P.
c/o Alder Residential Management, 4 Weaver Street #700, Salem OR 97301
Master Property Program | Policy Term: June 30, 2027 to June 30, 2028
`, []string{"company_name=Fenwick Apartments, L.P.", "address=4 Weaver Street #700, Salem OR 97301"},
		},
		{
			"number of a broker", "a.txt", `
INSURED:   FENWICK AMBULANCE SERVICE INC        AGENT: 22-0719 BIRCH INSURANCE ADVISORS
           4 WEAVER STREET                      AGENT PHONE: 937-555-0142
           SALEM OR 97301
`, []string{"company_name=FENWICK AMBULANCE SERVICE INC", "address=4 WEAVER STREET, SALEM OR 97301", "broker_name=BIRCH INSURANCE ADVISORS"},
		},
		{
			"numbered questions", "a.txt", `
1.       Full title of Firm(s) to be insured (the Proposer), including any predecessors
         FENWICK & ALDER SURVEYORS LLP
2.       Address of principal office
         4 WEAVER STREET
         HALIFAX HX1 5AB
3.       Telephone number and website address
         01422 555 0123          www.fenwickalder.example
4.       Date from which cover is required
         1 APRIL 2027
5.       Optional extensions required
         LOSS OF DOCUMENTS, COURT ATTENDANCE COSTS
`, []string{"company_name=FENWICK & ALDER SURVEYORS LLP", "address=4 WEAVER STREET, HALIFAX HX1 5AB", "policy_inception_date=2027-04-01", "coverage=LOSS OF DOCUMENTS"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, nil)
		})
	}
}
