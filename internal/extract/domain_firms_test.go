package extract_test

import "testing"

// TestFirmByDomain checks the names of brokers that only the domain of an email address shows.
func TestFirmByDomain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"in a cell below a table", "a.csv", `
Client:,Larch Tool & Rental Corp.
Address:,"1105 Commerce Rd, Staunton, VA 24401"
Umbrella,"$5,000,000"

"Alder Ridge Commercial Insurance, Inc."
"Ada Farr, (540) 555-0151, ada@alderridgecomm.example"
`,
			[]string{"broker_name=Alder Ridge Commercial Insurance, Inc.", "broker_email=ada@alderridgecomm.example", "broker_contact_phone=(540) 555-0151"},
			nil,
		},
		{
			"beside a label of a slip", "a.txt", `
FROM:      Birchgate Binders Ltd, 3 Mill Passage, London EC2V 9ZZ
           Ada Farr / 020 7946 0728 / afarr@birchgatebinders.example
ASSURED:   Larch Student Living plc
CLASS:     Terrorism
`,
			[]string{"broker_name=Birchgate Binders Ltd", "broker_email=afarr@birchgatebinders.example", "broker_contact_phone=020 7946 0728"},
			nil,
		},
		{
			"between a person and an address", "a.txt", `
Larch Scaffold & Access, LLC
General Liability, effective March 15, 2027

Contact
Ada Farr, Farr & Birch Risk Placement, 3500 Canal Tower, Baton Rouge, LA 70801
afarr@farrbirch.example
`,
			[]string{"broker_name=Farr & Birch Risk Placement", "broker_email=afarr@farrbirch.example"},
			nil,
		},
		{
			"after the caller's name", "a.txt", `
Caller: Ada Farr @ Birch Bay Agency, 989-555-0168, ada@birchbayagency.example
Applicant is Larch Property Inspectors Inc, mailing 503 Center Ave, Bay City MI 48708.
GL 1M/2M
`,
			[]string{"broker_name=Birch Bay Agency", "broker_email=ada@birchbayagency.example"},
			nil,
		},
		{
			"in a letterhead that is a cell", "a.html", `
<table><tr><td>ALDERSIDE INSURANCES LTD<br>14 Henry Street, Limerick | Tel 061 555 017<br>car@alderside.example</td></tr></table>
<p>Proposer: Larch Civil Works Limited</p><p>Annual turnover: €8,600,000</p>
`,
			[]string{"broker_name=ALDERSIDE INSURANCES LTD", "broker_email=car@alderside.example"},
			nil,
		},
		{
			"to which the form is sent", "a.txt", `
Alder Specialty - Application
Please return the form to apps@alderspecialty.example

Applicant: Larch Property Inspectors Inc
Limit: $1,000,000
`,
			nil,
			[]string{"broker_name", "broker_email"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
