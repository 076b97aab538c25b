package extract

import "testing"

// TestInsurerOfAnotherPart checks that the details at the beginning of a file are the insured's, even if
// the file before it ends with the name of an insurer.
func TestInsurerOfAnotherPart(t *testing.T) {
	t.Parallel()
	e := understand(t,
		text("a.txt", "Insured: Fenwick Looms Ltd\n\nHarbour Insurance Company\n"),
		text("b.txt", "Address: 12 Mill Lane, Derby DE1 1AA\nPhone: 01332 496 0111\n"))
	checkStated(t, e, map[string]string{"address": "12 Mill Lane, Derby DE1 1AA", "phone_number": "01332 496 0111"})
}
