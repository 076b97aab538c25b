package extract_test

import "testing"

// TestCoverRequests checks the covers that are requested in answers, in lists within items, in columns and in sentences. A
// wanted or unwanted value is written as field=value.
func TestCoverRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"questions above answers with a mark", "a.txt", `
What is the legal name of the organization?
A: Larch Freight, Inc.

What is the principal address?
A: 12 Elm Avenue, Salem, OR 97301

Which insuring agreements are requested?
A: Employee Theft $500,000; Computer Fraud $250,000
`,
			[]string{"company_name=Larch Freight, Inc.", "address=12 Elm Avenue, Salem, OR 97301", "coverage=Employee Theft", "coverage=Computer Fraud"},
			[]string{"coverage=Employee Theft ; Computer Fraud"},
		},
		{
			"questions in a table", "a.html", `
<table><tr><th>Question</th><th>Response</th></tr>
<tr><td>What is the name of the employer?</td><td>Larch Care, Inc.</td></tr>
<tr><td>Where should mail be sent?</td><td>12 Elm Avenue, Salem, OR 97301</td></tr>
<tr><td>When do you want coverage to start?</td><td>May 1, 2027</td></tr>
<tr><td>When will it end?</td><td>May 1, 2028</td></tr>
<tr><td>What price are we trying to hit?</td><td>22000</td></tr></table>
`,
			[]string{"address=12 Elm Avenue, Salem, OR 97301", "end_date=2028-05-01", "estimated_premium=22,000.00"},
			nil,
		},
		{
			"a list within an item, and the current policy below", "a.txt", `
Insured: Larch Clinics PLLC

What we need:

  * $2M aggregate, $10K retention
  * Network security liability, cyber extortion (6 hr wait) and data recovery

Currently with Alder Cyber at $1M for $9,900; they were offered renewal at $11,000.
`,
			[]string{"coverage=Network security liability", "coverage=cyber extortion", "coverage=data recovery"},
			[]string{"coverage=Currently with Alder Cyber at / for"},
		},
		{
			"a sentence that says what the cover is to include", "a.txt", `
Insured: Larch Estates Limited

Cover is to be All Risks including Subsidence and Property Owners Liability with a limit of GBP 5,000,000.
`,
			[]string{"coverage=All Risks", "coverage=Subsidence", "coverage=Property Owners Liability"},
			nil,
		},
		{
			"a label for covers after other sentences", "a.txt", `
Insured: Larch Grain Pty Ltd

Insured turnover FY2026 $4,300,000. Expiring premium $21,400. Cover: Fire & Perils, Accidental Damage.
`,
			[]string{"coverage=Fire & Perils", "coverage=Accidental Damage"},
			nil,
		},
		{
			"covers with details after a dash", "a.txt", `
Insured: Larch Realty LLC

Coverages requested

General Liability - $1M / $2M

Business Income with Extra Expense - 18 months

Hired and Non-Owned Auto
`,
			[]string{"coverage=General Liability", "coverage=Business Income with Extra Expense", "coverage=Hired and Non-Owned Auto"},
			nil,
		},
		{
			"a column that names a cover in each row", "a.html", `
<p>Named insured: Larch Bakery LLC</p>
<table><tr><th>Prem</th><th>Bldg</th><th>Address</th><th>Construction</th></tr>
<tr><td>1</td><td>1</td><td>12 Elm Avenue, Salem, OR 97301</td><td>Frame</td></tr>
<tr><td>2</td><td>1</td><td>40 Oak Road, Salem, OR 97302</td><td>Frame</td></tr></table>
<table><tr><th>Prem</th><th>Coverage</th><th>Limit of insurance</th><th>Deductible</th></tr>
<tr><td>1</td><td>Building</td><td>$ 445,000</td><td>$ 1,000</td></tr>
<tr><td>1</td><td>Business Personal Property</td><td>$ 110,000</td><td>$ 1,000</td></tr>
<tr><td>2</td><td>Building</td><td>$ 320,000</td><td>$ 1,000</td></tr>
<tr><td>2</td><td>Business Personal Property</td><td>$ 65,000</td><td>$ 1,000</td></tr></table>
`,
			[]string{"coverage=Building", "coverage=Business Personal Property"},
			nil,
		},
		{
			"covers of a list that are refused", "a.txt", `
Insured: Larch Tiles LLC
Coverages requested: General Liability (excluded), Property - no, Cyber
`,
			[]string{"coverage=Cyber"},
			[]string{"coverage=General Liability", "coverage=Property - no", "coverage=Property"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
