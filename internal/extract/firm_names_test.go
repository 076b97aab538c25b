package extract_test

import "testing"

// TestFirmNames checks the names of brokers and insureds beside persons, labels and insurers. A wanted or unwanted value
// is written as field=value.
func TestFirmNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a person after the broker's name", "a.txt", `
Applicant: Larch Freight, Inc.
Agent or broker: Quill Bay Insurance, LLC, attn. Nora Klein, (251) 555-0199, nora@quillbay.example
`,
			[]string{"broker_name=Quill Bay Insurance, LLC", "broker_contact_points=Nora Klein", "broker_email=nora@quillbay.example"},
			nil,
		},
		{
			"a producing firm and its contact", "a.txt", `
OAKEN SPECIALTY - SUBMISSION

Insured: Larch Cabinets, LLC
Producing firm: Quill Insurance Center
Producer: Nora Klein
Producer phone: 970-555-0199
`,
			[]string{"broker_name=Quill Insurance Center", "company_name=Larch Cabinets, LLC"},
			nil,
		},
		{
			"a name that begins with a label", "a.txt", `
Tomador: Alerces Altos, S.L.

Mediador

Correduría de Seguros Pinar, S.A.
`,
			[]string{"broker_name=Correduría de Seguros Pinar, S.A.", "company_name=Alerces Altos, S.L."},
			[]string{"broker_name=Pinar, S.A."},
		},
		{
			"a letter that asks an insurer for an offer for the insured", "a.txt", `
Kiefern Sachversicherung AG
Industriekunden
Wallring 3
30159 Hannover

Sehr geehrte Frau Quandt,

für die Bau- und Wohnverein Lärche eG, Breite Straße 7, 25524 Itzehoe, bitten wir um Ihr Angebot zur Gebäudeversicherung.
`,
			[]string{"company_name=Bau- und Wohnverein Lärche eG"},
			[]string{"company_name=Kiefern Sachversicherung AG"},
		},
		{
			"documents that are for the insured, and what the insured is", "a.txt", `
Hi team,

Attached please find the ACORDs, Loss Runs and SOV for Larch Brewing Co., a craft brewery in Salem.`,
			[]string{"company_name=Larch Brewing Co."},
			[]string{"company_name=Loss Runs and SOV for Larch Brewing Co."},
		},
		{
			"the contact's own email address, beside a colleague's", "a.txt", `
OUR TEAM
Nora Klein
Principal
nklein@birchins.example

Marcus Erle
Account manager
merle@birchins.example

RE: Larch Brewing Co. - package renewal

Thank you for looking at this risk.

Regards,
Nora Klein
Birch Insurance Partners LLC
(937) 555-0142`,
			[]string{"broker_contact_points=Nora Klein", "broker_email=nklein@birchins.example"},
			[]string{"broker_email=merle@birchins.example"},
		},
		{
			"a signature in one line, with labels", "a.txt", `
Good morning,
I have a new account for you: Larch Cabinets LLC in Salem, Oregon.
Could you quote GL and property?
Nora Klein | Account Executive | Birch Insurance | o: 937.555.0142 | nklein@birchins.example`,
			[]string{"broker_contact_points=Nora Klein", "broker_name=Birch Insurance", "broker_email=nklein@birchins.example", "broker_contact_phone=937.555.0142"},
			[]string{"broker_contact_points=Birch Insurance"},
		},
		{
			"a signature below a sentence, without a closing line", "a.txt", `
Subject: Larch Cabinets LLC - renewal 3/1/27

Please quote the attached. The renewal is March 1.

Nora Klein, CPCU
Birch Insurance Agency, Inc.
100 Main St, Dayton, OH 45402
Direct 937-555-0142`,
			[]string{"company_name=Larch Cabinets LLC", "broker_contact_points=Nora Klein", "broker_name=Birch Insurance Agency, Inc."},
			nil,
		},
		{
			"a label below a title", "a.txt", `
STATEMENT OF VALUES

Named Insured: Larch Cabinets LLC
Location Address: 12 Mill Street, Springfield, IL 62701
Broker - Birch Insurance Agency`,
			[]string{"company_name=Larch Cabinets LLC", "broker_name=Birch Insurance Agency"},
			[]string{"company_name=Named Insured: Larch Cabinets LLC", "broker_name=Broker - Birch Insurance Agency", "address=Location Address: 12 Mill Street, Springfield, IL 62701"},
		},
		{
			"another firm below a title", "a.txt", `
STATEMENT OF VALUES
Lender: First Alder Bank Corp
Company: Larch Bakery`,
			nil,
			[]string{"company_name=Lender: First Alder Bank Corp"},
		},
		{
			"a year in the name", "a.txt", "Subject: Fleet - Larch Gravel & Haulage (2014) Ltd. - renewal\n\nLarch Gravel & Haulage (2014) Ltd. runs 34 trucks.",
			[]string{"company_name=Larch Gravel & Haulage (2014) Ltd."},
			nil,
		},
		{
			"a trustee", "a.txt", "The Insured: Larch Orchards Pty Ltd (ACN 123 456 789) as trustee for the Larch Family Trust\nBusiness: apples",
			[]string{"company_name=Larch Orchards Pty Ltd"},
			nil,
		},
		{
			"labels and types that look like names of companies", "a.txt", `
Name of Organization: Larch Hospice Foundation
Year Incorporated: 1991
Form of Business: Service Corporation`,
			[]string{"company_name=Larch Hospice Foundation"},
			[]string{"company_name=Year Incorporated", "company_name=Service Corporation"},
		},
		{
			"the broker's address below the name of the insured", "a.txt", `
Insured: Larch Bakery LLC
Broker Address: 99 Dock Street, Boston, MA 02110
Broker: Birch Insurance Brokers`,
			[]string{"company_name=Larch Bakery LLC", "broker_address=99 Dock Street"},
			[]string{"address=Broker Address: 99 Dock Street, Boston, MA 02110"},
		},
		{
			"a number below a name", "a.txt", "Larch Metal Works LLC\nAccount No. 12345\n",
			nil,
			[]string{"address=Account No. 12345"},
		},
		{
			"a type of company beside its label, and a heading below", "a.txt", `
Insured: Larch Bakery
Address: 12 Mill Street, Springfield, IL 62701
Entity Type:  LLC

Policy Information
Effective Date: 07/01/2026`,
			[]string{"legal_entity_type=LLC"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
