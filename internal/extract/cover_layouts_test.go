package extract_test

import "testing"

// TestCoverLayouts checks the covers that are requested in tables of several forms. A wanted or unwanted value is written as
// field=value.
func TestCoverLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a table of covers whose first column numbers the sections", "a.html", `
<p>Insured: Larch Tools Limited</p>
<table><tr><th>Section</th><th>Cover</th><th>Sum insured / limit</th><th>Excess</th></tr>
<tr><td>A</td><td>Material Damage - All Risks</td><td>£9,000,000</td><td>£500</td></tr>
<tr><td>B</td><td>Employers' Liability</td><td>£10,000,000</td><td>Nil</td></tr>
<tr><td>C</td><td>Larch Catalogue Cover</td><td>£40,000</td><td>£250</td></tr>
<tr><td>D</td><td>Terrorism</td><td>Not required</td><td></td></tr></table>
`,
			[]string{"coverage=Material Damage - All Risks", "coverage=Employers' Liability", "coverage=Larch Catalogue Cover"},
			[]string{"coverage=Terrorism"},
		},
		{
			"a column for each cover", "a.csv", `
Client:,Larch Rentals Corp.
,Property,General Liability,Umbrella
Limit,"$9,850,000",$1M/$2M,"$5,000,000"
Deductible,"$5,000","$2,500",$0
Current premium,18940,41200,11900
`,
			[]string{"coverage=Property", "coverage=General Liability", "coverage=Umbrella"},
			nil,
		},
		{
			"a header of two rows for the current and the requested policy", "a.html", `
<p>Insured: Larch Diagnostics, Inc.</p>
<table><tr><th rowspan="2">Line</th><th colspan="2">Expiring</th><th colspan="2">Proposed</th></tr>
<tr><th>Limit</th><th>Retention</th><th>Limit</th><th>Retention</th></tr>
<tr><td>Fiduciary Liability</td><td>$1,000,000</td><td>$0</td><td>$1,000,000</td><td>$0</td></tr>
<tr><td>Crime</td><td>not purchased</td><td></td><td>$1,000,000</td><td>$10,000</td></tr>
<tr><td>Cyber</td><td>$1,000,000</td><td>$10,000</td><td>not required</td><td></td></tr></table>
`,
			[]string{"coverage=Fiduciary Liability", "coverage=Crime"},
			[]string{"coverage=Cyber"},
		},
		{
			"columns for the current and the requested policy without a header for the covers", "a.html", `
<p>Versicherungsnehmer: Lärche Präzision AG</p>
<table><tr><td></td><td>Bisher (2026/2027)</td><td>Gewünscht (2027/2028)</td></tr>
<tr><td>Versicherer</td><td>Ahorn Versicherung AG</td><td>offen</td></tr>
<tr><td>Cyber</td><td>1.000.000 EUR</td><td>2.000.000 EUR</td></tr>
<tr><td>Vermögensschadenhaftpflicht</td><td>nicht versichert</td><td>2.000.000 EUR</td></tr>
<tr><td>Selbstbehalt</td><td>50.000 EUR</td><td>25.000 EUR</td></tr></table>
`,
			[]string{"coverage=Cyber", "coverage=Vermögensschadenhaftpflicht"},
			nil,
		},
		{
			"a table of covers beside labels", "a.csv", `
Tomador:,"Alerce Azulejos, S.L.",,Garantía,Límite,Franquicia
Dirección:,"Carretera Norte, km 4",,Daños por agua,100 %,1.000 €
Población:,Borriol,,Robo,120.000 €,600 €
Empleados:,79,,Responsabilidad civil,No se solicita,
`,
			[]string{"coverage=Daños por agua", "coverage=Robo", "total_full_time_employees=79"},
			[]string{"coverage=Responsabilidad civil"},
		},
		{
			"products with their sums below a heading", "a.html", `
<h3>Gewünschte Produkte</h3>
<table><tr><th>Produkt</th><th>Summe</th><th>SB</th></tr>
<tr><td>Inhaltsversicherung</td><td>680.000 EUR</td><td>500 EUR</td></tr>
<tr><td>Elektronikversicherung</td><td>60.000 EUR</td><td>250 EUR</td></tr></table>
`,
			[]string{"coverage=Inhaltsversicherung", "coverage=Elektronikversicherung"},
			nil,
		},
		{
			"columns of the current and of the requested policy under headers in the line above", "a.txt", `
Insured: Larch Haulage, L.L.C.

                                         EXPIRING                            REQUESTED
Carrier                                  Alder Fleet Casualty                Open market
Uninsured Motorist                       $100,000                            Reject
Medical Payments                         $5,000                              $5,000
Collision                                $2,500 ded                          $5,000 ded
`,
			[]string{"coverage=Medical Payments", "coverage=Collision"},
			[]string{"coverage=Uninsured Motorist"},
		},
		{
			"columns for yes and no", "a.html", `
<table><tr><th>Coverage</th><th>Yes</th><th>No</th><th>Limit</th></tr>
<tr><td>Employee Theft</td><td>X</td><td></td><td>$500,000</td></tr>
<tr><td>Kidnap &amp; Ransom</td><td></td><td>X</td><td></td></tr></table>
`,
			[]string{"coverage=Employee Theft"},
			[]string{"coverage=Kidnap & Ransom"},
		},
		{
			"covers above their limits", "a.html", `
<table><tr><th>Property</th><th>Liability</th><th>Cyber</th></tr>
<tr><td>$12.4M</td><td>$1M/$2M</td><td>$1M</td></tr></table>
`,
			[]string{"coverage=Property", "coverage=Liability", "coverage=Cyber"},
			nil,
		},
		{
			"a list of covers in the rows below a label", "a.csv", `
Policyholder:,Larch Lane Estates Ltd
Cover:,Property damage
,Loss of rent
,Terrorism
Indemnity period:,36 months
`,
			[]string{"coverage=Property damage", "coverage=Loss of rent", "coverage=Terrorism"},
			nil,
		},
		{
			"boxes in cells before the covers", "a.txt", `
Account name: Larch Charters LLC

Lines (x = quote):
  (x) General Liability        ( ) Property
  (x) Workers Comp             (x) Umbrella
  ( ) Cyber                    ( ) EPLI
`,
			[]string{"coverage=General Liability", "coverage=Workers Comp", "coverage=Umbrella"},
			[]string{"coverage=Property", "coverage=Cyber", "coverage=EPLI"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
