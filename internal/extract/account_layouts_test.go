package extract_test

import (
	"testing"
)

// TestAccountLayouts checks values in titles, letterheads, faxes, lists of policies and forms of
// invented documents, as TestLayouts does.
func TestAccountLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a public body in the title of a schedule", "a.txt", `
CITY OF QUILLHAVEN - RISK MANAGEMENT                PAGE 1
SCHEDULE OF INSURED PROPERTY
             MEMBER 12   9 HARBOR ST  QUILLHAVEN WI 54911

Description          Address              City           Zip     Building
Town hall            9 Harbor St          Quillhaven     54911   2,722,005
Library              12 Mill St           Quillhaven     54911   1,484,966`,
			[]string{"company_name=CITY OF QUILLHAVEN", "address=9 HARBOR ST, QUILLHAVEN WI 54911"},
			nil,
		},
		{
			"a title between other cells", "a.csv", "Standortliste;Quell Möbel AG;Stand 30.06.2031\n\nNr.;Straße;PLZ;Ort;Gebäude EUR\n1;Ostring 4;90402;Nürnberg;3.336.000\n2;Am Markt 9;33602;Bielefeld;1.196.000\n",
			[]string{"company_name=Quell Möbel AG"},
			nil,
		},
		{
			"a German letterhead and its signer", "a.txt", `
Quellhof Assekuranzmakler GmbH
Lindenwall 18 · 50670 Köln · Tel. 0221 5550 134 · anfrage@quellhof-makler.example

Köln, den 14. September 2031

Versicherungsnehmer: Hohbach Kunststofftechnik GmbH

Sehr geehrte Damen und Herren,

wir bitten um ein Angebot.

Mit freundlichen Grüßen

Lennart Brügge
Prokurist`,
			[]string{"broker_name=Quellhof Assekuranzmakler GmbH", "broker_address=Lindenwall 18", "broker_city=Köln", "broker_email=anfrage@quellhof-makler.example", "broker_contact_points=Lennart Brügge", "company_name=Hohbach Kunststofftechnik GmbH"},
			nil,
		},
		{
			"a French letterhead in one line", "a.txt", `
Quille Courtage – 9 rue du Port – 56100 Lorient – courtier en assurances

1. LE PROPOSANT
Dénomination : Atelier du Ponant SAS
Dossier suivi par : Maëlle Le Goff`,
			[]string{"broker_name=Quille Courtage", "broker_address=9 rue du Port", "broker_postal_code=56100", "broker_contact_points=Maëlle Le Goff", "company_name=Atelier du Ponant SAS"},
			nil,
		},
		{
			"the sender of a fax", "a.txt", `
TO ......: GRANITE SURPLUS LINES, ATTN V. MOORE
FROM ....: QUILL BAY INSURANCE AGENCY / ADA MARLOW   PH  361-555-0150
RE ......: TALLPINE CRANE & RIGGING LP

    IN BUSINESS ...... 27 YRS (SINCE 2004)
    EMPLS ............ 29 F/T, 0 P/T
    EFF DATE ......... 2-1-31 (12 MOS)`,
			[]string{"broker_name=QUILL BAY INSURANCE AGENCY", "broker_contact_points=ADA MARLOW", "broker_contact_phone=361-555-0150", "company_name=TALLPINE CRANE & RIGGING LP", "year_founded=2004", "total_full_time_employees=29"},
			nil,
		},
		{
			"a list of policies", "a.txt", `
ACCOUNT SUMMARY
Account Name: Quill Creamery, Inc.
POLICIES
Type  Description            Carrier               Policy No    Eff       Exp       Est Prem
PACK  Commercial Package     Granite Mutual        SUBMISSION   11/01/30  11/01/31  96,500.00
PACK  Commercial Package     Coulee Casualty       CPP 98123    11/01/29  11/01/30  104,218.00`,
			[]string{"company_name=Quill Creamery, Inc.", "policy_inception_date=2030-11-01", "end_date=2031-11-01", "estimated_premium=96,500.00", "expiring_premium=104,218.00", "product=Commercial Package"},
			nil,
		},
		{
			"ticked options", "a.txt", `
