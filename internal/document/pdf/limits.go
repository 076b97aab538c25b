package pdf

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
	maxFonts     = 10_000 // kept in memory
)
