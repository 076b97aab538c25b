package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/documenttest"
)

func TestPDFForm(t *testing.T) {
	content := at(50, 700, "Trading name:") + at(50, 650, "Sprinklers")
	file := pdfPageOf("/Annots[7 0 R 8 0 R 9 0 R]", content,
		"<</T(form)/Kids[7 0 R 8 0 R 9 0 R]>>",
		"<</T(Insured_Name)/FT/Tx/V<FEFF00410063006D0065>/Rect[120 698 300 712]/Parent 6 0 R>>",
		"<</T(Text1)/FT/Tx/V(Bolt Ltd)/Rect[120 698 300 712]/Parent 6 0 R>>",
		"<</T(Check Box2)/FT/Btn/V/Yes/Rect[120 648 132 662]/Parent 6 0 R>>")
	want := "form.Insured_Name = Acme\nTrading name = Bolt Ltd\nSprinklers = Yes\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
}

// TestPDFFormLabelBeside checks that a label with a colon, even far to the left of a field, is preferred to the title
// above the field.
func TestPDFFormLabelBeside(t *testing.T) {
	content := at(50, 725, "Application for a package of many covers") + at(50, 700, "Applicant:")
	file := pdfPageOf("/Annots[7 0 R]", content, "<</T(form)/Kids[7 0 R]>>", "<</T(f00)/FT/Tx/V(Bolt Ltd)/Rect[220 698 400 712]/Parent 6 0 R>>")
	want := "Applicant = Bolt Ltd\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
}