Named insured: Quill Analytics Ltd
Limit of indemnity required: [ ] £1,000,000   [ ] £2,000,000   [x] £5,000,000
Policy period: 15/12/2031-15/12/2032
Telephone: 01924 555 0100 x203`,
			[]string{"100_pct_limit=5,000,000.00", "policy_inception_date=2031-12-15", "end_date=2032-12-15", "phone_number=01924 555 0100"},
			[]string{"100_pct_limit=1,000,000.00"},
		},
		{
			"labels below labels", "a.html", "<style>.off{display:none}</style><h2>Applicant</h2><dl><dt>Company</dt><dd>Quill Recycling, LLC</dd><dt>Street</dt><dd>2701 Mill Road</dd><dt>City, State ZIP</dt><dd>Dayton, OH 45402</dd><dt>Annual gross revenue</dt><dd>USD 15,620,000 (FYE 6/30/31)</dd></dl><p class=off>sample insured: Acme Test Co</p>",
			[]string{"company_name=Quill Recycling, LLC", "address=2701 Mill Road, Dayton, OH 45402", "annual_revenue=15,620,000.00"},
			nil,
		},
		{
			"covers in the clauses of a memorandum", "a.txt", `
Submission

Applicant

Quill Roofing Co. was established in 1961.

Request

Commercial general liability with limits of $1,000,000 each occurrence; umbrella of $5,000,000 excess. Policy term 12/01/2031-12/01/2032.`,
			[]string{"coverage=Commercial general liability", "coverage=umbrella", "end_date=2032-12-01"},
			nil,
		},
		{
			"a name with a number in a subject, 1", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Submission - 84 Alder Company - eff 07/01/2031\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=84 Alder Company"},
			nil,
		},
		{
			"a name with a number in a subject, 2", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: RE: 360 Juniper Painting LLC\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=360 Juniper Painting LLC"},
			nil,
		},
		{
			"a name with a number in a subject, 3", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Quote request: 3Q Company // GL\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=3Q Company"},
			nil,
		},
		{
			"a name with a number in a subject, 4", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: 2031 Renewal - Quill Foods LLC\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=Quill Foods LLC"},
			nil,
		},
		{
			"a name with a number in a subject, 5", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Renewal 2031 Quill Foods LLC\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=Quill Foods LLC"},
			nil,
		},
		{
			"a name that begins with a word of subjects, 1", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Submission: New Horizons LLC\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=New Horizons LLC"},
			nil,
		},
		{
			"a name that begins with a word of subjects, 2", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Property Solutions LLC - Property Submission\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=Property Solutions LLC"},
			nil,
		},
		{
			"a name that begins with a word of subjects, 3", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: Quote for May Trucking Company\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=May Trucking Company"},
			nil,
		},
		{
			"a name that begins with a word of subjects, 4", "a.eml", "From: Ada Marlow <ada@quillbrokers.example>\nTo: uw@granite.example\nSubject: New Business - Renewal May Quill Foods LLC\n\nHello,\n\nplease see attached. Revenue $4.5 million.\n\nAda Marlow\n",
			[]string{"company_name=Quill Foods LLC"},
			nil,
		},
		{
			"the insured and the broker beside each other", "a.txt", "INSURED                 BROKER\nQuill Foods LLC         Marlow Agency Inc\n12 Mill Street          4 Dock Road\nDayton, OH 45402        Salem, OR 97301\n",
			[]string{"company_name=Quill Foods LLC", "broker_name=Marlow Agency Inc"},
			[]string{"broker_name=Quill Foods LLC Marlow Agency Inc"},
		},
		{
			"a mail whose sender has an unquoted comma", "a.eml", "From: Marlow, Ada <a.marlow@quillbrokers.example>\nTo: uw@granite.example\nSubject: RE-MARKET: Juniper & Vale Homes, Inc. (PL/GL)\nDate: Fri, 02 Apr 2032 16:20:44 -0700\n\nGood afternoon,\n\nplease quote the above. The current program with Tidewater expires on May 15, 2032.\n",
			[]string{"company_name=Juniper & Vale Homes, Inc.", "broker_email=a.marlow@quillbrokers.example", "broker_contact_points=Ada Marlow", "policy_inception_date=2032-05-15"},
			nil,
		},
		{
			"colons in a column of their own, and a loss run", "a.csv", "LOSS RUN REPORT\n\nInsured,:,\"Quill Trucking, Inc.\"\nAddress,:,\"12 Mill Street, Dayton, OH 45402\"\nAgent,:,Marlow Insurance Agency\nAgent phone,:,262-555-0109\n",
			[]string{"company_name=Quill Trucking, Inc.", "address=12 Mill Street, Dayton, OH 45402", "broker_name=Marlow Insurance Agency", "broker_contact_phone=262-555-0109"},
			nil,
		},
		{
			"parties in two columns", "a.csv", "Insured:,\"Quill Landscaping, Inc.\",Agency:,Marlow Insurance Agency Inc\nAddress:,\"325 Mill Pond Rd, Epping, NH 03042\",Agency phone:,603-555-0100\nYear established:,1988,Contact:,Ada Marlow\n",
			[]string{"company_name=Quill Landscaping, Inc.", "address=325 Mill Pond Rd, Epping, NH 03042", "broker_name=Marlow Insurance Agency Inc"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
