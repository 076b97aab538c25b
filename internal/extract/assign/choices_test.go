package assign

import "testing"

func TestChosen(t *testing.T) {
	for value, want := range map[string]string{
		"☐ £1,000,000   ☒ £5,000,000   ☐ Other": "£5,000,000",
		"[x] Property  [ ] Cyber  [x] Crime":    "Property; Crime",
		"€ 250.000    × € 1.000.000    € 2":     "€ 1.000.000",
		"2 × 500 kVA transformers":              "2 × 500 kVA transformers",
		"[ ] Property  [ ] Cyber":               "[ ] Property  [ ] Cyber",
		"[x] Yes  [ ] No":                       "[x] Yes  [ ] No",
	} {
		if got := chosen(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
