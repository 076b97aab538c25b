package office_test

import (
	"errors"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

// TestNothingRecovered: a damaged document from which nothing could be read does
// not count as partly read.
func TestNothingRecovered(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"word/document.xml": "damaged Word document", "xl/workbook.xml": "damaged Excel workbook"} {
		file := documenttest.Zip(t, name, `<workbook><sheets><sheet name="S" r:id="r"/></sheets><a`)
		_, err := documenttest.Read(t, "a", file)
		var bad *content.Unreadable
		if !errors.As(err, &bad) || bad.Cause != content.Damaged || bad.Reason != want {
			t.Errorf("%s: got error %v, want %q", name, err, want)
		}
	}
}
