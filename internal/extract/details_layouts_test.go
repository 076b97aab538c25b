package extract_test

import "testing"

// TestDetailsLayouts checks the dates of the policy and the details of the parties in further layouts and wordings.
func TestDetailsLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a period with times", "a.txt", "Insured: Larch Fresh Produce Pty Ltd\nQuote slip for packing sheds. Policy period 4pm 30 June 2027 to 4pm 30 June 2028.\n",
			[]string{"policy_inception_date=2027-06-30", "end_date=2028-06-30"},
			nil,
		},
		{
			"the end of the period with its label", "a.csv", "Policyholder,Larch Golf Club Limited\nRenewal date,2027-03-25\nPeriod ends,2028-03-24\n",
			[]string{"policy_inception_date=2027-03-25", "end_date=2028-03-24"},
			nil,
		},
		{
			"a telephone number in a sentence", "a.eml", "From: Ada Farr <afarr@birchrisk.example>\nTo: fleet@alder.example\nSubject: Larch Haulage DAC - renewal\n\nHi Una,\n\nRenewal info for Larch Haulage DAC.\nAny questions, just ring me on 01 555 0173.\n\nRgds,\nAda Farr\nBirch Risk Solutions Ltd\n",
			[]string{"broker_contact_phone=01 555 0173"},
			nil,
		},
		{
			"a licence number that is not a telephone number", "a.eml", "From: Ada Farr <a.farr@berkadvies.example>\nTo: acceptatie@els.example\nSubject: Offerteaanvraag Lariks B.V.\n\nVerzekeringnemer: Lariks B.V.\n\nMet vriendelijke groet,\n\nAda Farr\nBerk Advies B.V.\nT 070 - 555 01 64\na.farr@berkadvies.example | Kifid 300.000000\n",
			[]string{"broker_contact_phone=070 - 555 01 64"},
			nil,
		},
		{
			"the underwriter of a submission", "a.eml", "From: Ada Farr <ada@birch.example>\nTo: intake@alder.example\nSubject: WC submission\n\nPlease set up, thanks. Underwriter is going to be Una Jimenez on this one.\nNamed insured: Larch Home Health LLC\n",
			[]string{"underwriter=Una Jimenez"},
			nil,
		},
		{
			"the address for correspondence", "a.csv", "Policyholder:,Larch Estates Ltd\nCorrespondence:,\"4 Mill Lane, Bath, BA1 1ZZ\"\nClass:,Property Owners\n",
			[]string{"address=4 Mill Lane, Bath, BA1 1ZZ"},
			nil,
		},
		{
			"the budget of a customer", "a.html", `<h2>Business</h2><div><span class="k">Legal entity</span><span>Larch Tree Care, Inc.</span></div><div><span class="k">Customer's budget</span><span>$20,500</span></div>`,
			[]string{"company_name=Larch Tree Care, Inc.", "estimated_premium=20,500.00"},
			nil,
		},
		{
			"lines of business with their limits after gaps", "a.txt", "Named Ins:  Larch Stampings, Inc.\nLines needed:\n  General Liability   1M occ / 2M agg, 2,500 ded\n  Property            bldg 4.1M, BPP 2.85M - special form\n  Umbrella            5M over the GL (auto placed elsewhere)\n",
			[]string{"product=General Liability", "product=Property", "product=Umbrella"},
			nil,
		},
		{
			"a line of business before the insured in a subject", "a.eml", "From: Ada Farr <ada@bouleau.example>\nTo: flottes@aulne.example\nSubject: Demande de tarif - flotte automobile Transports Mélèze SARL - effet 01/02/2027\n\nAssuré : Transports Mélèze SARL\n",
			[]string{"product=Flotte Automobile"},
			nil,
		},
		{
			"sentences in a narrow column", "a.txt", "Re: Larch Pile Driving, Inc.\n\nLarch Pile Driving, Inc. has built piers\nthroughout the bay and is located at 1450\nMill Loop, Chesapeake, VA 23323. With this\nyear's results we need the lead and excess at a combined\n$190,000 in order to keep the account.\n",
			[]string{"address=1450 Mill Loop, Chesapeake, VA 23323", "estimated_premium=190,000.00"},
			nil,
		},
		{
			"the insured after the title, and sales with a grand total", "a.html", "<p>Account Summary: Larch Cantinas LLC</p><p>DBA: Larch Cantina</p><p>Mail: 66 Mill Street, Albuquerque, NM 87110</p><h2>SALES (12 MOS)</h2><table><tr><td></td><td>Food</td><td>Alcohol</td><td>Total</td></tr><tr><td>Loc 1</td><td>1,640,000</td><td>410,000</td><td>2,050,000</td></tr><tr><td>Loc 2</td><td>1,205,000</td><td>280,000</td><td>1,485,000</td></tr><tr><td>All</td><td>2,845,000</td><td>690,000</td><td>3,535,000</td></tr></table>",
			[]string{"company_name=Larch Cantinas LLC", "annual_revenue=3,535,000.00", "address=66 Mill Street, Albuquerque, NM 87110"},
			nil,
		},
		{
			"columns of labels above their values", "a.html", "<table><tr><td>Insured name</td><td>Agency</td><td>Effective date</td></tr><tr><td>Larch Crane LLC</td><td>Birch Insurance Agency</td><td>12/31/2026</td></tr><tr><td>Mailing address</td><td>Email</td><td>Expiration date</td></tr><tr><td>612 Mill Street</td><td>ada@birchins.example</td><td>12/31/2027</td></tr><tr><td>Albuquerque, NM 87107</td><td>Phone</td><td>Billing</td></tr><tr><td>Year started</td><td>505-555-0127</td><td>Agency bill</td></tr><tr><td>2009</td><td>Producer code</td><td>Indicated premium</td></tr><tr><td>Gross receipts (next 12 mo.)</td><td>QB-2207</td><td>$63,215.00</td></tr><tr><td>$7,900,000</td><td>Commission</td><td></td></tr></table>",
			[]string{"company_name=Larch Crane LLC", "address=612 Mill Street, Albuquerque, NM 87107", "year_founded=2009", "annual_revenue=7,900,000.00", "broker_contact_phone=505-555-0127", "policy_inception_date=2026-12-31", "end_date=2027-12-31", "estimated_premium=63,215.00"},
			nil,
		},
		{
			"a question with a hint in brackets", "a.csv", "Question,Answer\nWhat is the full name of the organization applying?,Larch Title Company\n\"Where is your headquarters? (street, city, state, zip)\",\"20 Mill Road, Spokane, WA 99201\"\n",
			[]string{"address=20 Mill Road, Spokane, WA 99201"},
			nil,
		},
		{
			"the state of locations beside their suburb", "a.csv", "Address,Suburb / State,Postcode,Walls,Building,Contents\n2 Mill Street,Geelong VIC,3220,Brick,500000,270000\n9 Oak Road,Coburg VIC,3058,Brick,400000,290000\n",
			[]string{"1.location_state=VIC", "1.location_city=Geelong"},
			nil,
		},
		{
			"the insured before the start in a subject", "a.eml", "From: Ada Farr <a.farr@birke-makler.example>\nTo: gewerbe@kiefer.example\nSubject: Deckungsanfrage Betriebshaftpflicht – Metallbau Lärche GmbH, Beginn 01.01.2027\n\nwir bitten um ein Angebot:\n\nMetallbau Lärche GmbH\nHafenstraße 27\n24937 Flensburg\n",
			[]string{"company_name=Metallbau Lärche GmbH", "address=Hafenstraße 27, 24937 Flensburg"},
			nil,
		},
		{
			"the abbreviations of a German enquiry", "a.txt", "Makler: Birke & Partner Versicherungsmakler mbB\nVN ist die Lärche Medizintechnik GmbH, Benzstraße 9, 78532 Tuttlingen (gegr. 2003, 210 Beschäftigte).\n",
			[]string{"company_name=Lärche Medizintechnik GmbH", "year_founded=2003"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
