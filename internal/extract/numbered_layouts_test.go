package extract_test

import "testing"

// TestNumberedCaptions checks forms whose numbered captions stand below their values, and forms whose numbered labels stand
// above them.
func TestNumberedCaptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"alone in their lines", "a.txt", `
Professional Indemnity - Proposal form

  Larch Finch Architects LLP
 1. Full name of the proposer (including trading names and predecessors)
  The Granary, 5 Mill Street, Derby, DE1 1AA
 2. Address of principal office, including postcode
  April 1999
 3. Date practice established
  £2,145,000 (y/e 30.04.2026)
 4. Gross fees, last complete financial year
  £2,300,000
    Gross fees, estimate for current year
  1 April 2027
 5. Date from which cover is required
  Alder Professional Syndicate, £3,000,000, 31 March 2027
 6. Present insurer, limit and expiry date
  £38,750 plus IPT
 7. Premium paid in the last period
  £36,000 plus IPT
 8. Target premium, if any
`,
			[]string{"company_name=Larch Finch Architects LLP", "year_founded=1999", "annual_revenue=2,145,000.00", "policy_inception_date=2027-04-01", "estimated_premium=36,000.00", "expiring_premium=38,750.00"},
			nil,
		},
		{
			"several in a line", "a.txt", `
COURSE OF CONSTRUCTION APPLICATION

 Larch Commons LLC                        Owner
1. Full name of applicant                 Applicant is:
 2121 Mill Avenue, Ste 300                Portland, OR 97205
2. Mailing address (street)               City, State, ZIP
 Birch & Elm Insurance        (503) 555-0198          mfarr@birchelm.example
3. Submitting agency          Agency phone            Agency email
 February 15, 2027            April 15, 2028
4. Effective date requested   Expiration date
 $ 25,000                     2% / $ 100,000                   $ 96,000
5. Deductible - AOP           Earthquake / flood deductible    Target premium
`,
			[]string{"company_name=Larch Commons LLC", "broker_name=Birch & Elm Insurance", "broker_email=mfarr@birchelm.example", "policy_inception_date=2027-02-15", "end_date=2028-04-15", "estimated_premium=96,000.00"},
			nil,
		},
		{
			"above their values", "a.txt", `
Proposal form

1. Full name of the proposer
   Larch Finch Architects LLP
2. Address of principal office
   5 Mill Street, Derby, DE1 1AA
3. Date practice established
   April 1999
4. Date from which cover is required
   1 April 2027
5. Target premium, if any
   £36,000
`,
			[]string{"company_name=Larch Finch Architects LLP", "year_founded=1999", "policy_inception_date=2027-04-01", "estimated_premium=36,000.00"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
