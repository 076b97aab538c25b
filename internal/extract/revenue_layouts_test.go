package extract_test

import "testing"

// TestRevenueLayouts checks which of the amounts of several years is the revenue.
func TestRevenueLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, text, want string }{
		{
			"years below the label", "a.txt", `
Firm's name: Larch Engineers Ltd

Fees:
  y/e 30.09.2025   £1,610,044
  y/e 30.09.2026   £1,884,910
  estimate for current year £2,100,000
`,
			"annual_revenue=1,884,910.00",
		},
		{
			"years beside and below the label", "a.txt", `
Club            Larch Sailing Club Limited
Income          2024   GBP 288,000
                2025   GBP 302,500
                2026   GBP 331,750
`,
			"annual_revenue=331,750.00",
		},
		{
			"years in brackets behind the amounts", "a.txt", `
INSURED: Larch Drydock plc

Insured established 1931. Turnover GBP 48,200,000 (2026), GBP 41,400,000 (2025). 310 employees.
`,
			"annual_revenue=48,200,000.00",
		},
		{
			"last and prior year in labels", "a.txt", `
Applicant: Larch Dental, PLLC
Gross revenues (last FYE 12/31/2026): $21,406,000
Gross revenues (prior FYE): $18,950,000
`,
			"annual_revenue=21,406,000.00",
		},
		{
			"years in words below an Italian heading", "a.txt", `
Denominazione: Larici Ingegneria S.r.l.

2. Fatturato
Ultimo esercizio (2025): Euro 1.180.000

Esercizio precedente (2024): Euro 945.000

Stima esercizio in corso: Euro 1.300.000
`,
			"annual_revenue=1,180,000.00",
		},
		{
			"beside other figures of the accounts, with captions below", "a.txt", `
Larch Biomedical Corp.
Name of Applicant

4 Innovation Loop                         Durham                 NC            27703
Street Address                            City                   State         Zip Code

$1,650,000             $6,900,000              $9,200,000             $310,000
Total Revenues         Total Assets            Total Liabilities      Net Income
`,
			"annual_revenue=1,650,000.00",
		},
		{
			"with its name in a cell", "a.html", `
<table><tr><td>INSURED</td><td>Larch Distilling Company, LLC</td></tr>
<tr><td>RATING BASIS</td><td>Gross sales $1,960,000</td></tr>
<tr><td>PREMIUM</td><td>$12,350.00 (25% minimum earned)</td></tr></table>
`,
			"annual_revenue=1,960,000.00",
		},
		{
			"with a note about all amounts", "a.txt", `
Figures in thousands of USD
Insured: Larch Distilling Company, LLC
Annual Revenue: 48,500
`,
			"annual_revenue=48,500,000.00",
		},
		{
			"below a heading with the unit", "a.txt", `
Insured: Larch Distilling Company, LLC

Financials ($000)
Annual revenue    48,500
Annual payroll     9,200
`,
			"annual_revenue=48,500,000.00",
		},
		{
			"by years below a heading with the unit", "a.txt", `
Insured: Larch Distilling Company, LLC

Financial summary (in thousands)
Revenue 2025: 48,500
Revenue 2024: 44,300
`,
			"annual_revenue=48,500,000.00",
		},
		{
			"below a different heading from the one with the unit", "a.txt", `
Property values ($000)
Building: 4,500

Insured
Larch Distilling Company, LLC
Annual revenue: 485,000
`,
			"annual_revenue=485,000.00",
		},
		{
			"below its name with the year", "a.txt", `
Insured: Larch Distilling Company, LLC

Revenue 2025
$48,500,000
`,
			"annual_revenue=48,500,000.00",
		},
		{
			"with the end of the year in its label", "a.txt", "Insured: Larch Diagnostics, Inc.\nRevenue FYE 12/31/25: $38,400,000\n",
			"annual_revenue=38,400,000.00",
		},
		{
			"for two years on one line", "a.txt", "Versicherungsnehmer: Lärche GmbH\nUmsatz 2024 / 2025: 38,2 Mio. € / 41,6 Mio. €\n",
			"annual_revenue=41,600,000.00",
		},
		{
			"in a table below a line with years", "a.txt", `
Insured: Larch Haulage Ltd.

EXPERIENCE
               2023        2024        2025
Revenue        6,900,000   7,450,000   8,120,000
Incurred       41,300      118,750     22,400
`,
			"annual_revenue=8,120,000.00",
		},
		{
			"followed by last year's revenue in brackets", "a.txt", "Versicherungsnehmer: Lärche AG. Die Gesellschaft wurde 1923 gegründet und erzielte im Geschäftsjahr 2026 einen Konzernumsatz von 128,5 Mio. EUR (Vorjahr 121,9 Mio. EUR).",
			"annual_revenue=128,500,000.00",
		},
		{
			"as fees of a profession", "a.txt", "Insured: Larch Engineers, P.C.\nProfessional fees, last fiscal year: $5,275,000\n",
			"annual_revenue=5,275,000.00",
		},
		{
			"below a header with the unit", "a.html", `
<table><tr><th>Insured</th><th>Revenue ($000)</th></tr><tr><td>Larch Distilling Company, LLC</td><td>4,500</td></tr></table>
`,
			"annual_revenue=4,500,000.00",
		},
		{
			"in lines that have two commas each", "a.txt", `
Annual Revenue: $4,500,000
Annual Payroll: $1,200,000
Target premium: $1,045,000
`,
			"annual_revenue=4,500,000.00",
		},
		{
			"in Italian, in thousands", "a.txt", `
Assicurato: Larice S.r.l.
Fatturato (migliaia di euro): 4.500
`,
			"annual_revenue=4,500,000.00",
		},
		{
			"of the latest year in a table", "a.csv", "($000),2023,2024,2025\nRevenue,\"40,100\",\"44,300\",\"48,500\"\nPayroll,\"8,000\",\"8,500\",\"9,200\"\n",
			"annual_payroll=9,200,000.00",
		},
		{
			"of the latest year in columns of text", "a.txt", `
Insured: Larch Metal Works LLC
Year              2023    2024    2025
Annual revenue  40,100,000  44,300,000  48,500,000
Annual payroll   8,000,000   8,500,000   9,200,000
`,
			"annual_payroll=9,200,000.00",
		},
		{
			"in full, below a note about the values of a table", "a.txt", `
All values in USD thousands

Insured: Larch Distilling Company, LLC
Annual revenue: $850,000
`,
			"annual_revenue=850,000.00",
		},
		{
			"with units of their own below a heading with the unit", "a.txt", `
Insured: Larch Distilling Company, LLC

Financials ($000)
Revenue 2024: 850k
Revenue 2025: 900k
`,
			"annual_revenue=900,000.00",
		},
		{
			"and payroll behind another label below a heading with the unit", "a.txt", `
Insured: Larch Distilling Company, LLC

Financials ($000)
Annual revenue: 4,500
Number of employees: 12
Annual payroll: 1,200
`,
			"annual_payroll=1,200,000.00",
		},
		{
			"beside the expiring policy, in a row that states it once", "a.html", `
<p>Insured: Larch Mechanical Inc</p>
<table><tr><td></td><td>Expiring</td><td>Requested</td></tr><tr><td>Premium</td><td>$51,000</td><td>$48,000</td></tr><tr><td>Annual revenue</td><td>$4,500,000</td><td></td></tr></table>
`,
			"annual_revenue=4,500,000.00",
		},
		{
			"with a currency code, by years with the unit in their labels", "a.txt", `
Insured: Larch Distilling Company, LLC

Revenue 2024 ($000): USD 44,300
Revenue 2025 ($000): USD 48,500
`,
			"annual_revenue=48,500,000.00",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, []string{test.want}, nil)
		})
	}
}
