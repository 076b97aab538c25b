package extract_test

import "testing"

// TestPremiumLayouts checks which of the premiums of a document is the expected one, and which is that of the policy in
// force.
func TestPremiumLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"beside the present insurer in a line", "a.txt", `
Proposer: Larch Toffee Limited
Existing insurer: Alder Fire Office     Premium: £14,600
`,
			[]string{"expiring_premium=14,600.00"},
			[]string{"estimated_premium"},
		},
		{
			"beside the present insurer in a row", "a.csv", `
Insured,Larch Realty Pty Ltd,Staff,12
Present insurer,Alder Mutual,Premium,"A$8,120"
`,
			[]string{"expiring_premium=8,120.00"},
			[]string{"estimated_premium"},
		},
		{
			"below the present insurer", "a.txt", `
Insured: Larch Roofing LLC
Prior carrier: Alder Specialty
Premium: $51,700
`,
			[]string{"expiring_premium=51,700.00"},
			[]string{"estimated_premium"},
		},
		{
			"below the insurer of a quote", "a.txt", `
Insured: Larch Roofing LLC
Insurer: Alder Specialty
Premium: $51,700
`,
			[]string{"estimated_premium=51,700.00"},
			[]string{"expiring_premium"},
		},
		{
			"both beside one label", "a.txt", `
Insured: Larch Ice Inc.
Expiring / Target: $111,000 / $98,500
`,
			[]string{"expiring_premium=111,000.00", "estimated_premium=98,500.00"},
			nil,
		},
		{
			"with the insurer beside one label", "a.txt", `
Insured: Larch Ice Inc.
Current carrier / premium: Alder Casualty / $17,250
`,
			[]string{"expiring_premium=17,250.00"},
			[]string{"estimated_premium"},
		},
		{
			"side by side below the labels", "a.txt", `
Insured: Larch Fasteners Inc

Current carrier                 Expiring premium    Target premium
Birch Lake Fire & Marine        $64,115             $60,000
`,
			[]string{"expiring_premium=64,115.00", "estimated_premium=60,000.00"},
			nil,
		},
		{
			"our goal", "a.eml", `From: Nora Klein <nora@birchbroking.example>
Subject: Property - Fenwick Looms Inc
Content-Type: text/plain

Today it is with Alder Mutual at a combined $211,400. Our goal is $195,000.
`,
			[]string{"estimated_premium=195,000.00"},
			nil,
		},
		{
			"the existing insurer's price", "a.eml", `From: Nora Klein <nora@birchbroking.example>
Subject: Fenwick Looms Ltd - renewal
Content-Type: text/plain

The existing insurer (Alder Insurance) came in at £58,900 which is up a third.
Last year's turnover was £4,360,000, budget for this year is £4.5m.
Loss of revenue £4,100,000, 24 month indemnity period
If you can get me to £52,000 including tax I can move it this week.
`,
			[]string{"annual_revenue=4,360,000.00", "estimated_premium=52,000.00"},
			nil,
		},
		{
			"a premium that the broker considers right", "a.txt", "The present bond is with Alder Surety at an annual premium of $33,900. At the higher limits we believe a premium of $42,500 is right for this account.",
			[]string{"estimated_premium=42,500.00"},
			nil,
		},
		{
			"for the whole of a reinsurance", "a.txt", `
REINSURED: Alder Insurance Company Limited
100% PREMIUM: £37,500 annual
`,
			[]string{"estimated_premium=37,500.00"},
			nil,
		},
		{
			"in a column of years", "a.html", `
<p>Insured: Larch Bakers Inc.</p><table><tr><th></th><th>2025 actual</th><th>2026 projected</th></tr>
<tr><td>Gross sales</td><td>$3,104,000</td><td>$3,300,000</td></tr>
<tr><td>WC premium</td><td>$44,800</td><td>target $41,000</td></tr></table>
`,
			[]string{"estimated_premium=41,000.00"},
			nil,
		},
		{
			"a premium that the broker considers realistic", "a.txt", "Insured: Larch Tiles Inc. Expiring is $41,200 with Alder Mutual. I told them $38,000 is realistic.",
			[]string{"estimated_premium=38,000.00", "expiring_premium=41,200.00"},
			nil,
		},
		{
			"a premium that must not be exceeded", "a.txt", "Versicherungsnehmer: Lärche GmbH. Der Vertrag läuft bei der Kiefer Versicherung zu 41.200 EUR. Die Prämie sollte 38.000 EUR nicht übersteigen.",
			[]string{"estimated_premium=38,000.00"},
			nil,
		},
		{
			"a premium at which the broker places the risk", "a.txt", "Proposant : Mélèze SARL. La prime actuelle est de 41 200 €. À 38 000 € nous emportons l'affaire.",
			[]string{"estimated_premium=38,000.00"},
			nil,
		},
		{
			"in the subject of a mail", "a.eml", "From: Ada Farr <ada@birchins.example>\nTo: uw@alder.example\nSubject: BR submission: Larch Townhomes, Bozeman MT // eff 2/1/27 // target $48K\n\nBuilders risk needed.\nNamed Insured: Larch Valley Partners LLC\n",
			[]string{"estimated_premium=48,000.00"},
			nil,
		},
		{
			"without separators", "a.csv", "Larch Storage Group LP - locations for 1/31/2027 renewal\n\"Requested: Property (special form), General Liability, Target Premium 148500\"\n",
			[]string{"estimated_premium=148,500.00"},
			nil,
		},
		{
			"in the answer to a question", "a.txt", "Insured: Larch Dental PLLC\n7. Premium expectations?\nThey are at 38,200 with your competitor. We think 34,500 wins it.\n",
			[]string{"estimated_premium=34,500.00"},
			nil,
		},
		{
			"of lines of business in boxes", "a.html", `
<p>Insured: Larch Mechanical Inc</p>
<table><tr><td>LINES OF BUSINESS</td><td>PREMIUM</td><td></td><td>PREMIUM</td></tr>
<tr><td>X COMMERCIAL GENERAL LIABILITY</td><td>$ 21,850</td><td>X BUSINESS AUTO</td><td>$ 14,200</td></tr>
<tr><td>CRIME</td><td>$</td><td>X UMBRELLA</td><td>$ 6,050</td></tr></table>
<table><tr><td>PAYMENT PLAN</td><td>POLICY PREMIUM</td></tr><tr><td>Quarterly</td><td>$ 42,100</td></tr></table>
`,
			[]string{"estimated_premium=42,100.00"},
			nil,
		},
		{
			"below the premiums of earlier years", "a.csv", `
Insured:,Larch Refrigerated Lines Inc.,,Eff:,2/1/2027
,,,,
Year,Carrier,Power units,Premium,Incurred
2026,Alder Plains Ins.,41,612000,148000
2025,Alder Plains Ins.,38,571500,77200
,,,,
TARGET,"$585,000",,,
`,
			[]string{"estimated_premium=585,000.00"},
			nil,
		},
		{
			"beside the expiring one in a row with labels", "a.html", `
<p>Insured: Larch Mechanical Inc</p>
<table><tr><td>Expiring</td><td>$51,000</td><td>Target</td><td>$48,000</td></tr><tr><td>Carrier</td><td>Alder Mutual</td><td>Effective</td><td>2/1/2027</td></tr></table>
`,
			[]string{"estimated_premium=48,000.00"},
			nil,
		},
		{
			"as an answer to a question", "a.txt", `
Insured: Larch Mechanical Ltd

What premium would secure the business?
£11,750 inclusive of IPT
`,
			[]string{"estimated_premium=11,750.00"},
			nil,
		},
		{
			"in the budget of a project", "a.txt", "Insured: Larch Marina LLC. The owner carries $465,000 in the project budget for this premium.",
			[]string{"estimated_premium=465,000.00"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
