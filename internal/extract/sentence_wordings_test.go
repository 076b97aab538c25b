package extract_test

import "testing"

// TestSentenceWordings checks the values that are read from sentences of letters and mails, in wordings from which it is
// easy to read a wrong value. A wanted or unwanted value is written as field=value.
func TestSentenceWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text     string
		want, unwanted []string
	}{
		{
			"the beginning of twelve months", `
Insured: Larch Tiles Limited. We look for terms for 12 months from 1st December 2027.`,
			[]string{"policy_inception_date=2027-12-01"},
			nil,
		},
		{
			"a premium that the broker considers achievable", `
Insured: Larch Cranes Limited. The renewal terms from the existing insurer came in at €71,000. We feel €62,000 is achievable.`,
			[]string{"estimated_premium=62,000.00"},
			nil,
		},
		{
			"a premium at which the account can be moved", `
Insured: Larch Drinks Co. The expiring umbrella is with Alder Mutual at an annual premium of $97,000. For the right terms the account can be moved at $88,500.`,
			[]string{"estimated_premium=88,500.00"},
			nil,
		},
		{
			"revenue that came in at an amount", `
Larch Realty LLC is a landlord in Ohio. Gross rents for 2031 came in at $615,000. Our target premium is $16,000 for the package.`,
			[]string{"annual_revenue=615,000.00", "estimated_premium=16,000.00"},
			nil,
		},
		{
			"the year since which a firm has been in business", `
Named insured: Larch Propane Co.
Years in business: since 1983`,
			[]string{"year_founded=1983"},
			[]string{"year_in_business"},
		},
		{
			"a title that fills a line", `
PROPOSTA - QUESTIONARIO
Assicurazione della Responsabilità Civile Professionale - Studi associati di geometri
Compagnia Larice di Assicurazioni S.p.A. - Via Borgo 5, 22100 Como

Denominazione: Geometri Larici S.r.l.`,
			[]string{"product=Responsabilità Civile Professionale"},
			nil,
		},
		{
			"a premium at which an insurer is asked to lead", `
Insured: Larch Coffee Ltd
Premium - we'd like you to lead at GBP 118,000 for 100%, a saving of about 5% on expiring (GBP 124,250)`,
			[]string{"estimated_premium=118,000.00"},
			nil,
		},
		{
			"rents of a housing association", `
Versicherungsnehmer: Larch Wohnbau eG
Die Genossenschaft besteht seit 1949; die Mieteinnahmen beliefen sich 2025 auf 3.140.000 €.`,
			[]string{"annual_revenue=3,140,000.00"},
			nil,
		},
		{
			"the end of a term whose beginning stands elsewhere", `
Insured: Larch Cabinets, Inc. Commercial package effective July 15, 2027.
The policy term would be one year, to July 15, 2028.`,
			[]string{"policy_inception_date=2027-07-15", "end_date=2028-07-15"},
			nil,
		},
		{
			"the day on which the current policy ends", `
Insured: Larch Brewing Inc. The current policy with Quill Mutual expires June 1, 2027. Renewal offered at $31,900. Client would move at $28,500.`,
			[]string{"policy_inception_date=2027-06-01", "estimated_premium=28,500.00"},
			[]string{"estimated_premium=31,900.00"},
		},
		{
			"a premium behind an abbreviation with full stops", `
Insured: Larch Boats LLC. They got $742,000 at expiry. My order is at 5% off, i.e. $704,900.`,
			[]string{"estimated_premium=704,900.00"},
			nil,
		},
		{
			"a year before a word that begins like a unit", `
Insured: Larch Software, Inc. Revenue $14.2 million for FY2026 (2027 budget 17 million).`,
			[]string{"annual_revenue=14,200,000.00"},
			nil,
		},
		{
			"revenue of a year whose last day begins with its month", `
Insured: Larch Cabinets, Inc. Sales for the fiscal year ended March 31, 2027 came to $7,215,000, up from $6,740,000.`,
			[]string{"annual_revenue=7,215,000.00"},
			nil,
		},
		{
			"revenue in lines of which the first has the label", `
Dear Underwriters,

  Firm ............... Larch Finch Architects LLP
  Fee income ......... 2024/25  £2,410,000
                       2025/26  £2,655,000
                       2026/27  £2,890,000 (last complete year, to 31 March 2027)
                       2027/28  £3,050,000 (estimate)
  Limit .............. £5,000,000 any one claim`,
			[]string{"annual_revenue=2,890,000.00", "company_name=Larch Finch Architects LLP"},
			[]string{"insurer"},
		},
		{
			"a direction behind a street is no legal form", `
1. Garaging is all at the main terminal, 2750 Larch Ave SE, Atlanta, GA 30315. No other terminals.
2. The trucks stay at 2750 Larch Ave SE overnight.`,
			nil,
			[]string{"company_name"},
		},
		{
			"a trading name between a name and its address", `
I have a restaurant for you. It's

Larch Tavern LLC
dba The Larch
2907 Birch Ave SE
Albuquerque NM 87106`,
			[]string{"company_name=Larch Tavern LLC", "address=2907 Birch Ave SE, Albuquerque NM 87106"},
			nil,
		},
		{
			"two legal forms with full stops", `
Re: Hull and P&I, Larch Offshore Supply Co., L.L.C.`,
			[]string{"company_name=Larch Offshore Supply Co., L.L.C."},
			nil,
		},
		{
			"a school that was chartered", `
Insured: Larch Academies Inc. It was chartered in 2008 and has 118 employees.`,
			[]string{"year_founded=2008"},
			nil,
		},
		{
			"the declared value of buildings, abbreviated", `
Proposer: Larch Estates Ltd

A. 14 Bridge Street, Wakefield WF1 3AF – offices – BDV £2,150,000 – loss of rent £310,000
B. 7 Quill Road, Halifax HX1 2AF – offices – BDV £1,275,000 – loss of rent £250,000`,
			[]string{"1.building_value=2,150,000.00", "2.building_value=1,275,000.00"},
			nil,
		},
		{
			"the date of a rule for all policies", `
Effective March 1, 2027 for new business and April 1, 2027 for renewals, the minimum hail deductible for commercial property risks will be 2%.`,
			nil,
			[]string{"policy_inception_date"},
		},
		{
			"the date of an invoice", `
ALDER PREMIUM FINANCE

Invoice no.: 88-1
Due date: 10/15/2026
Amount due: $3,100.00`,
			nil,
			[]string{"policy_inception_date", "company_name"},
		},
		{
			"sprinklers at one location only", `
Versicherungsnehmer: Larch Drahtwerk GmbH

Versicherungssummen
Risikoort 1: Industriestraße 7, 76437 Rastatt
  Gebäude 9.400.000 EUR / Einrichtung 2.750.000 EUR
Risikoort 2: Lindenweg 12, 76461 Muggensturm (Lager)
  Gebäude 2.100.000 EUR / Einrichtung 350.000 EUR

Beide Gebäude massiv gebaut; Sprinkleranlage nur am Risikoort 1.`,
			[]string{"1.location_have_sprinklers=Y", "2.location_have_sprinklers=N"},
			nil,
		},
		{
			"the type of a submission", `
type: Renewal
insured: Larch Ltd
effective: 2027-03-01`,
			[]string{"company_name=Larch Ltd"},
			[]string{"product"},
		},
		{
			"a premium that the board asks for", `
Insured: Larch Biologics Corporation. Expiring total premium $92,300. Board has asked us to hold it flat, so call it $92,000 as the target.`,
			[]string{"estimated_premium=92,000.00"},
			[]string{"estimated_premium=92,300.00"},
		},
		{
			"premiums without a currency", `
Insured: Larch Excavating Co. Expiring with Alder Mutual, annual premium 9,875. Trying to save them a little: 8,900 would do it. 2022 vandalism claim $6,630.`,
			[]string{"estimated_premium=8,900.00"},
			nil,
		},
		{
			"a premium at which the broker promises an order", `
Insured: Larch Nursery Inc. Currently with Alder Mutual, $24,118 annual. If you can get to 21,500 I can write it today!`,
			[]string{"estimated_premium=21,500.00", "expiring_premium=24,118.00"},
			nil,
		},
		{
			"a base premium", `
Insured: Larch Smallgoods Pty Ltd. Excess $1,000 all sections. Target base premium $28,500. Holding insurer: Alder Mutual, expiring base premium $30,260.30.`,
			[]string{"estimated_premium=28,500.00"},
			nil,
		},
		{
			"a maximum for each shipment", `
Verzekerde: Lariks Bloemen B.V. Dekking maximaal € 250.000 per zending. De nieuwe polis dient in te gaan per 1 april 2027 en te lopen tot 1 april 2028. Als richtpremie is € 19.750 met de klant besproken.`,
			[]string{"estimated_premium=19,750.00", "policy_inception_date=2027-04-01", "end_date=2028-04-01"},
			nil,
		},
		{
			"the end of the expiring policy, and no other date", `
Insured: Larch Tiles Limited. The policy expires on 1 December 2027, and we would like your terms.`,
			[]string{"policy_inception_date=2027-12-01"},
			[]string{"end_date=2027-12-01"},
		},
		{
			"the end of the expiring policy, in Spanish", `
Tomador: Alerces Altos, S.L. La póliza actual vence el 1 de diciembre de 2027.`,
			[]string{"policy_inception_date=2027-12-01"},
			[]string{"end_date=2027-12-01"},
		},
		{
			"abbreviations and a date without separators", `
Insured: Larch Tiles Limited. Cover is wanted w.e.f. 01DEC2027.`,
			[]string{"policy_inception_date=2027-12-01"},
			nil,
		},
		{
			"an underwriter below a heading, and amounts after their year", `
Insured: Larch Tiles LLC

Policy Information
Underwriter: John Smith
Total Payroll: 2025: $4,500,000
Target Premium: 2025: $45,000`,
			[]string{"underwriter=John Smith", "annual_payroll=4,500,000.00", "estimated_premium=45,000.00"},
			[]string{"underwriter=Policy Information"},
		},
		{
			"a name before a slash", `
From: Nora Klein <nklein@birchins.example>
Subject: FW: Larch Tiles LLC / GL quote needed

Please quote.`,
			[]string{"company_name=Larch Tiles LLC"},
			nil,
		},
		{
			"a broker with a label below a heading", `
Insured Information
Name: Larch Tiles LLC

Broker Information
Name: Birch Insurance Brokers`,
			[]string{"company_name=Larch Tiles LLC", "broker_name=Birch Insurance Brokers"},
			[]string{"broker_name=Name: Birch Insurance Brokers"},
		},
		{
			"the end of the requested policy", `
Insured: Larch Tiles Limited. We need cover until 1 December 2027.`,
			[]string{"end_date=2027-12-01"},
			[]string{"policy_inception_date=2027-12-01"},
		},
		{
			"the end of a project", `
Insured: Larch Tiles Limited. The construction project expires on 1 December 2027.`,
			nil,
			[]string{"policy_inception_date=2027-12-01"},
		},
		{
			"a wish that is not for a premium", `
Insured: Larch Tiles Limited

He hopes to finish the new kitchen at around $85,000.`,
			nil,
			[]string{"estimated_premium=85,000.00"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, "a.txt", test.text, test.want, test.unwanted)
		})
	}
}
