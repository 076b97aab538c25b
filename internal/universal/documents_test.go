package universal_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mailWith returns a mail about an insured with one attachment.
func mailWith(filename, content string) string {
	return "From: Ann Quill <ann@quill-brokers.example>\r\nSubject: New submission\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/plain\r\n\r\nNamed Insured: Foxglove Bakery LLC\r\n\r\n" +
		"--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=" + filename + "\r\n\r\n" + content + "\r\n--b--\r\n"
}

// pdfOf returns a PDF of the objects, of which the first is the catalog. trailer
// is added to its trailer.
func pdfOf(trailer string, objects ...string) string {
	var text, table strings.Builder
	text.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", text.Len())
		fmt.Fprintf(&text, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, size := text.Len(), len(objects)+1
	fmt.Fprintf(&text, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", size, &table, size, trailer, start)
	return text.String()
}

// emptyPage are the objects of a PDF with one empty page.
var emptyPage = []string{
	"<</Type/Catalog/Pages 2 0 R>>",
	"<</Type/Pages/Kids[3 0 R]/Count 1>>",
	"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
}

// encryptedPDF returns a PDF that an empty password does not open.
func encryptedPDF() string {
	return pdfOf("/Encrypt 4 0 R/ID[<0001020304050607><0001020304050607>]", append(slices.Clone(emptyPage),
		"<</Filter/Standard/V 1/R 2/Length 40/P -4/O<"+strings.Repeat("5a", 32)+">/U<"+strings.Repeat("a5", 32)+">>>")...)
}

// statementOfValues returns a statement of values with that many locations, as
// CSV.
func statementOfValues(locations int) string {
	var text strings.Builder
	text.WriteString("Loc #,Address,City,State,Zip,Building Value\n")
	for i := range locations {
		fmt.Fprintf(&text, "%d,%d Mill Street,Springfield,IL,62701,%d\n", i+1, i+1, 1000*(i+1))
	}
	return text.String()
}

// zipped returns a zip archive of one file.
func zipped(t *testing.T, name, content string) string {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	file, err := writer.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}
