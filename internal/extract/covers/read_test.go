package covers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadForms compares the covers that documents of several forms request.
func TestReadForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{
			"headings above limits",
			"Property\nBlanket building of $14,750,000, $10,000 deductible.\n\nGeneral Liability\n$1,000,000 each occurrence. Liquor Liability at $1,000,000.\n\nUmbrella\n$5,000,000, with an option at $10,000,000.\n\nThe expiring premium is $97,640.",
			[]string{"Property", "Blanket building", "General Liability", "Liquor Liability", "Umbrella"},
		},
		{
			"headings above claims",
			"Property\n$14,750 paid\n\nGeneral Liability\n$1,000,000 reserved\n\nUmbrella\n$5,000 incurred",
			nil,
		},
		{
			"headings with the numbers of sections",
			"Section I. Property\nLimit: $58,300,000\n\nSECTION 2 - MACHINERY BREAKDOWN\n$750,000, excess $5,000\n\nSection III. Crime\nNot required",
			[]string{"Property", "MACHINERY BREAKDOWN"},
		},
		{
			"parts of a policy",
			"A. Workers Compensation Insurance: Part One of the policy applies to the law of: NH\nPart Two: Employers Liability 1,000,000 / 1,000,000\nPart Three - Other States: all except ND\nSection 3 Goods in transit: Required No",
			[]string{"Workers Compensation Insurance", "Employers Liability", "Other States"},
		},
		{
			"lines without a mark among marked ones",
			"COVERAGES\nX  PROPERTY   21,400,000\nX  CRIME   250,000\nBUSINESS AUTO\nX  UMBRELLA   10,000,000\nTRUCKERS",
			[]string{"PROPERTY", "CRIME", "UMBRELLA"},
		},
		{
			"a sentence with limits",
			"We are looking for Directors and Officers cover with a limit of £5,000,000 on an any one claim basis, Employment Practices Liability of £1,000,000 with a £10,000 excess, and Crime at £500,000. They are not interested in Cyber.",
			[]string{"Directors and Officers", "Employment Practices Liability", "Crime"},
		},
		{
			"a sentence after an abbreviation",
			"She would like business personal property of $95,000 incl. the coolers, liability of $1 million per occurrence, and spoilage for $10,000.",
			[]string{"business personal property", "liability", "spoilage"},
		},
		{
			"a German sentence",
			"Benötigt werden eine All-Risk-Sachversicherung mit einer Summe von 18,4 Mio. EUR, eine Betriebshaftpflicht über 5 Mio. EUR sowie eine Transportversicherung mit 250.000 EUR je Transport.",
			[]string{"All-Risk-Sachversicherung", "Betriebshaftpflicht", "Transportversicherung"},
		},
		{
			"words after the cover",
			"The trust seeks terms for data breach response and privacy liability, with a limit of £2m. Crime at £100,000 would be of interest. Money and goods in transit are also required.",
			[]string{"data breach response", "privacy liability", "Crime", "Money", "goods in transit"},
		},
		{
			"a question for covers",
			"What coverages do you need, and with which limits?\n\nProfessional Liability $1,000,000 per claim / $3,000,000 aggregate, claims made. General Liability $1,000,000 / $3,000,000. Hired Auto is not needed.",
			[]string{"Professional Liability", "General Liability"},
		},
		{
			"questions with amounts in their answers",
			"Do you require cover for:\nBuildings? Yes - £2,500,000\nMoney? Yes £5,000\nGlass? No",
			[]string{"Buildings", "Money"},
		},
		{
			"a label for covers over several lines",
			"COVER: (1) Terrorism and Sabotage\n(2) Business Interruption, 24 months\nUSD 5,000,000 Flood\nBROKERAGE: 20%",
			[]string{"Terrorism and Sabotage", "Business Interruption", "Flood"},
		},
		{
			"details of the items of a list",
			"What we are looking for:\n- Professional indemnity, civil liability wording, limit £5,000,000 any one claim, excess £25,000 each and every claim\n- EL £10m, PL £5m\n- Money (not required)\n- Goods in transit – not needed",
			[]string{"Professional indemnity", "EL", "PL"},
		},
		{
			"values that list or include covers",
			"Program requested\nThird Party: Media Liability, PCI\nProperty: all risks incl. Flood ($5M sublimit) and Earthquake\nExcess: $4M xs primary\nNot quoted: Cyber, D&O",
			[]string{"Third Party", "Media Liability", "PCI", "Property", "all risks", "Flood", "Earthquake", "Excess Liability"},
		},
		{
			"unknown covers among known ones",
			"Cover: Cargo (sea, land), Stock, Larch Forwarding\nCoverages requested\nFire: £2,000,000\nGlass: £20,000\nLarch Greens: £100,000\nPublic Liability: £5,000,000\nTarget premium: £20,000\nTurnover: £900,000",
			[]string{"Cargo", "Stock", "Larch Forwarding", "Fire", "Glass", "Public Liability", "Larch Greens"},
		},
		{
			"a list of covers after another label",
			"Renewal: property (28 buildings, $41M), GL, D&O, umbrella $10M. Flood not wanted.",
			[]string{"property", "GL", "D&O", "umbrella"},
		},
		{
			"a label that ends with a request",
			"Siamo a richiedere quotazione per: incendio (fabbricato € 4.000.000, contenuto € 2.500.000), furto € 50.000",
			[]string{"incendio", "fabbricato", "contenuto", "furto"},
		},
		{
			"\"no\" after a dash",
			"Coverages requested\n- Contents – Yes, $350,000\n- Building – No\n- Cyber – Yes, $250,000",
			[]string{"Contents", "Cyber"},
		},
		{
			"labels with amounts",
			"Verkehrshaftung: 600.000 EUR je Schadenereignis\nWarentransport: 150.000 EUR je Transportmittel\nRechtsschutz: nicht gewünscht\nInhalt: 2.000.000 EUR",
			[]string{"Verkehrshaftung", "Warentransport", "Inhalt"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, read(test.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
