package extract_test

import "testing"

// TestLetterDetails checks what letters, mails and forms state about the insured and the broker.
func TestLetterDetails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a letterhead with marks between the details", "a.txt", `
LARCH HALE & ASSOCIATES
Insurance Brokers since 1946
300 Alder Mall, Suite 150 · Sacramento, California 95814 · (916) 555-0153

August 3, 2027

RE: Birch Almond Processors, LLC

Dear Erin:

Birch Almond Processors, LLC was founded in 1979 and packages almonds.

Very truly yours,
Dora M. Hale
`,
			[]string{"broker_contact_phone=(916) 555-0153", "broker_postal_code=95814", "year_founded=1979"},
			nil,
		},
		{
			"an office that is also the trading address", "a.txt", `
Dear Sirs

The Larch Hotel Group Limited

We act for the above. The client's registered office and trading address is The Larch Hotel, Esplanade, Scarborough, North Yorkshire YO11 2AA (www.larchhotels.co.uk). A second hotel, The Alder Lodge, 12 Alder Road, York YO10 4BE, was bought in 2018.

Yours faithfully
`,
			[]string{"address=The Larch Hotel, Esplanade, Scarborough, North Yorkshire YO11 2AA"},
			nil,
		},
		{
			"the years of a period at the end of a sentence", "a.txt", `
SOV attached for Larch Veterinary Clinics, PLLC. Please quote property only, 8/1/27-28. We have the GL elsewhere.
`,
			[]string{"policy_inception_date=2027-08-01", "end_date=2028-08-01"},
			nil,
		},
		{
			"when the business commenced", "a.csv", `
Name of Insured,Larch Realty Pty Ltd,Date commenced,14 Feb 2009
From,30 September 2027,To,30 September 2028
`,
			[]string{"year_founded=2009", "policy_inception_date=2027-09-30"},
			nil,
		},
		{
			"an invoice", "a.txt", `
INVOICE

Invoice no.    LS-118
Description    Site surveys, June 2027
Please pay by BACS to Larch Survey Services Ltd, sort code 00-00-00.
`,
			nil,
			[]string{"company_name"},
		},
		{
			"a county beside an address", "a.csv", `
1. Applicant:,"Larch Care Center, Inc.",2. Date:,"February 25, 2027"
3. Facility address:,"142 Alder Mill Road, Tupelo, Mississippi 38804",4. County:,Lee
5. Licensed beds:,120,6. Year founded:,1991
`,
			[]string{"address=142 Alder Mill Road, Tupelo, Mississippi 38804"},
			[]string{"state=Lee"},
		},
		{
			"who compiled a schedule", "a.csv", `
Client,Larch County School District
Main office,"251 Ball Park Rd, Harlan, KY 40831"
Compiled by,"Alder Public Entity Brokers, s.noe@alderpeb.com"
`,
			[]string{"broker_name=Alder Public Entity Brokers", "broker_email=s.noe@alderpeb.com"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
