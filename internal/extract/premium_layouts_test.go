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
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
