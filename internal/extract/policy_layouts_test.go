package extract_test

import "testing"

// TestPolicyLayouts checks the period, the line of business, the covers and the premium in different
// layouts and wordings. Each wanted value is written as field=value.
func TestPolicyLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{
			"the period in a row above a statement of values", "a.csv", `
Larch Senior Living LLC,,,
Policy term 5/1/2027 - 5/1/2028,,,
Address,City,Building,Contents
12 Mill St,Dayton,1000000,200000
14 Mill St,Dayton,2000000,300000
`,
			[]string{"policy_inception_date=2027-05-01", "end_date=2028-05-01"},
		},
		{
			"both dates beside one label", "a.csv", `
Beginn / Ablauf,01.04.2027,01.04.2037
Versicherungsnehmer,Lärche Bau GmbH,
`,
			[]string{"policy_inception_date=2027-04-01", "end_date=2037-04-01"},
		},
		{
			"both dates in columns beside one label", "a.txt", `
Client                    Larch Ltd
Inception/Expiry          01/04/2027        31/03/2028
`,
			[]string{"policy_inception_date=2027-04-01", "end_date=2028-03-31"},
		},
		{
			"both dates in a sentence", "a.txt", `
Coverage shall incept July 1, 2027 and expire July 1, 2028. Insured: Larch LLC`,
			[]string{"policy_inception_date=2027-07-01", "end_date=2028-07-01"},
		},
		{
			"the end of the current policy in Dutch", "a.txt", `
Verzekeringnemer: Lariks B.V. De huidige polis loopt af op 1 mei 2027.`,
			[]string{"policy_inception_date=2027-05-01"},
		},
		{
			"the end of the current policy in Italian", "a.txt", `
Contraente: Larice S.r.l. La polizza attuale scade il 01/05/2027.`,
			[]string{"policy_inception_date=2027-05-01"},
		},
		{
			"an inception date in a Spanish sentence", "a.txt", `
Tomador: Alerce, S.L. El seguro comenzaría el 1 de mayo de 2027.`,
			[]string{"policy_inception_date=2027-05-01"},
		},
		{
			"covers below a heading in plain words", "a.txt", `
Insured: Larch Tiles Inc.

What's needed:
- Property Damage
- Business Interruption`,
			[]string{"coverage=Property Damage", "coverage=Business Interruption"},
		},
		{
			"a premium without a currency", "a.txt", `
Last year they paid $14,600 elsewhere, would like to see 13,000. Insured is Larch Events Inc.`,
			[]string{"estimated_premium=13,000.00"},
		},
		{
			"sections of a policy", "a.txt", `
Section 1 - Material Damage: Insured
Section 2 - Business Interruption: Insured
Section 3 - Money: Not insured
Insured: Larch Pottery Ltd`,
			[]string{"coverage=Material Damage", "coverage=Business Interruption"},
		},
		{
			"a list of covers behind a dash", "a.txt", `
Proposer - Larch Estates Limited
Cover - Loss of Rent 24 months, Property Owners Liability £5m, Terrorism`,
			[]string{"coverage=Property Owners Liability", "coverage=Terrorism"},
		},
		{
			"covers below a request", "a.txt", `
Please quote the attached. General liability and liquor liability, they also want auto. Insured: Larch LLC`,
			[]string{"product=General Liability", "product=Liquor Liability"},
		},
		{
			"headers whose words are cut, names that are addresses", "a.csv", `
Standort,C on st,Gebäude CHF,Waren CHF,Ertrag CHF
"Rue Haute 3, 2502 Biel/Bienne",M N C,9'800'000,4'100'000,18'500'000
"Rue Basse 18, 2400 Le Locle",JM,1'900'000,240'000,1'200'000
`,
			[]string{"1.location_city=Biel/Bienne", "1.construction_type=MNC", "2.building_value=1,900,000.00"},
		},
		{
			"values with the code of their currency", "a.csv", `
Premises,Buildings,Contents
"Unit 4, Larch Park, Avonmouth, BS11 9HX","GBP 18,500,000","GBP 6,250,000"
"22 Mill Lane, Walsall, WS2 8QP","GBP 7,300,000","GBP 2,100,000"
`,
			[]string{"1.building_value=18,500,000.00", "2.building_value=7,300,000.00"},
		},
		{
			"an occupancy beside columns of values", "a.csv", `
Loc,Address,City,ST,Zip,Occ,Bldg Limit,Cont Limit
1,12 Mill St,Dayton,OH,45402,Furniture mfg,2520000,420000
2,14 Mill St,Dayton,OH,45402,Furniture mfg,3150000,1020000
3,16 Mill St,Dayton,OH,45402,Furniture mfg,9720000,480000
`,
			[]string{"1.building_value=2,520,000.00", "1.contents_tiv=420,000.00"},
		},
		{
			"a heading above the labels of a building", "a.txt", `
LOCATION 1 - WAREHOUSE
Street Address: 12 Larch St
City, State, Zip: Dayton, OH 45402
Building value: $1,000,000

Building Characteristics
Construction Type: Frame
Sprinklered: No`,
			[]string{"1.construction_type=Frame", "1.location_have_sprinklers=N"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, nil)
		})
	}
}
