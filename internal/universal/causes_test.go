package universal_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/universal"
	"understudy.example/internal/worker"
)

// mailWith is a mail about an insured, with one attachment.
func mailWith(filename, content string) string {
	return "From: Ann Quill <ann@quill-brokers.example>\r\nSubject: New submission\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/plain\r\n\r\nNamed Insured: Foxglove Bakery LLC\r\n\r\n" +
		"--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=" + filename + "\r\n\r\n" + content + "\r\n--b--\r\n"
}

// pdfOf is a PDF of these objects, the catalog first; trailer stands in its
// trailer.
func pdfOf(trailer string, objects ...string) string {
	var text strings.Builder
	text.WriteString("%PDF-1.4\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", text.Len())
		fmt.Fprintf(&text, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, size := text.Len(), len(objects)+1
	fmt.Fprintf(&text, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", size, &table, size, trailer, start)
	return text.String()
}

var onePage = []string{
	"<</Type/Catalog/Pages 2 0 R>>",
	"<</Type/Pages/Kids[3 0 R]/Count 1>>",
	"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
}

// scan is a PDF with one page and no text on it; locked is one that no empty
// password opens.
var (
	scan   = pdfOf("", onePage...)
	locked = pdfOf("/Encrypt 4 0 R/ID[<0001020304050607><0001020304050607>]", append(slices.Clone(onePage),
		"<</Filter/Standard/V 1/R 2/Length 40/P -4/O<"+strings.Repeat("5a", 32)+">/U<"+strings.Repeat("a5", 32)+">>>")...)
)

// table is a statement of values with so many rows.
func table(rows int) string {
	var text strings.Builder
	text.WriteString("Loc #,Address,City,State,Zip,Building Value\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d Mill Street,Springfield,IL,62701,%d\n", i+1, i+1, 1000*(i+1))
	}
	return text.String()
}

// zipped is a zip archive of one file.
func zipped(t *testing.T, name, content string) string {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	file, err := writer.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	file.Write([]byte(content))
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}

// transaction is what the control API tells of one.
type transaction struct {
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

// ended takes the document to its end and returns what is told of it.
func (d *servertest.Tenant) ended(acme servertest.Client, filename, content string) (txID string, told transaction) {
	d.T.Helper()
	txID = acme.Submit(filename, []byte(content))
	got := d.Control("GET /transactions/"+txID, "").Want(d.T, http.StatusOK)
	if err := json.Unmarshal([]byte(got.Body), &told); err != nil {
		d.T.Fatal(err)
	}
	return txID, told
}

// status is the state that the row is in.
func (d *servertest.Tenant) status(txID string) string {
	return servertest.Value[string](d.world, "select status from submissions where tx_id = $1", txID)
}

// notes are the remarks about all parts.
func (told transaction) notes() (all string) {
	if told.Extraction != nil {
		for _, part := range told.Extraction.Parts {
			if part.Note != "" {
				all += part.Name + ": " + part.Note + "\n"
			}
		}
	}
	return all
}

// TestStatesByCause: failed, completed with less, and completed with nothing
// are different things, and each keeps its reason.
func TestStatesByCause(t *testing.T) {
	d := servertest.New(t, func(o *servertest.Options) { o.MaxUpload = 64 << 20 }).Tenant("acme")
	acme := d.Acme()
	for name, test := range map[string]struct {
		filename, content string
		failure           string // its beginning; "" = it completes
		note              string // in what is kept of the parts
		company           string
	}{
		"unknown":                 {filename: "a.bin", content: noise(5000), failure: "unknown file type"},
		"unsupported":             {filename: "a.gif", content: "GIF89a", failure: "image: not supported"},
		"unsupported workbook":    {filename: "a.xlsb", content: zipped(t, "xl/workbook.bin", "x"), failure: "Excel binary workbook (.xlsb): not supported"},
		"password":                {filename: "a.pdf", content: locked, failure: "password protected"},
		"broken container":        {filename: "a.docx", content: zipped(t, "word/document.xml", "<w:document"), failure: "damaged Word document"},
		"scan":                    {filename: "a.pdf", content: scan, note: "a.pdf: no text (a scan?)"},
		"text without insurance":  {filename: "a.txt", content: "The cat sat on the mat, and the dog on the log.\n"},
		"mail, bad attachment":    {filename: "a.eml", content: mailWith("plan.docx", "PK\x03\x04 cut"), company: "Foxglove Bakery LLC", note: "plan.docx: "},
		"mail, locked attachment": {filename: "a.eml", content: mailWith("plan.pdf", locked), company: "Foxglove Bakery LLC", note: "plan.pdf: password protected"},
		"mail, empty attachment":  {filename: "a.eml", content: mailWith("plan.pdf", ""), company: "Foxglove Bakery LLC", note: "plan.pdf: the file is empty"},
		"mail, foreign one":       {filename: "a.eml", content: mailWith("logo.gif", "GIF89a"), company: "Foxglove Bakery LLC", note: "logo.gif: image: not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			txID, told := d.ended(acme, test.filename, test.content)
			if test.failure != "" {
				if told.Status != "Failed" || !strings.HasPrefix(told.Failure, test.failure) || told.Extraction != nil {
					t.Errorf("%+v", told)
				}
				return
			}
			if told.Status != "Completed" || told.Failure != "" || told.Extraction == nil {
				t.Fatalf("%+v", told)
			}
			if !strings.Contains(told.notes(), test.note) {
				t.Errorf("notes %s", told.notes())
			}
			for _, fact := range told.Extraction.Facts {
				if fact.Evidence == "" {
					t.Errorf("%s without evidence", fact.Field)
				}
			}
			got := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
			if company := got.Text(t, "data", "facts", "company_name"); company != test.company {
				t.Errorf("company %q", company)
			}
			if confidence := got.Get(t, "cleansed_input", "confidence_score"); test.company == "" && confidence != 0.0 {
				t.Errorf("confidence %v", confidence)
			}
		})
	}
}

// TestLimitAfterText: what was read up to a limit counts, a little less.
func TestLimitAfterText(t *testing.T) {
	d := servertest.New(t).Tenant("acme")
	acme := d.Acme()
	insured := func(content string) (score float64, notes string) {
		_, told := d.ended(acme, "a.rtf", content)
		if told.Status != "Completed" {
			t.Fatalf("%s, %s", told.Status, told.Failure)
		}
		for _, fact := range told.Extraction.Facts {
			if fact.Field == "company_name" && fact.Text == "Foxglove Bakery LLC" {
				score = fact.Score
			}
		}
		return score, told.notes()
	}
	const text = `{\rtf1\ansi Insured: Foxglove Bakery LLC\par\par `
	full, none := insured(text + "}")
	less, notes := insured(text + strings.Repeat("{", 100_000))
	if none != "" || !strings.Contains(notes, "the rest left out") {
		t.Errorf("notes %q and %q", none, notes)
	}
	if diff := less - 0.8*full; full == 0 || diff < -0.001 || diff > 0.001 {
		t.Errorf("scores %v and %v", full, less)
	}
}

// TestStopGivesBack: a document that is being read when the server stops is
// given back, counts for nothing against it, and is read by the next server.
func TestStopGivesBack(t *testing.T) {
	stopped := worker.NewPool(1, 1, worker.Limits{Wall: 30 * time.Second, Memory: 512 << 20})
	t.Cleanup(stopped.Close)
	d := servertest.New(t, func(o *servertest.Options) { o.MaxUpload = 64 << 20 }).Tenant("acme")
	acme, next := d.Acme(), d.readers
	txID, url := acme.Announce("a.csv")
	d.Upload(url, "a.csv", []byte(table(20_000))).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)
	for d.Status(txID) != "Started" {
		d.Pass(time.Second)
		if _, err := universal.Advance(t.Context(), d.DB, d.Now(), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	d.Pass(2 * time.Second)
	done := make(chan error)
	go func() {
		_, err := universal.Process(context.WithoutCancel(t.Context()), d.DB, d.objects, stopped, d.Now, 2, func() {})
		done <- err
	}()
	for servertest.Value[int](d.world, "select attempt from submissions where tx_id = $1", txID) == 0 {
		runtime.Gosched()
	}
	stopped.Close()
	if err := <-done; !errors.Is(err, worker.ErrClosed) {
		t.Fatalf("%v", err)
	}
	if unfinished := servertest.Value[int](d.world, "select unfinished from submissions where tx_id = $1", txID); unfinished != 0 || d.Status(txID) != "Started" {
		t.Errorf("%d unfinished, %s", unfinished, d.Status(txID))
	}
	d.readers = next
	d.Pass(10 * time.Second)
	d.Work()
	if status := d.Status(txID); status != "Completed" {
		t.Errorf("then %s", status)
	}
}

// TestDeadlineAndMemory: such a document fails, once, and the next one is read.
func TestDeadlineAndMemory(t *testing.T) {
	for name, test := range map[string]struct {
		limits  worker.Limits
		failure string
	}{
		"deadline": {worker.Limits{Wall: 300 * time.Millisecond, Memory: 512 << 20}, "reading took longer than 300ms"},
		"memory":   {worker.Limits{Wall: 30 * time.Second, Memory: 64 << 20}, "reading took more than 64 MiB of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := worker.NewPool(1, 1, test.limits)
			t.Cleanup(pool.Close)
			d := servertest.New(t, func(o *servertest.Options) { o.MaxUpload = 64 << 20 }).Tenant("acme")
			d.readers = pool
			acme := d.Acme()
			txID, told := d.ended(acme, "a.csv", table(199_000))
			if told.Status != "Failed" || told.Failure != test.failure {
				t.Errorf("%s: %s", told.Status, told.Failure)
			}
			if attempts := servertest.Value[int](d.world, "select attempt from submissions where tx_id = $1", txID); attempts != 1 {
				t.Errorf("%d attempts", attempts)
			}
			if _, told := d.ended(acme, "b.csv", table(3)); told.Status != "Completed" {
				t.Errorf("the next is %s: %s", told.Status, told.Failure)
			}
		})
	}
}
