package server_test

import (
	"net/http"
	"path"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestExampleDocuments compares every field of the responses for the example
// documents with the expected ones. When a value changes, compare it with the
// document.
func TestExampleDocuments(t *testing.T) {
	servertest.Proves(t, "What the service does: 2 an email, a Word document, a PDF, a spreadsheet") // the email contains a workbook
	for _, name := range []string{"submission.eml", "application.pdf", "letter.docx"} {
		t.Run(name, func(t *testing.T) {
			acme := servertest.New(t).Acme()
			txID := acme.Submit(name, servertest.Example(t, name))
			status := acme.Status(txID).Want(t, http.StatusOK)
			company, locations := status.Text(t, "c_report_id"), status.Text(t, "l_report_id")
			for shape, line := range map[string]string{
				"company": "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
				"sov":     "GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
				"report":  "GET /data/v1/acme-us-c0001/" + company,
			} {
				got := acme.Do(line, "").Want(t, http.StatusOK)
				varying := strings.NewReplacer(
					got.Text(t, "tx_id"), "{tx_id}",
					got.Text(t, "user_id"), "{user_id}",
					got.Text(t, "tx_start_time"), "{time}",
					got.Text(t, "tx_end_time"), "{time}",
					txID, "{submission}", company, "{c_report_id}", locations, "{l_report_id}",
				)
				stem := strings.TrimSuffix(name, path.Ext(name))
				servertest.Golden(t, "examples/"+stem+"."+shape+".json", varying.Replace(got.Body))
			}
		})
	}
}
