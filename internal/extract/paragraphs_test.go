package extract

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
)

// TestLinesAsParagraphs checks values in documents that have a paragraph for each line, as a Word document does.
func TestLinesAsParagraphs(t *testing.T) {
	t.Parallel()
	var blocks []content.Block
	for line := range strings.SplitSeq(`SUBMISSION
INSURED
Fenwick Haulage, LLC
4 Weaver Street
Salem, OR 97301
In business since 1987
PRODUCER
Birch Transportation Insurance
Nora Klein
937-555-0142
nora@birchins.example
PO Box 12, Alderville, OR 97302`, "\n") {
		blocks = append(blocks, content.Block{Text: line, Place: content.Place{Part: "a.docx"}})
	}
	e := understand(t, content.Part{Name: "a.docx", Format: content.DOCX, Blocks: blocks})
	var got []string
	for _, v := range append(e.Facts, e.Options...) {
		got = append(got, v.Field+"="+v.Text)
	}
	for _, want := range []string{
		"company_name=Fenwick Haulage, LLC", "address=4 Weaver Street, Salem, OR 97301", "year_founded=1987",
		"broker_name=Birch Transportation Insurance", "broker_contact_phone=937-555-0142", "broker_email=nora@birchins.example",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}
