package extract_test

import (
	"testing"
)

// TestLayouts checks values in layouts and wordings of invented documents: each wanted value
// is written as field=value.
func TestLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"questions and answers", "a.txt", `
Who is to be insured?
Fenwick Looms Ltd

Where are you based?
4 Weaver Street, Halifax HX1 5AB

How many people do you employ?
38

When should cover start?
1 May 2027

What would you like to pay?
£14,200`,
			[]string{"company_name=Fenwick Looms Ltd", "address=4 Weaver Street, Halifax HX1 5AB", "total_full_time_employees=38", "policy_inception_date=2027-05-01", "estimated_premium=14,200.00"},
			nil,
		},
		{
			"German questions", "a.txt", `
Wie heißt Ihr Unternehmen?
Korbacher Drahtwerk GmbH

Wie viele Mitarbeiter beschäftigen Sie?
61

Ab wann soll die Deckung beginnen?
01.03.2027`,
			[]string{"company_name=Korbacher Drahtwerk GmbH", "total_full_time_employees=61", "policy_inception_date=2027-03-01", "risk_country=DE"},
			nil,
		},
		{
			"plain questions", "a.txt", `
What is your business called?
Fenwick Looms Ltd

Best phone number
01422‑555‑0123

How much did you earn last year?
£1,260,000

When should it start?
1 May 2027`,
			[]string{"company_name=Fenwick Looms Ltd", "annual_revenue=1,260,000.00", "policy_inception_date=2027-05-01"},
			nil,
		},
		{
			"a letter to an underwriter", "a.txt", `
Marlpit Insurance Brokers
3 Mill Road, Thetford IP24 1AB

Ms Ines Oduya
Property Underwriting
Hartmere Mutual

Dear Ines:

Our client, Fenwick Looms Company, a wholesale distributor of fine wool and
linen, was founded in 1978 and reported revenues of $63.4 million in fiscal 2025.

Sincerely
Jo Parrish`,
			[]string{"underwriter=Ines Oduya", "annual_revenue=63,400,000.00"},
			[]string{"annual_revenue=63.00"},
		},
		{
			"a description under a broker's name", "a.txt", `
Cabinet Lestrade Assurances
Courtier – ORIAS 11 222 333
4 rue du Port, 17000 La Rochelle

Madame,

Raison sociale : Filatures du Marais SAS`,
			[]string{"broker_name=Cabinet Lestrade Assurances", "company_name=Filatures du Marais SAS"},
			nil,
		},
		{
			"a JSON object", "a.txt", `
{"applicant": {"legalName": "Fenwick Looms LLC", "mailing": {"line1": "4 Weaver Street", "city": "Dayton", "region": "OH", "postcode": "45402"}, "founded": 1974},
 "terms": {"effective": "2027-05-01", "lines": ["Property", "Umbrella"]},
 "premises": [{"ref": "P1", "line1": "4 Weaver Street", "city": "Dayton", "postcode": "45402", "limits": {"building": 6800000, "bi": null}}]}`,
			[]string{"company_name=Fenwick Looms LLC", "year_founded=1974", "policy_inception_date=2027-05-01", "product=Property"},
			nil,
		},
		{
			"a letter", "a.txt", `
Marlpit Broking
Insurance Consultants
Tel 01632 960 118

Dear Ms Oduya

Larch & Alder Joinery Ltd / Commercial Combined

We write on behalf of Larch & Alder Joinery Ltd, of Saw Yard, 8 Mill Road, Thetford IP24 1AB, who make staircases.
The firm was founded in 1974. Its turnover was £3.2m last year against £2.9m in the year before.
They pay £51,000 with Hartmere Mutual and we could bind at £45,500.

Yours sincerely
Jo Parrish`,
			[]string{"company_name=Larch & Alder Joinery Ltd", "address=Saw Yard, 8 Mill Road, Thetford IP24 1AB", "year_founded=1974", "annual_revenue=3,200,000.00", "estimated_premium=45,500.00", "broker_name=Marlpit Broking", "product=Commercial Combined"},
			[]string{"broker_name=Insurance Consultants"},
		},
		{
			"wide grid with empty columns and unknown labels", "a.txt", `
APPLICANT NAME: Tamarack Tooling LLC

PROPOSED EFF DATE   PROPOSED EXP DATE   BILLING PLAN   PAYMENT PLAN   METHOD OF PAYMENT   AUDIT   DEPOSIT   MINIMUM PREMIUM   POLICY PREMIUM
05/01/2026          05/01/2027          DIRECT         QUARTERLY      EFT                 A       $         $                 $ 42,000`,
			[]string{"company_name=Tamarack Tooling LLC", "policy_inception_date=2026-05-01", "end_date=2027-05-01", "estimated_premium=42,000.00"},
			nil,
		},
		{
			"list of premiums with a total", "a.txt", `
APPLICANT NAME: Tamarack Tooling LLC

Line              Premium
Property          $50,000
GL                $30,000
Auto              $8,000
Total Premium     $88,000`,
			[]string{"company_name=Tamarack Tooling LLC", "estimated_premium=88,000.00"},
			[]string{"estimated_premium=50,000.00"},
		},
		{
			"boxes with labels above", "a.csv", `
Named insured and mailing address,Producer
Tamarack Tooling LLC,Copper Lake Insurance Agency
12 Foundry Way,55 Pine St
"Duluth, MN 55802","Duluth, MN 55803"`,
			[]string{"company_name=Tamarack Tooling LLC", "address=12 Foundry Way, Duluth, MN 55802", "broker_name=Copper Lake Insurance Agency"},
			nil,
		},
		{
			"a section about the expiring policy", "a.txt", `
INSURANCE REQUIREMENTS
Policy start: 1 August 2027
Premium: £22,500

EXPIRING POLICY
Insurer: Orchard Mutual
Policy start: 1 August 2026
Premium: £23,750`,
			[]string{"policy_inception_date=2027-08-01", "estimated_premium=22,500.00", "expiring_premium=23,750.00"},
			nil,
		},
		{
			"a list of covers with unknown words", "a.txt", `
Coverages requested
- General liability
- Zipline operators
- Business interruption`,
			[]string{"coverage=General liability", "coverage=Zipline operators", "coverage=Business interruption"},
			nil,
		},
		{
			"a deductible is no heading about losses", "a.txt", "INSURED\tGreyfriars Cold Stores plc\nDEDUCTIBLE\t$25,000 each and every loss\nPREMIUM\t$119,750 (100%)\n\nEnd of the slip, which has more lines than one\n",
			[]string{"company_name=Greyfriars Cold Stores plc", "estimated_premium=119,750.00"},
			nil,
		},
		{
			"a clause after an address", "a.txt", `
We would like a quote for our client Millbrook Castings, Inc., a foundry (SIC 3321) located at 12 Foundry Road, Dayton, OH 45402, effective 3/1/2028.`,
			[]string{"company_name=Millbrook Castings, Inc.", "address=12 Foundry Road, Dayton, OH 45402", "primary_sic=3321", "policy_inception_date=2028-03-01"},
			nil,
		},
		{
			"addresses in wide columns and below a name", "a.txt", `
Insured: Alderney Haulage LLC
Garaging address:   9 Depot Street     Scranton     PA   18505
SIC code: 4213
Broker: Copper Lake Insurance Agency
        55 Pine St, Duluth, MN 55803
Full-time / part-time employees: 31 / 18`,
			[]string{"address=9 Depot Street, Scranton, PA, 18505", "primary_sic=4213", "broker_name=Copper Lake Insurance Agency", "broker_address=55 Pine St", "broker_city=Duluth", "total_full_time_employees=31", "total_part_time_employees=18"},
			nil,
		},
		{
			"a letterhead with the broker's address", "a.txt", `
MARLPIT RISK ADVISORS, INC.   8 W Broadway, Suite 600 · Salt Lake City, Utah 84101 · 801-555-0150

Dear Ms Field

On behalf of our client, Sorrel Lodges, Inc., we ask for your terms from 1 May 2028.
They have 54 full-timers and 21 part-timers.
The expiring premium is $412,900.

Yours sincerely
Jo Parrish`,
			[]string{"broker_city=Salt Lake City", "broker_postal_code=84101", "total_full_time_employees=54", "total_part_time_employees=21", "expiring_premium=412,900.00", "company_name=Sorrel Lodges, Inc."},
			[]string{"estimated_premium=412,900.00"},
		},
		{
			"a ticked legal form", "a.txt", `
Applicant: Sorrel Lodges
Mailing address: 9 Depot Street, Scranton, PA 18505
Applicant is: ☐ Individual   ☐ Partnership   ☒ Corporation   ☐ LLC`,
			[]string{"company_name=Sorrel Lodges", "legal_entity_type=Corporation"},
			nil,
		},
		{
			"labels composed of known words", "a.csv", `Account Legal Name,Larch Castings Inc
Account Address 1,14 Foundry Road
Account City,Dayton
Account State,OH
Account Postal Code,45402
Prior Annual Premium,"$31,400"
Tgt Prem,"$29,500"
Broker Firm,Quill Insurance Agency
Broker Contact,Lena Ostrow`,
			[]string{"company_name=Larch Castings Inc", "address=14 Foundry Road, Dayton, OH 45402", "expiring_premium=31,400.00", "estimated_premium=29,500.00", "broker_name=Quill Insurance Agency", "broker_contact_points=Lena Ostrow"},
			[]string{"estimated_premium=31,400.00"},
		},
		{
			"lines in the column of the value", "a.txt", `
Assured              Terwolde Coatings B.V.
                     Havenweg 12
                     7411 AB Deventer
Premium estimated    EUR 18,250

Work performed
  - at docks / quarries:   yes / no
  - nuclear sites:         no`,
			[]string{"company_name=Terwolde Coatings B.V.", "address=Havenweg 12, 7411 AB Deventer", "estimated_premium=18,250.00", "does_any_employee_works_at_docks=Y", "does_any_employee_works_at_quarries=N"},
			nil,
		},
		{
			"labels above values, a period without a label, a contact beside a mail address", "a.txt", `
Applicant
Sorrel Lodges Inc

Asking premium
$41,200

Schedule of properties, 1 April 2027 to 31 March 2028

Agency: Birch Insurance Brokers
Questions to Nora Klein, 937-555-0142, nklein@birchinsurance.com`,
			[]string{"company_name=Sorrel Lodges Inc", "estimated_premium=41,200.00", "policy_inception_date=2027-04-01", "end_date=2028-03-31", "broker_contact_points=Nora Klein", "broker_email=nklein@birchinsurance.com"},
			nil,
		},
		{
			"sentences in a narrow column", "a.txt", `
Please consider the enclosed submission for
Fenwick Joinery, LLC, a maker of doors at
4 Weaver Street, Salem, OR 97301. It has sales
of $3,200,000 and is well run; it employs 24
people in one shift, all of them trained there.`,
			[]string{"address=4 Weaver Street, Salem, OR 97301", "annual_revenue=3,200,000.00", "total_full_time_employees=24"},
			nil,
		},
		{
			"a telephone number below a narrow column does not belong to its sentence", "a.txt", `
If you would like this form in large print
or on a computer disc, please call us on
0300 555 0142.
You can also write to us at any of our offices.`,
			nil,
			[]string{"broker_contact_phone=0300 555 0142"},
		},
		{
			"a broker without an address", "a.txt", `
Broker
Birch Insurance Partners LLC
Nora Klein
nora@birchins.example
(937) 555-0142`,
			[]string{"broker_name=Birch Insurance Partners LLC", "broker_contact_points=Nora Klein", "broker_contact_phone=(937) 555-0142"},
			[]string{"broker_city=Nora Klein", "broker_postal_code=555-0142"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
