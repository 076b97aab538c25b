package universal_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// transaction is a submission as the control API shows it.
type transaction struct {
	TxID       string `json:"tx_id"`
	Status     string
	Failure    string
	Extraction *struct {
		Facts []struct {
			Field, Text, Evidence string
			Score                 float64
		}
		Parts []struct{ Name, Note string }
	}
}

// notes returns the notes about all parts of the document, a line each.
func (tx transaction) notes() (notes string) {
	if tx.Extraction != nil {
		for _, part := range tx.Extraction.Parts {
			if part.Note != "" {
				notes += part.Name + ": " + part.Note + "\n"
			}
		}
	}
	return notes
}

// submitToEnd submits the document as the tenant acme and returns its transaction
// once it has ended.
func submitToEnd(t *testing.T, acme servertest.Client, filename, content string) (ended transaction) {
	t.Helper()
	txID := acme.Submit(filename, []byte(content))
	response := acme.Tenant("acme").Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(response.Body), &ended); err != nil {
		t.Fatal(err)
	}
	return ended
}

// TestEndingByDocument checks that an unreadable document, one of which a part is
// unreadable, and one without any facts end differently, each with its reason.
func TestEndingByDocument(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, transactions: read with the evidence of each value",
		"Chosen, universal submit: a file that cannot be read fails",
		"Chosen, universal submit: a document with a password and a broken container fail",
		"Chosen, universal submit: a scan and a document without insurance facts complete, with empty values",
		"Chosen, universal submit: the reason and what was left out are in the control API")
	s := servertest.New(t)
	acme := s.Acme()
	scan := pdfOf("", emptyPage...)
	for name, test := range map[string]struct {
		filename, content string
		failure           string // prefix; "" if the submission completes
		note              string // in the notes about the parts
		company           string
	}{
		"unknown type":                     {filename: "a.bin", content: noise(5000), failure: "unknown file type"},
		"unsupported type":                 {filename: "a.gif", content: "GIF89a", failure: "image: not supported"},
		"unsupported workbook":             {filename: "a.xlsb", content: zipped(t, "xl/workbook.bin", "x"), failure: "Excel binary workbook (.xlsb): not supported"},
		"password":                         {filename: "a.pdf", content: encryptedPDF(), failure: "password protected"},
		"damaged container":                {filename: "a.docx", content: zipped(t, "word/document.xml", "<w:document"), failure: "damaged Word document"},
		"scan":                             {filename: "a.pdf", content: scan, note: "a.pdf: no text (a scan?)"},
		"text not about insurance":         {filename: "a.txt", content: "The cat sat on the mat, and the dog on the log.\n"},
		"mail with damaged attachment":     {filename: "a.eml", content: mailWith("plan.docx", "PK\x03\x04 cut"), company: "Foxglove Bakery LLC", note: "plan.docx: "},
		"mail with encrypted attachment":   {filename: "a.eml", content: mailWith("plan.pdf", encryptedPDF()), company: "Foxglove Bakery LLC", note: "plan.pdf: password protected"},
		"mail with empty attachment":       {filename: "a.eml", content: mailWith("plan.pdf", ""), company: "Foxglove Bakery LLC", note: "plan.pdf: the file is empty"},
		"mail with unsupported attachment": {filename: "a.eml", content: mailWith("logo.gif", "GIF89a"), company: "Foxglove Bakery LLC", note: "logo.gif: image: not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			ended := submitToEnd(t, acme, test.filename, test.content)
			if test.failure != "" {
				if ended.Status != "Failed" || !strings.HasPrefix(ended.Failure, test.failure) || ended.Extraction != nil {
					t.Errorf("transaction %+v, want Failed with %q", ended, test.failure)
				}
				return
			}
			if ended.Status != "Completed" || ended.Failure != "" || ended.Extraction == nil {
				t.Fatalf("transaction %+v, want Completed", ended)
			}
			if !strings.Contains(ended.notes(), test.note) {
				t.Errorf("notes %q, want %q", ended.notes(), test.note)
			}
			if len(ended.Extraction.Facts) == 0 && test.company != "" {
				t.Error("no fact is shown")
			}
			for _, fact := range ended.Extraction.Facts {
				if fact.Evidence == "" {
					t.Errorf("%s has no evidence", fact.Field)
				}
			}
			inquiry := acme.Do("GET /data/v2/acme-us-c0001/"+ended.TxID+"?idType=transaction", "").Want(t, http.StatusOK)
			if company := inquiry.Text(t, "data", "facts", "company_name"); company != test.company {
				t.Errorf("company_name %q, want %q", company, test.company)
			}
			if confidence := inquiry.Get(t, "cleansed_input", "confidence_score"); test.company == "" && confidence != "" {
				t.Errorf("confidence_score %v, want an empty string", confidence)
			}
		})
	}
}

// TestPartialDocument checks that facts from the text before a limit was reached
// count, with a slightly lower score.
func TestPartialDocument(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	submit := func(content string) (insuredScore float64, notes string) {
		t.Helper()
		ended := submitToEnd(t, acme, "a.rtf", content)
		if ended.Status != "Completed" {
			t.Fatalf("status %s: %s", ended.Status, ended.Failure)
		}
		for _, fact := range ended.Extraction.Facts {
			if fact.Field == "company_name" && fact.Text == "Foxglove Bakery LLC" {
				insuredScore = fact.Score
			}
		}
		return insuredScore, ended.notes()
	}
	const text = `{\rtf1\ansi Foxglove Bakery LLC insures its shops.\par\par `
	whole, wholeNotes := submit(text + "}")
	partial, partialNotes := submit(text + strings.Repeat("{", 100_000))
	if wholeNotes != "" || !strings.Contains(partialNotes, "the rest was skipped") {
		t.Errorf("notes %q and %q, want one only about the partial document", wholeNotes, partialNotes)
	}
	if partial == 0 || partial >= whole {
		t.Errorf("scores %v and %v, want the second to be lower", whole, partial)
	}
}
