package main

import (
	"net/http"
	"path"
	"strings"
	"testing"
)

// TestExamples holds every field of the answers for the example documents: a
// change of any value shows here, to be judged against the document.
func TestExamples(t *testing.T) {
	for _, name := range []string{"submission.eml", "application.pdf", "letter.docx"} {
		t.Run(name, func(t *testing.T) {
			acme := newWorld(t).acme()
			txID := acme.submit(name, example(t, name))
			status := acme.status(txID).want(t, http.StatusOK)
			company, locations := status.text(t, "c_report_id"), status.text(t, "l_report_id")
			for shape, line := range map[string]string{
				"company": "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
				"sov":     "GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
				"report":  "GET /data/v1/acme-us-c0001/" + company,
			} {
				got := acme.do(line, "").want(t, http.StatusOK)
				fresh := strings.NewReplacer(
					got.text(t, "tx_id"), "{tx_id}",
					got.text(t, "user_id"), "{user_id}",
					got.text(t, "tx_start_time"), "{time}",
					got.text(t, "tx_end_time"), "{time}",
					txID, "{submission}", company, "{c_report_id}", locations, "{l_report_id}",
				)
				stem := strings.TrimSuffix(name, path.Ext(name))
				golden(t, "examples/"+stem+"."+shape+".json", fresh.Replace(got.Body))
			}
		})
	}
}
