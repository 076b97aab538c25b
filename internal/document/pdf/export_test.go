package pdf

// ReadCMap is for the tests in package pdf_test, which read whole documents.
var ReadCMap = readCMap
