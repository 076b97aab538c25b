package extract_test

import "testing"

// TestContactsLayouts checks the details of the insured and the broker in lines, panels and questionnaires in which they are
// easily mistaken for each other.
func TestContactsLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"the insured's address beside the producer's details", "a.csv", `
,ACCOUNT INFORMATION,,,,
,Named insured,Larch Ridge Self Storage LLC,,Producer,Alder Specialty Agency
,DBA,LarchRight,,Contact,Ada Quill
,Mailing street,PO Box 7714,,Phone,(406) 555-0149
,Mailing city,Bozeman,,E-mail,ada@alderspecialty.example
,Mailing state,MT,,Effective date,2027-03-01
,Mailing zip,59771,,Expiration date,2028-03-01
,Entity,LLC,,Lines requested,"Package: Property, General Liability, Crime"
`,
			[]string{"city=Bozeman", "state=MT", "postal_code=59771", "broker_email=ada@alderspecialty.example", "product=Package", "coverage=Property", "coverage=Crime"},
			[]string{"broker_city=Bozeman", "coverage=Package"},
		},
		{
			"an address in a paragraph of its own below the insured", "a.html", `
<p>Insured: Larch Excavating Co.</p><p>PO Box 1190, Cody, WY 82414</p><p>Effective: 03/15/2027 - 03/15/2028</p>
<p>Equipment is kept at the yard at 88 Alder Hwy when not on jobs.</p>`,
			[]string{"address=PO Box 1190, Cody, WY 82414"},
			nil,
		},
		{
			"an address before a sentence about a lender", "a.txt", `
Larch Terrace Communities LLC

Values include 4% trend. Insured mailing address: 600 Larch Center, Suite 1210, Seattle, WA 98101. Lender schedule available on request.`,
			[]string{"address=600 Larch Center, Suite 1210, Seattle, WA 98101"},
			nil,
		},
		{
			"the broker's details between dashes", "a.txt", `
Client : Mélèze Imprimerie SARL

Votre contact

Courtage Aulnois – Bérénice Chatel – 01 99 00 58 12 – b.chatel@aulnois.example – 3 place de l'Église, 95760 Aulnois`,
			[]string{"broker_contact_phone=01 99 00 58 12", "broker_email=b.chatel@aulnois.example", "broker_name=Courtage Aulnois"},
			nil,
		},
		{
			"an Italian broker below a heading", "a.html", `
<table><tr><td>Contraente</td><td>Studio Tecnico Larice &amp; Associati</td></tr>
<tr><td>Indirizzo</td><td>Corso Garibaldi 77, 37121 Verona</td></tr></table>
<p>Intermediario</p>
<p>Studio Assicurativo Pino S.n.c. – Via Verdi 9, 37129 Verona<br>Referente: Ada Pino, tel. 045 555 0166, a.pino@studiopino.example</p>`,
			[]string{"company_name=Studio Tecnico Larice & Associati", "broker_name=Studio Assicurativo Pino S.n.c.", "broker_contact_phone=045 555 0166", "broker_email=a.pino@studiopino.example"},
			nil,
		},
		{
			"an agent in one line of a questionnaire", "a.txt", `
Workers' Compensation Questionnaire

1. What is the legal name of the employer?
Larch Precast & Block, Inc.

2. What dates of coverage are you looking for?
4/15/2027 through 4/15/2028

3. Who is your current carrier and what do you pay?
Alder State Casualty - $138,215

4. Limits of Employers Liability
$1,000,000 / $1,000,000 / $1,000,000

5. Agent name, agency, phone and e-mail
Luis Quill, Alder Desert Insurors, 520-555-0173, lquill@alderdesert.example`,
			[]string{
				"policy_inception_date=2027-04-15", "end_date=2028-04-15", "coverage=Employers Liability", "broker_name=Alder Desert Insurors",
				"broker_contact_phone=520-555-0173", "broker_email=lquill@alderdesert.example",
			},
			[]string{"coverage=4/15/2027 through 4/15/2028", "coverage=Alder State Casualty"},
		},
		{
			"numbers of a bank and a tax office in the footer", "a.txt", `
Versicherungskontor Lärche
Inh. Jan Lärche e. K.
Deichstraße 88 · 20459 Hamburg
Telefon 040 66969-217 · Telefax 040 66969-218

Anfrage Gebäudeversicherung

Interessent: Kiefer Fruchtsäfte GmbH, Marschweg 5, 21720 Steinkirchen

Mit freundlichen Grüßen

Jan Lärche

Bankverbindung: Hansebank · IBAN DE00 0000 0000 0000 0000 00 · USt-IdNr. DE000000000`,
			[]string{"broker_contact_phone=040 66969-217"},
			nil,
		},
		{
			"underlying policies of an umbrella", "a.html", `
<p>Re: Larch Parks, Inc. – $10,000,000 Umbrella</p>
<p>INSURANCE SINCE 1931</p>
<p>The underlying program is as follows:</p>
<table><tr><td>Line</td><td>Carrier</td><td>Limits</td></tr>
<tr><td>General Liability</td><td>Alder Casualty</td><td>$1M / $2M / $2M</td></tr>
<tr><td>Business Auto</td><td>Alder Casualty</td><td>$1M CSL</td></tr></table>
<p>We are seeking $10 million Commercial Umbrella following form over all lines, with a $10,000 self-insured retention.</p>`,
			[]string{"coverage=Commercial Umbrella", "product=Umbrella"},
			[]string{"coverage=Business Auto", "year_founded=1931"},
		},
		{
			"split limits after the name of a cover", "a.txt", `
Could you quote work comp for Larch Nursery Inc? Eff date 1/1/27 - 1/1/28. Employers Liability 500/500/500. Mod is .88 eff 1/1/27.`,
			[]string{"coverage=Employers Liability"},
			nil,
		},
		{
			"revenue of years whose end is stated", "a.txt", `
Insured: Larch & Pine Architects LLP

Fee income year to 31 March 2024: £2,164,000
Fee income year to 31 March 2025: £2,390,500
Fee income year to 31 March 2026: £2,612,000
Estimate current year: £2,750,000`,
			[]string{"annual_revenue=2,612,000.00"},
			nil,
		},
		{
			"revenue of a French business year", "a.txt", `
Nous vous consultons pour Mélèze Conseil SAS. Le chiffre d'affaires du dernier exercice clos au 30/06/2026 s'élève à 7 240 000 €, contre 6 815 000 € l'an dernier.`,
			[]string{"annual_revenue=7,240,000.00"},
			nil,
		},
		{
			"the year since which an employee has been on staff", "a.txt", `
Insured: Larch Senior Living Group, LLC

Operates three communities; organized as a Florida LLC in 2008

HR director on staff since 2017`,
			[]string{"year_founded=2008"},
			nil,
		},
		{
			"the sender's firm in a footer", "a.txt", `
Submitted by: Kyle Quill, kquill@larchstarcr.example, 214-555-0156.

First Named Insured: Brazos Hospitality Partners, LP

Larchstar Construction Risk  |  2400 Turtle Bend Dr, Suite 900, Dallas TX 75219`,
			[]string{"broker_name=Larchstar Construction Risk", "broker_address=2400 Turtle Bend Dr, Suite 900"},
			[]string{"address=Larchstar Construction Risk | 2400 Turtle Bend Dr, Suite 900, Dallas TX 75219"},
		},
		{
			"a description of the firm after its name", "a.txt", `
Name of Applicant: Larch Credit Counseling Services, a California Nonprofit

Audited by CPA? Yes - Alder Finch & Co., Stockton`,
			[]string{"company_name=Larch Credit Counseling Services"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
