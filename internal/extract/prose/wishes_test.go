package prose_test

import (
	"testing"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/prose"
	"understudy.example/internal/extract/vocabulary"
)

// TestWishes checks which amounts are read as the requested premium.
func TestWishes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`We have authority to bind the full tower at $420,000.`,
		`To move the case we would need to be at circa £12,500 plus IPT.`,
		`They will not go beyond £88,000 plus tax.`,
		`We need the lead and excess at a combined $190,000.`,
		`The client expects the total for both lines to land near $260,000.`,
		`We are asking the market for $36,750 and a profit commission.`,
		`Premium indication we gave the client: CA$62,000.`,
		`A quote at $41,000 would be bound.`,
		`Needs $41k to bind.`,
		`Para llevárnoslo tendríamos que estar en 18.750 € de prima total.`,
		`Con 41.000 € nos llevamos la cuenta.`,
		`Wir müssten bei 46.000 EUR landen.`,
		`Mit 41.000 EUR netto hätten wir den Zuschlag.`,
		`Prämienvorstellung unseres Kunden: ca. 41.000 EUR.`,
		`Nous devons nous situer sous 41 000 €.`,
		`Pour emporter l'affaire, il faudrait être à 41 000 € HT.`,
		`Per acquisire il rischio dovremmo stare a 41.000 €.`,
		`Wij zouden graag rond de € 41.000 uitkomen.`,
		`Voor € 41.000 krijgen we de post.`,
	} {
		if !premiumIn(text) {
			t.Errorf("no premium in %q", text)
		}
	}
	for _, text := range []string{
		`The deductible can go to $25,000.`,
		`We could look at a retention of $50,000.`,
		`Client is willing to take a $25,000 deductible.`,
		`They hope to settle the claim for $50,000.`,
		`We need $5,000,000 umbrella limits.`,
		`We expect payroll to be around $900,000.`,
		`Sales should reach $5,000,000.`,
		`They have asked £14,980 plus IPT this year.`,
		`Nous souhaitons porter la limite à 5 000 000 €.`,
		`We would like it to sit at $5,000,000 per occurrence.`,
		`Selbstbehalt kann auf 10.000 EUR erhöht werden.`,
	} {
		if premiumIn(text) {
			t.Errorf("premium in %q", text)
		}
	}
}

// premiumIn reports whether the first amount in a text is a requested premium.
func premiumIn(text string) bool {
	found, ok := parse.FindMoney(text)
	if !ok {
		return false
	}
	for _, s := range prose.New(text).Read([]prose.Value{{Kind: vocabulary.Sum, Start: found.Start, End: found.End}}) {
		if s.Field == "estimated_premium" {
			return true
		}
	}
	return false
}
