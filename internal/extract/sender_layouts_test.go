package extract_test

import "testing"

// TestSenders checks whom the writers of mails work for, as their titles show, and the details of locations in
// lines of labels.
func TestSenders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{
			"the insured writes to its broker", "a.eml", `From: Dana Cole <dcole@birchfarm.example>
To: Rick Moss <rmoss@mossagency.example>
Subject: Our renewal
Content-Type: text/plain

Rick,

Please start the property renewal for Birch Farm Foods Cooperative effective 10/15/2031.

Thanks,
Dana Cole
Controller
Birch Farm Foods Cooperative
14 Elm Street, Salem, OR 97301
503-555-0147`,
			[]string{"company_name=Birch Farm Foods Cooperative", "address=14 Elm Street, Salem, OR 97301", "contact_name=Dana Cole", "broker_contact_points=Rick Moss"},
		},
		{
			"a signature with the numbers of registers", "a.eml", `From: Nora Klein <nora.k@birchrisk.example>
To: property@alderunderwriting.example
Subject: Quote - Fenwick Joinery Pty Ltd
Content-Type: text/plain

Please quote for Fenwick Joinery Pty Ltd. Mailing is PO Box 12, Archerfield QLD 4108. The workshop is at 4 Weaver Street, Salem QLD 4109.

Cheers
Nora Klein
Senior Broker
Birch Risk Advisers Pty Ltd | ABN 12 345 678 901 | AFSL 123456
Level 4, 31 Elm Street, Brisbane QLD 4000
P 07 5550 4417`,
			[]string{"broker_name=Birch Risk Advisers Pty Ltd", "broker_contact_phone=07 5550 4417", "broker_address=Level 4, 31 Elm Street", "broker_postal_code=4000"},
		},
		{
			"a subject that ends the insured's name with a colon, and an Irish postal code in a sentence", "a.txt", `Birch Gale
Gale House, 9 Clarence Row, Bristol BS1 0ZZ

Dear Ms Prosser
Fenwick Furniture Makers Limited: Commercial Combined, renewal 1st January 2027
We act for the above company and have been asked to obtain terms.
Premises: Unit 9, Fenwick Park, Tipperary Road, Cahir, Co. Tipperary, E21 XR40. Concrete block walls, built 2001. No sprinklers.

Yours sincerely

Nora Klein
Birch Gale Ltd`,
			[]string{"company_name=Fenwick Furniture Makers Limited", "risk_country=IE"},
		},
		{
			"the insured writes to its broker, in Dutch", "a.eml", `From: Jan Kwak <j.kwak@kwakmetaal.example>
To: Piet Smit <p.smit@smitadvies.example>
Subject: verlenging brandverzekering
Content-Type: text/plain

Beste Piet,

Hierbij onze opgave voor de verlenging van onze brandverzekering per 1 januari 2031.

Met vriendelijke groet,
Jan Kwak
Financieel directeur
Kwak Metaal B.V.
Havenstraat 12, 3011 AB Rotterdam`,
			[]string{"company_name=Kwak Metaal B.V.", "address=Havenstraat 12, 3011 AB Rotterdam"},
		},
		{
			"an underwriter replies to the broker", "a.eml", `From: Cyber Desk <cyber@armorspecialty.example>
To: Nora Klein <nora.klein@birchbrokers.example>
Subject: RE: New submission - Sorrel Lodges Ltd
Content-Type: text/plain

Thanks Nora, we will come back to you.

Kind regards,
Sam Reed
Senior Underwriter
Armor Specialty

> From: Nora Klein <nora.klein@birchbrokers.example>
> To: Cyber Desk
> Subject: New submission - Sorrel Lodges Ltd
>
> Insured: Sorrel Lodges Ltd
>
> Kind regards,
> Nora Klein
> Birch Brokers Ltd`,
			[]string{"company_name=Sorrel Lodges Ltd", "broker_contact_points=Nora Klein", "broker_email=nora.klein@birchbrokers.example"},
		},
		{
			"a name before its address", "a.txt", `
INSURED: Rose Bakery LLC, 9 Mill Road, Salem, OR 97301
BROKER: Quill Dean LLC, 5 Elm Road, Salem, OR 97302`,
			[]string{"company_name=Rose Bakery LLC", "broker_name=Quill Dean LLC"},
		},
		{
			"the company's name contains that of a big broker", "a.txt", `
1.1 Name(s) of all firms to be insured under this policy
    Ada Marsh Architects LLP

1.2 Principal office address (with postcode)
    The Loft, 22 Strand Hill, Falmouth, Cornwall, TR11 3BD`,
			[]string{"company_name=Ada Marsh Architects LLP"},
		},
		{
			"a contact within a sentence", "a.txt", `
Versicherungsnehmer: Rosen Kunststoff GmbH
Für Rückfragen steht Ihnen Herr Jens Albert (Tel. 069 5550 1420, j.albert@quill-makler.example) gerne zur Verfügung.

Mit freundlichen Grüßen
Quill Assekuranzmakler GmbH`,
			[]string{"broker_contact_points=Jens Albert", "broker_email=j.albert@quill-makler.example"},
		},
		{
			"a package for an underwriter", "a.txt", `
To: Harbour Specialty (attn. Ada Frost, Underwriter)
From: Elmwood Project Risk, Neil Cast <neil@elmwoodrisk.example>, (610) 555-0129

First Named Insured: Loft Development Partners, L.P.`,
			[]string{"broker_name=Elmwood Project Risk", "broker_contact_points=Neil Cast", "broker_email=neil@elmwoodrisk.example"},
		},
		{
			"labels with wide gaps and with a colon", "a.txt", `
APPLICANT...: ROSE BOAT SALES INC
LOC 1   5540 US HIGHWAY 411, CENTRE AL 35960
        BUILDING      950,000   CONTENTS    310,000   CONST: METAL
LOC 2   118 MARINA RD, LEESBURG AL 35983
        BUILDING      225,000   CONTENTS     60,000   CONST: FRAME`,
			[]string{"1.building_value=950,000.00", "1.contents_tiv=310,000.00", "2.building_value=225,000.00", "2.contents_tiv=60,000.00"},
		},
		{
			"thousands of a currency", "a.csv", `Alle Werte in TCHF;;;;;
Nr;Strasse;PLZ;Ort;Gebäude;Einrichtung
1;Bergstrasse 19;9200;Gossau;20400;15100
2;Dorfstrasse 4;9050;Appenzell;15400;4500`,
			[]string{"1.building_value=20,400,000.00", "2.contents_tiv=4,500,000.00"},
		},
		{
			"the standard of sprinklers in a schedule", "a.csv", `
Community,Address,City,State,Zip,NFPA system,Real Property
Oak Row,2100 Elm Rd,Dayton,OH,45402,13R,14200000
Fir Row,510 Mill Rd,Dayton,OH,45402,13,9650000`,
			[]string{"1.location_have_sprinklers=Y", "2.location_have_sprinklers=Y"},
		},
		{
			"the town of the insured's address without its street", "a.csv", `
Proposer;Larch Cider Company Ltd
Trading address;The Old Brewery, Station Road
Town;Ludlow
Postcode;SY8 1AA

Item;Sum insured (£)
Buildings;2,350,000
Stock;740,000`,
			[]string{"1.location_address=The Old Brewery, Station Road", "1.location_postal_code=SY8 1AA"},
		},
	} {
		t.Run(test.name, func(t *testing.T) { wantValues(t, test.file, test.text, test.want, nil) })
	}
}
