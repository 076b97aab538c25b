package extract_test

import "testing"

// TestComparedLayouts checks tables that compare the expiring policy with the requested one, and tables with one
// premium for each cover.
func TestComparedLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"in two columns", "a.html", `
<p>Insured: Larch Bakers Inc.</p><table><tr><th></th><th>Expiring program</th><th>Requested 27/28</th></tr>
<tr><td>Carrier</td><td>Alder Mutual</td><td>Open market</td></tr>
<tr><td>Term</td><td>3/1/2026 - 3/1/2027</td><td>3/1/2027 - 3/1/2028</td></tr>
<tr><td>Premium incl. levy</td><td>$44,800</td><td>target $41,000</td></tr></table>
`,
			[]string{"estimated_premium=41,000.00", "expiring_premium=44,800.00", "policy_inception_date=2027-03-01", "end_date=2028-03-01"},
			nil,
		},
		{
			"below a line with the headers", "a.txt", `
Insured: Larch Bakers Inc.

                          EXPIRING                  REQUESTED
Term                      03/01/2026 - 03/01/2027   03/01/2027 - 03/01/2028
Liability deductible      $5,000                    $10,000
Total premium             $44,800                   $41,000 target
`,
			[]string{"estimated_premium=41,000.00", "expiring_premium=44,800.00", "policy_inception_date=2027-03-01"},
			nil,
		},
		{
			"in German", "a.html", `
<p>Versicherungsnehmer: Lärche GmbH</p><table><tr><td></td><td>Bisher (2026/2027)</td><td>Gewünscht (2027/2028)</td></tr>
<tr><td>Selbstbehalt</td><td>50.000 EUR</td><td>25.000 EUR</td></tr>
<tr><td>Jahresnettoprämie</td><td>41.200 EUR</td><td>max. 46.000 EUR</td></tr></table>
`,
			[]string{"estimated_premium=46,000.00", "expiring_premium=41,200.00"},
			nil,
		},
		{
			"in French", "a.html", `
<p>Proposant : Mélèze SARL</p><table><tr><td>Poste</td><td>Contrat en cours</td><td>Conditions souhaitées</td></tr>
<tr><td>Franchise</td><td>5 000 €</td><td>10 000 €</td></tr>
<tr><td>Prime annuelle HT</td><td>41 200 €</td><td>38 000 €</td></tr></table>
`,
			[]string{"estimated_premium=38,000.00"},
			nil,
		},
		{
			"in Spanish", "a.html", `
<p>Tomador: Alerce S.L.</p><table><tr><td></td><td>Póliza actual</td><td>Solicitado</td></tr>
<tr><td>Franquicia</td><td>1.000 €</td><td>2.000 €</td></tr>
<tr><td>Prima neta</td><td>41.200 €</td><td>38.000 €</td></tr></table>
`,
			[]string{"estimated_premium=38,000.00"},
			nil,
		},
		{
			"with several columns each", "a.csv", `
Insured,Larch Bakers Inc.,,,
,Expiring (Alder Mutual),,Requested,
Coverage,Limit,Retention,Limit,Retention
Employment Practices,1000000,75000,2000000,75000
Fiduciary,1000000,5000,1000000,5000
Annual premium,44800,,"$41,000 or less",
`,
			[]string{"estimated_premium=41,000.00"},
			nil,
		},
		{
			"total of the premiums by line", "a.html", `
<p>Insured: Larch Bakers Inc.</p><table><tr><td>Line</td><td>Limits</td><td>Carrier now</td><td>Premium now</td><td>Target</td></tr>
<tr><td>General Liability</td><td>$1,000,000</td><td>Alder Mutual</td><td>$31,200</td><td>$28,500</td></tr>
<tr><td>Commercial Auto</td><td>$1,000,000</td><td>Alder Mutual</td><td>$29,750</td><td>$28,000</td></tr>
<tr><td>All lines</td><td></td><td></td><td>$60,950</td><td>$56,500</td></tr></table>
`,
			[]string{"estimated_premium=56,500.00"},
			nil,
		},
		{
			"total below a heading for premiums", "a.html", `
<p>Insured: Larch Bakers Inc.</p><h2>Premium indications</h2><table><tr><td>Line</td><td>Current 2026-27</td><td>Requested 2027-28</td></tr>
<tr><td>Property</td><td>$402,000</td><td>$380,000</td></tr>
<tr><td>Umbrella</td><td>$71,300</td><td>$70,000</td></tr>
<tr><td>Total</td><td>$473,300</td><td>$450,000</td></tr></table>
`,
			[]string{"estimated_premium=450,000.00"},
			nil,
		},
		{
			"no total of premiums by line", "a.html", `
<p>Insured: Larch Bakers Inc.</p><table><tr><td>Line</td><td>Expiring</td><td>Target</td></tr>
<tr><td>Property</td><td>$402,000</td><td>$380,000</td></tr>
<tr><td>Umbrella</td><td>$71,300</td><td>$70,000</td></tr></table>
`,
			[]string{"estimated_premium=450,000.00"},
			nil,
		},
		{
			"beside covers", "a.csv", `
Client:,"Larch Tool & Rental Corp.",,
,Property,General Liability,Umbrella
Limit,"$9,850,000",$1M/$2M/$2M,"$5,000,000"
Current premium,18940,41200,11900
Goal premium,18000,39500,11500
`,
			[]string{"estimated_premium=69,000.00", "expiring_premium=72,040.00"},
			nil,
		},
		{
			"values of a schedule are not premiums", "a.html", `
<p>Insured: Larch Bakers Inc.</p><table><tr><td>Item</td><td>Current value</td><td>Requested value</td></tr>
<tr><td>Building</td><td>$4,020,000</td><td>$4,800,000</td></tr>
<tr><td>Contents</td><td>$713,000</td><td>$700,000</td></tr>
<tr><td>Total</td><td>$4,733,000</td><td>$5,500,000</td></tr></table>
`,
			nil,
			[]string{"estimated_premium"},
		},
		{
			"both in the value of a label", "a.txt", `
Insured: Larch Bakers Inc.
Deposit premium: Held with Alder Marine at USD 49,500; we want USD 45,000 adjustable at 0.1%
`,
			[]string{"estimated_premium=45,000.00"},
			nil,
		},
		{
			"columns of a schedule with deductibles", "a.html", "<p>Insured: Larch Bakers Inc.</p><table><tr><th>Coverage</th><th>Limit</th><th>Deductible</th><th>Expiring Premium</th><th>Target Premium</th></tr><tr><td>Property</td><td>$5,000,000</td><td>$10,000</td><td>$30,000</td><td>$28,000</td></tr><tr><td>General Liability</td><td>$1,000,000</td><td>$0</td><td>$18,000</td><td>$16,000</td></tr><tr><td>Total</td><td></td><td></td><td>$48,000</td><td>$44,000</td></tr></table>",
			[]string{"estimated_premium=44,000.00"},
			nil,
		},
		{
			"words that mean a premium in texts about premiums", "a.txt", "Insured: Larch Bakers Inc.\n\nPremium history: 2024 $40,000; 2025 $44,500; 2026 $48,000. Looking for $43,000.\n",
			[]string{"estimated_premium=43,000.00"},
			nil,
		},
		{
			"the same words before limits", "a.txt", "Insured: Larch Bakers Inc.\n\nExpiring premium is $48,000. Looking for 1M/2M/2M with $10k deductible.\n",
			nil,
			[]string{"estimated_premium"},
		},
		{
			"in French, in a sentence", "a.txt", "Proposant : Mélèze SARL\n\nLe contrat actuel (Aulne Assurances) est à 48 000 € TTC ; pour placer l'affaire il nous faudrait 44 000 € TTC.\n",
			[]string{"estimated_premium=44,000.00"},
			nil,
		},
		{
			"in Dutch, in a sentence", "a.txt", "Verzekeringnemer: Lariks B.V.\n\nHuidige premie € 48.000; gewenst € 44.000.\n",
			[]string{"estimated_premium=44,000.00"},
			nil,
		},
		{
			"each label after its amount", "a.txt", "Insured: Larch Bakers Inc.\nPremium: $44,000 target / $48,000 expiring\n",
			[]string{"estimated_premium=44,000.00"},
			nil,
		},
		{
			"a cover of the expiring policy only", "a.html", `
<p>Insured: Larch Mechanical Inc</p>
<table><tr><td>Coverage</td><td>Expiring</td><td>Requested</td></tr><tr><td>General Liability</td><td>$1,000,000</td><td>$2,000,000</td></tr>
<tr><td>Crime</td><td>$1,000,000</td><td></td></tr><tr><td>Cyber Liability</td><td>$500,000</td><td>-</td></tr></table>
`,
			[]string{"coverage=General Liability"},
			[]string{"coverage=Crime", "coverage=Cyber Liability"},
		},
		{
			"premiums of which one is not known yet", "a.html", `
<p>Insured: Larch Mechanical Inc</p>
<table><tr><td>Coverage</td><td>Limit</td><td>Target premium</td></tr><tr><td>General Liability</td><td>$1,000,000</td><td>$12,000</td></tr>
<tr><td>Property</td><td>$4,000,000</td><td>$15,000</td></tr><tr><td>Crime</td><td>$1,000,000</td><td>TBD</td></tr></table>
`,
			nil,
			[]string{"estimated_premium=27,000.00"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
