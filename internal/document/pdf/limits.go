package pdf

// Limits of one PDF.
const (
	maxPages     = 500
	maxGlyphs    = 2_000_000
	maxOperators = 20_000_000
	maxStream    = 16 << 20 // bytes of one stream, decoded
	maxForms     = 8        // form XObjects drawn inside each other
	maxRules     = 20_000   // on one page
	maxCodes     = 200_000  // in one font
	maxFields    = 20_000
)
