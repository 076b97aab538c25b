package extract

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
)

// summary extracts the parts, and returns the facts and options as lines.
func summary(t *testing.T, parts ...content.Part) string {
	t.Helper()
	e := understand(t, parts...)
	var lines []string
	for _, v := range slices.Concat(e.Facts, e.Options) {
		lines = append(lines, v.Field+"="+v.Text)
	}
	return strings.Join(lines, "\n")
}

// TestInsurerOfAnotherPart checks that the details at the beginning of a file are the insured's, even if
// the file before it ends with the name of an insurer.
func TestInsurerOfAnotherPart(t *testing.T) {
	t.Parallel()
	got := summary(t, text("a.txt", "Insured: Fenwick Looms Ltd\n\nHarbour Insurance Company\n"), text("b.txt", "Address: 12 Mill Lane, Derby DE1 1AA\nPhone: 01332 496 0111\n"))
	for _, want := range []string{"address=12 Mill Lane", "phone_number=01332 496 0111"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}

// TestWordsThatNameNoCountry checks that an Incoterm, an adverb and a program for drawings, which are
// also words or codes of countries, do not give a country.
func TestWordsThatNameNoCountry(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Shipments CIF Rotterdam, CIF Antwerp, CIF Hamburg and CIF Genoa.\n",
		"Das ist fein, sehr fein, fein abgestimmt und fein gemahlen.\n",
		"The firm draws with CAD, and sells CAD files and CAD courses. CAD.\n",
		"A fire alarm with a siren, and a second siren at the siren tower.\n",
	} {
		if got := summary(t, text("a.txt", "Insured: Fenwick Looms Ltd\n\n"+line)); strings.Contains(got, "risk_country") {
			t.Errorf("%s: %s", line, got)
		}
	}
}
