package office

// For the tests in package office_test, which read whole documents.

const (
	XLSBOF        = xlsBOF
	XLSEOF        = xlsEOF
	XLSBoolErr    = xlsBoolErr
	XLSBoundSheet = xlsBoundSheet
	XLSContinue   = xlsContinue
	XLSDateMode   = xlsDateMode
	XLSFilePass   = xlsFilePass
	XLSFormat     = xlsFormat
	XLSFormula    = xlsFormula
	XLSLabel      = xlsLabel
	XLSLabelSST   = xlsLabelSST
	XLSMerged     = xlsMerged
	XLSMulRK      = xlsMulRK
	XLSNumber     = xlsNumber
	XLSRK         = xlsRK
	XLSSST        = xlsSST
	XLSString     = xlsString
	XLSXF         = xlsXF

	XLSPassword = xlsPassword
)

var (
	DecryptXLS = decryptXLS
	DecryptRC4 = decryptRC4
)

// Symbols returns a function that returns what a placeholder at a byte of a document stands
// for, given the streams of the document.
func Symbols(main, table, forms []byte) func(at int) string {
	return (&docFile{main: main, table: table, forms: forms}).symbol
}

// CountTableParagraphs returns the number of paragraphs that belong to tables.
func CountTableParagraphs(main, table []byte) int {
	return len((&docFile{main: main, table: table}).tableParagraphs())
}