// TestPDFFormCodes checks that the text above a field becomes its label if the field's name is a
// code, and that this text is not read a second time.
func TestPDFFormCodes(t *testing.T) {
	content := at(50, 720, "Hotel street address") + at(300, 720, "City")
	file := pdfPageOf("/Annots[7 0 R 8 0 R]", content,
		"<</T(form)/Kids[7 0 R 8 0 R]>>",
		"<</T(hst)/FT/Tx/V(27 Oracle Rd)/Rect[50 700 250 716]/Parent 6 0 R>>",
		"<</T(hcity)/FT/Tx/V(Tucson)/Rect[300 700 400 716]/Parent 6 0 R>>")
	want := "Hotel street address = 27 Oracle Rd\nCity = Tucson\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPDFFormBoxes reads checkboxes, lists, and fields that the form does not
// list.
func TestPDFFormBoxes(t *testing.T) {
	content := at(50, 700, "Corporation") + at(150, 700, "Partnership") + at(50, 650, "Sprinklers")
	file := pdfPageOf("/Annots[7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R]", content,
		"<</T(legal form)/FT/Btn/V/1/Kids[7 0 R 8 0 R]>>",
		"<</Subtype/Widget/AS/Off/Rect[35 698 45 710]/Parent 6 0 R>>",
		"<</Subtype/Widget/AS/1/Rect[135 698 145 710]/Parent 6 0 R>>",
		"<</Subtype/Widget/T(Check Box2)/FT/Btn/AS/Yes/Rect[120 648 132 662]>>",
		"<</Subtype/Widget/T(st)/TU(State of the risk)/FT/Ch/V(TX)/Opt[[(CA)(California)][(TX)(Texas)]]/Rect[300 648 332 662]>>",
		"<</Subtype/Widget/T(NamedInsured_FullName_A[0])/TU(Enter text: the name.)/FT/Tx/V(Acme)/Rect[300 600 332 612]>>",
		"<</Subtype/Widget/T(Check Box3)/FT/Btn/V/Off/AS/Off/Rect[300 500 332 512]>>")
	want := "legal form = Partnership\nSprinklers = Yes\nState of the risk = Texas\nNamedInsured_FullName_A[0] = Acme\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); !strings.HasSuffix(got, want) || strings.Contains(got, "Box3") {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
}

// TestPDFFormOrder checks that a field comes after the paragraph beside it, that the text above a
// hint labels a field, and that a question beside an answered checkbox is its label.
func TestPDFFormOrder(t *testing.T) {
	content := at(50, 740, "Applicant") + at(50, 700, "Name of the firm") + at(50, 688, "Please list all firms that are to be insured.") +
		at(50, 600, "Agency") + at(50, 580, "Operations") + at(50, 540, "Any cranes in use?") + at(300, 540, "Yes") + at(350, 540, "No")
	file := pdfPageOf("/Annots[7 0 R 8 0 R 9 0 R]", content,
		"<</T(form)/Kids[7 0 R 8 0 R 9 0 R]>>",
		"<</T(Check Box2)/FT/Btn/V/Yes/Rect[335 538 347 550]/Parent 6 0 R>>",
		"<</T(Agency_Name)/FT/Tx/V(Quill Agency)/Rect[120 598 300 612]/Parent 6 0 R>>",
		"<</T(Text1)/FT/Tx/V(Bolt Ltd)/Rect[50 660 300 680]/Parent 6 0 R>>")
	want := "Applicant\nName of the firm = Bolt Ltd\nAgency\nform.Agency_Name = Quill Agency\nOperations\nAny cranes in use? = No\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPDFFormAnswers checks that a checkbox without a text beside it answers no question: the text of the
// field before it is not its answer.
func TestPDFFormAnswers(t *testing.T) {
	content := at(50, 540, "Name of the insured") + at(300, 540, "Date")
	file := pdfPageOf("/Annots[7 0 R 8 0 R]", content,
		"<</T(form)/Kids[7 0 R 8 0 R]>>",
		"<</T(Text1)/FT/Tx/V(1 May 2027)/Rect[335 538 400 550]/Parent 6 0 R>>",
		"<</T(Check Box9)/FT/Btn/V/Yes/Rect[500 38 512 50]/Parent 6 0 R>>")
	want := "Name of the insured\nDate = 1 May 2027\nform.Check Box9 = Yes\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPDFFormTable checks that fields in the cells of a table are read as its cells, and that a header
// above the uppermost rule belongs to the table.
func TestPDFFormTable(t *testing.T) {
	var content strings.Builder
	content.WriteString(at(52, 710, "Address") + at(152, 710, "Use") + at(252, 710, "Built") + at(352, 710, "Sum insured"))
	for _, y := range []int{640, 660, 680, 700} {
		fmt.Fprintf(&content, "50 %d m 450 %d l S\n", y, y)
	}
	for _, x := range []int{50, 150, 250, 350, 450} {
		fmt.Fprintf(&content, "%d 640 m %d 700 l S\n", x, x)
	}
	fields := []string{"<</T(form)/Kids[7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R]>>"}
	for i, value := range []string{"4 Weaver Street", "Mill", "1892", "650000", "9 Elm Road", "Office", "1978", "425000"} {
		x, y := 50+100*(i%4), 680-20*(i/4)
		fields = append(fields, fmt.Sprintf("<</T(Text%d)/FT/Tx/V(%s)/Rect[%d %d %d %d]/Parent 6 0 R>>", i+1, value, x+2, y+2, x+98, y+18))
	}
	file := pdfPageOf("/Annots[7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R]", content.String(), fields...)
	want := "[]\n  Address|Use|Built|Sum insured|\n  4 Weaver Street|Mill|1892|650000|\n  9 Elm Road|Office|1978|425000|\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", file)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzPDFForm puts the dictionaries of the fuzzer where fields of a form are.
func FuzzPDFForm(f *testing.F) {
	f.Add("/T(a)/FT/Tx/V(b)/Rect[120 698 300 712]", "/T(c)/FT/Btn/AS/1/Parent 6 0 R/Kids[6 0 R]")
	f.Add("/T(a)/FT/Ch/V[(x)(y)]/Opt[[(x)(X)](y)]/Kids[7 0 R]", "/AS/Off/Rect[1 2 3 4]/Subtype/Widget")
	f.Fuzz(func(t *testing.T, field, box string) {
		documenttest.Check(t, "a.pdf", pdfPageOf("/Annots[6 0 R 7 0 R]", at(50, 700, "Label:"), "<<"+field+">>", "<<"+box+">>"))
	})
}
