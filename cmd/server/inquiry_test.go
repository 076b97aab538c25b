package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// everything is a report in which every field is known.
func everything() enrich.Report {
	report := enrich.Report{
		Seed:    enrich.Seed{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		Facts:   filled(field.Facts),
		Options: filled(field.Options),
		V1:      filled(field.Report),
		Locations: []enrich.Location{
			{Facts: filled(field.LocationFacts), Options: filled(field.LocationOptions)},
			{},
		},
	}
	c := &report.Cleansed
	c.CompanyName, c.Website, c.PhoneNumber, c.BureauNumber = "Foxglove Bakery", "www.foxglove.example", "+1 217-555-0100", "123456789"
	c.ConfidenceScore = 0.97114
	a := &c.Address
	a.StreetAddr, a.City, a.State, a.ZipOrPostalCode, a.Country, a.CountryISOCode = "12 Mill Street", "Springfield", "IL", "62701", "United States", "US"
	a.GeoPosition = enrich.GeoPosition{Latitude: 39.8204, Longitude: -89.59863}
	c.SeedInput.CompanyName = "Foxglove Bakery LLC"
	s := &c.SeedInput.Address
	s.StreetAddr, s.City, s.State, s.ZipOrPostalCode, s.Country = "12 Mill Street", "Springfield", "IL", "62701", "USA"
	return report
}

func TestInquiryShapes(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID := acme.submit("letter.txt", letter)
	status := acme.status(txID)
	for _, c := range []struct {
		name   string
		report *enrich.Report // nil for the one that the letter gave
	}{
		{"letter", nil},
		{"everything", new(everything())},
		{"nothing", &enrich.Report{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.report != nil {
				w.report(txID, *c.report)
			}
			company := acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").want(t, http.StatusOK)
			checkCompanyV2(t, company)
			sov := acme.do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").want(t, http.StatusOK)
			checkLocationsV2(t, sov)
			v1 := acme.do("GET /data/v1/acme-us-c0001/"+status.text(t, "c_report_id"), "").want(t, http.StatusOK)
			checkCompanyV1(t, v1)
			if v1.text(t, "data", "company_id") != status.text(t, "c_report_id") {
				t.Errorf("company_id in %s", v1.Body)
			}
			if c.report == nil {
				return
			}
			for shape, got := range map[string]answer{"transaction": company, "sov": sov, "report": v1} {
				// What is fresh each time has no place in the expected body.
				for _, id := range []string{got.text(t, "tx_id"), txID, status.text(t, "c_report_id"), status.text(t, "l_report_id")} {
					got.Body = strings.ReplaceAll(got.Body, id, "…")
				}
				golden(t, "inquiry-"+shape+"-"+c.name+".json", got.Body)
			}
		})
	}
}

func TestInquiryHead(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	txID := acme.submit("letter.txt", letter)
	status := acme.status(txID)
	user := w.token(demoOf("acme-client")).text(t, "uid")
	seen := map[string]bool{txID: true}
	for line, pack := range map[string]string{
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction":             "acme-us-c0001",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v1/acme-us-c0001/" + status.text(t, "c_report_id"):            "acme-us-c0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?x=1&idType=transaction&idtype=": "acme-us-c0001",
	} {
		for range 2 {
			got := acme.do(line, "").want(t, http.StatusOK)
			id := got.text(t, "tx_id")
			if _, err := uuid.Parse(id); err != nil || seen[id] {
				t.Errorf("%s: tx_id %s is not fresh", line, id)
			}
			seen[id] = true
			want := []string{pack, "acme", user, status.text(t, "c_report_id"), status.text(t, "l_report_id")}
			var head []string
			for _, name := range []string{"data_package_id", "tenant_id", "user_id", "c_report_id", "l_report_id"} {
				head = append(head, got.text(t, name))
			}
			if diff := cmp.Diff(want, head); diff != "" {
				t.Errorf("%s (- want, + got):\n%s", line, diff)
			}
			if strings.Contains(line, "/v2/") && got.text(t, "doc_reference_id") != txID {
				t.Errorf("%s: doc_reference_id %q", line, got.text(t, "doc_reference_id"))
			}
		}
	}
	// A reference id may carry trailing whitespace.
	w.settings("acme", `{"trailing_whitespace":true}`)
	for _, idType := range []string{"transaction", "sov"} {
		got := acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType="+idType, "").want(t, http.StatusOK).text(t, "doc_reference_id")
		if got == txID || strings.TrimRight(got, " ") != txID {
			t.Errorf("doc_reference_id %q", got)
		}
	}
}

func TestInquiryWithoutLocations(t *testing.T) {
	w := newWorld(t)
	acme := w.acme()
	got := acme.do("GET /data/v2/acme-us-c0001/"+acme.submit("letter.txt", letter)+"?idType=sov", "").want(t, http.StatusOK)
	if !strings.HasSuffix(got.Body, `"data":[]}`) {
		t.Errorf("answer %s", got.Body)
	}
}

func TestInquiryRefusals(t *testing.T) {
	w := newWorld(t)
	acme, globex := w.acme(), w.globex()
	done := acme.submit("letter.txt", letter)
	theirs := globex.submit("letter.txt", letter)
	failed := acme.submit("noise.bin", []byte(noise(5000)))
	pending, _ := acme.announce("a.txt")
	report, theirReport := acme.status(done), globex.status(theirs)
	quick := globex.do("POST /company/v1/company_submit", `{"company_name":"A","address":"B"}`).want(t, http.StatusOK)

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
		{"/data/v1/acme-us-c0002/" + report.text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/globex-us-c0001/" + report.text(t, "c_report_id"), noPackage, 404},
		{"/data/v1/%00/" + report.text(t, "c_report_id"), noPackage, 404},

		{"/data/v2/acme-us-c0001/" + theirs + "?idType=transaction", noSuch, 404},
		{"/data/v2/acme-us-c0001/" + report.text(t, "c_report_id") + "?idType=transaction", noSuch, 404},
		{"/data/v2/acme-us-c0001/" + quick.text(t, "tx_id") + "?idType=transaction", noSuch, 404},

		{"/data/v2/acme-us-c0001/" + pending + "?idType=transaction", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + pending + "?idType=sov", incomplete + `"Pending"}`, 409},
		{"/data/v2/acme-us-c0001/" + failed + "?idType=transaction", incomplete + `"Failed"}`, 409},
		{"/data/v2/acme-us-l0001/" + failed + "?idType=sov", incomplete + `"Failed"}`, 409},

		{"/data/v1/acme-us-c0001/CUS1187A2AAE214E4540", noReport, 404},
		{"/data/v1/acme-us-c0001/" + report.text(t, "l_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + strings.ToLower(report.text(t, "c_report_id")), noReport, 404},
		{"/data/v1/acme-us-c0001/" + theirReport.text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + quick.text(t, "c_report_id"), noReport, 404},
		{"/data/v1/acme-us-c0001/" + done, noReport, 404},
		{"/data/v1/acme-us-c0001/x", noReport, 404},
		{"/data/v1/acme-us-c0001/%00", noReport, 404},
		{"/data/v1/acme-us-c0001/%FF", noReport, 404},
	} {
		t.Run(c.line, func(t *testing.T) {
			w.refused(t, call{line: "GET " + c.line, token: acme.token, key: acme.key}, c.status, c.body)
		})
	}
}
