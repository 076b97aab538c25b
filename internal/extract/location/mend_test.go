package location

import "testing"

// TestMendedConstruction checks kinds of construction whose words were cut in a narrow column.
func TestMendedConstruction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Non-Comb usti": "Non Combustible",
		"Joisted Maso":  "Joisted Masonry",
		"Masonry Non-":  "Masonry Non Combustible",
		"M N C":         "MNC",
		"M FR":          "MFR",
		"Frame":         "Frame",
		"Brick veneer":  "Brick veneer",
		"Leichtbau":     "Leichtbau",
		"Straw bale":    "Straw bale",
	} {
		if got := mendedConstruction(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
