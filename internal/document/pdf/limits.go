package pdf

import "understudy.example/internal/document/content"

// Limits of one PDF.
const (
	maxPages     = 500
	maxNodes     = 20_000 // of the tree of pages
	maxNodeDepth = 50
	maxGlyphs    = 2_000_000
	maxOperators = 20_000_000
	maxStream    = 16 << 20  // bytes of one stream, decoded
	maxDecoded   = 200 << 20 // bytes of all streams, each as often as it is decoded
	maxForms     = 8         // form XObjects drawn inside each other
	maxRules     = 20_000    // on one page
	maxCodes     = 200_000   // in one font
	maxAllCodes  = 2_000_000 // in all fonts
	maxFields    = 20_000
	maxFonts     = 10_000
)

// allowance is how much of some work a PDF may still do, and how much all PDFs of the submission
// together may.
type allowance struct {
	left  int
	inAll *int
}

func newAllowance(f *content.File, name string, most, inAll int) *allowance {
	return &allowance{most, f.Budget(name, inAll)}
}

// take takes n from the allowance. It reports whether that was within both limits.
func (a *allowance) take(n int) bool {
	a.left -= n
	*a.inAll -= n
	return a.left >= 0 && *a.inAll >= 0
}

// Limits of all PDFs of a submission.
const (
	maxGlyphsInAll    = 3 * maxGlyphs
	maxOperatorsInAll = 2 * maxOperators
	maxDecodedInAll   = 2 * maxDecoded
)
