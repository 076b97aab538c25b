package data_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

func TestInquiryShapes(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID := acme.Submit("servertest.Letter.txt", servertest.Letter)
	status := acme.Status(txID)
	for _, c := range []struct {
		name   string
		report *enrich.Report // nil for the one that the servertest.Letter gave
	}{
		{"servertest.Letter", nil},
		{"everything", new(everything())},
		{"nothing", &enrich.Report{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.report != nil {
				w.report(txID, *c.report)
			}
			company := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
			checkCompanyV2(t, company)
			sov := acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
			checkLocationsV2(t, sov)
			v1 := acme.Do("GET /data/v1/acme-us-c0001/"+status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
			checkCompanyV1(t, v1)
			if v1.Text(t, "data", "company_id") != status.Text(t, "c_report_id") {
				t.Errorf("company_id in %s", v1.Body)
			}
			if c.report == nil {
				return
			}
			for shape, got := range map[string]servertest.Response{"transaction": company, "sov": sov, "report": v1} {
				// What is fresh each time has no place in the expected body.
				for _, id := range []string{got.Text(t, "tx_id"), txID, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")} {
					got.Body = strings.ReplaceAll(got.Body, id, "…")
				}
				servertest.Golden(t, "inquiry-"+shape+"-"+c.name+".json", got.Body)
			}
		})
	}
}

func TestInquiryHead(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	txID := acme.Submit("servertest.Letter.txt", servertest.Letter)
	status := acme.Status(txID)
	user := w.token(demoOf("acme-client")).Text(t, "uid")
	seen := map[string]bool{txID: true}
	for line, pack := range map[string]string{
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction":             "acme-us-c0001",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v1/acme-us-c0001/" + status.Text(t, "c_report_id"):            "acme-us-c0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?x=1&idType=transaction&idtype=": "acme-us-c0001",
	} {
		for range 2 {
			got := acme.Do(line, "").Want(t, http.StatusOK)
			id := got.Text(t, "tx_id")
			if _, err := uuid.Parse(id); err != nil || seen[id] {
				t.Errorf("%s: tx_id %s is not fresh", line, id)
			}
			seen[id] = true
			want := []string{pack, "acme", user, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")}
			var head []string
			for _, name := range []string{"data_package_id", "tenant_id", "user_id", "c_report_id", "l_report_id"} {
				head = append(head, got.Text(t, name))
			}
			if diff := cmp.Diff(want, head); diff != "" {
				t.Errorf("%s (- want, + got):\n%s", line, diff)
			}
			if strings.Contains(line, "/v2/") && got.Text(t, "doc_reference_id") != txID {
				t.Errorf("%s: doc_reference_id %q", line, got.Text(t, "doc_reference_id"))
			}
		}
	}
	// A reference id may carry trailing whitespace.
	w.Settings("acme", `{"trailing_whitespace":true}`)
	for _, idType := range []string{"transaction", "sov"} {
		got := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType="+idType, "").Want(t, http.StatusOK).Text(t, "doc_reference_id")
		if got == txID || strings.TrimRight(got, " ") != txID {
			t.Errorf("doc_reference_id %q", got)
		}
	}
}

func TestInquiryWithoutLocations(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	got := acme.Do("GET /data/v2/acme-us-c0001/"+acme.Submit("servertest.Letter.txt", servertest.Letter)+"?idType=sov", "").Want(t, http.StatusOK)
	if !strings.HasSuffix(got.Body, `"data":[]}`) {
		t.Errorf("answer %s", got.Body)
	}
}

func TestInquiryRefusals(t *testing.T) {
	w := servertest.New(t)
	acme, globex := w.Acme(), w.Globex()
	done := acme.Submit("servertest.Letter.txt", servertest.Letter)
	theirs := globex.Submit("servertest.Letter.txt", servertest.Letter)
	failed := acme.Submit("noise.bin", []byte(noise(5000)))
	pending, _ := acme.Announce("a.txt")
	report, theirReport := acme.Status(done), globex.Status(theirs)
	quick := globex.Do("POST /company/v1/company_submit", `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)

	const noPackage, noReport = `{"message":"Data package not found"}`, `{"message":"Report not found"}`
	const badType, incomplete = `{"message":"Invalid idType"}`, `{"message":"Transaction is not complete","status":`
	for _, c := range []struct {
		line, body string
		status     int
	}{
		{"/data/v2/acme-us-c0001/" + done, badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=Transaction", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=SOV", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=report", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idType=transaction%20", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?idtype=transaction", badType, 400},
		{"/data/v2/acme-us-c0001/" + done + "?IdType=transaction", badType, 400},

		{"/data/v2/acme-us-c0002/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v2/globex-us-c0001/" + done + "?idType=transaction", noPackage, 404},
		{"/data/v2/globex-us-l0001/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/ACME-us-c0001/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/%00/" + done + "?idType=sov", noPackage, 404},
		{"/data/v2/%FF/" + done + "?idType=sov", noPackage, 404},
		{"/data/v1/acme-us-c0002/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/globex-us-c0001/" + report.Text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/%00/" + report.Text(t, "c_report_id"), noPackage, 404},

		{"/data/v2/acme-us-c0001/" + theirs + "?idType=transaction", noSuch, 404},
		{"/data/v2/acme-us-c0001/" + report.Text(t, "c_report_id") + "?idType=transaction", noSuch, 404},
		{"/data/v2/acme-us-c0001/" + quick.Text(t, "tx_id") + "?idType=transaction", noSuch, 404},

		{"/data/v2/acme-us-c0001/" + pending + "?idType=transaction", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + pending + "?idType=sov", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + failed + "?idType=transaction", incomplete + `"Failed"}`, 409},
		{"/data/v2/acme-us-l0001/" + failed + "?idType=sov", incomplete + `"Failed"}`, 409},

		{"/data/v1/acme-us-c0001/CUS1187A2AAE214E4540", noReport, 404},
		{"/data/v1/acme-us-c0001/" + report.Text(t, "l_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + strings.ToLower(report.Text(t, "c_report_id")), noReport, 404},
		{"/data/v1/acme-us-c0001/" + theirReport.Text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + quick.Text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + done, noReport, 404},
		{"/data/v1/acme-us-c0001/x", noReport, 404},
		{"/data/v1/acme-us-c0001/%00", noReport, 404},
		{"/data/v1/acme-us-c0001/%FF", noReport, 404},
	} {
		t.Run(c.line, func(t *testing.T) {
			w.refused(t, servertest.Call{Line: "GET " + c.line, Token: acme.Token, Key: acme.Key}, c.status, c.body)
		})
	}
}
