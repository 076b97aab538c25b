package data_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/enrich"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

func TestInquiryShapes(t *testing.T) {
	servertest.Proves(t,
		"What the service does: 3 the company is read by report id",
		"What the service does: 4 three kinds of inquiry",
		"Resources, conventions: unknown data",
		"Endpoint 6, company data of a transaction: method, path, idType",
		"Endpoint 7, location data of a transaction: method, path, idType",
		"Chosen, data inquiry: response_time_secs is a number in version 1 and a string later",
		"Chosen, data inquiry: unknown values are empty, those of numbers too",
		"Chosen, data inquiry: scores have two decimals, and only fields with a value have one",
		"Chosen, data inquiry: amounts have separators of thousands and two decimals",
		"Chosen, data inquiry: dates are YYYY-MM-DD",
		"Chosen, data inquiry: version 1 reads the reports of both kinds of submit")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	status := acme.Status(txID)
	for _, c := range []struct {
		name   string
		report *enrich.Report // nil for that of the letter
	}{
		{"letter", nil},
		{"everything", new(servertest.FullReport())},
		{"nothing", &enrich.Report{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.report != nil {
				s.ReplaceReport(txID, *c.report)
			}
			company := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
			servertest.CheckCompanyV2(t, company)
			sov := acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
			servertest.CheckLocationsV2(t, sov)
			v1 := acme.Do("GET /data/v1/acme-us-c0001/"+status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
			servertest.CheckCompanyV1(t, v1)
			if v1.Text(t, "data", "company_id") != status.Text(t, "c_report_id") {
				t.Errorf("company_id in %s", v1.Body)
			}
			if c.report == nil {
				return
			}
			for shape, response := range map[string]servertest.Response{"transaction": company, "sov": sov, "report": v1} {
				// The ids differ each time.
				for _, id := range []string{response.Text(t, "tx_id"), txID, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")} {
					response.Body = strings.ReplaceAll(response.Body, id, "…")
				}
				servertest.Golden(t, "inquiry-"+shape+"-"+c.name+".json", response.Body)
			}
		})
	}
}

func TestInquiryHead(t *testing.T) {
	servertest.Proves(t,
		"Data inquiry response, company data for a transaction: top level",
		"Chosen, data inquiry: tx_id is a new id, doc_reference_id that of the submission",
		"Chosen, data inquiry: doc_reference_id ends with whitespace only by a setting",
		"Chosen, data inquiry: sov has the location shape with a package of either kind",
		"Chosen, control API, settings: trailing_whitespace")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	status := acme.Status(txID)
	user := s.NewToken(seed.Demos()[0]).Text(t, "uid")
	seen := map[string]bool{txID: true}
	for line, dataPackage := range map[string]string{
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction":             "acme-us-c0001",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=sov":                     "acme-us-l0001",
		"GET /data/v1/acme-us-c0001/" + status.Text(t, "c_report_id"):            "acme-us-c0001",
		"GET /data/v2/acme-us-c0001/" + txID + "?x=1&idType=transaction&idtype=": "acme-us-c0001",
	} {
		for range 2 {
			response := acme.Do(line, "").Want(t, http.StatusOK)
			if strings.Contains(line, "idType=sov") {
				servertest.CheckLocationsV2(t, response)
			}
			id := response.Text(t, "tx_id")
			if _, err := uuid.Parse(id); err != nil || seen[id] {
				t.Errorf("%s: tx_id %s, want a new UUID", line, id)
			}
			seen[id] = true
			want := []string{dataPackage, "acme", user, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")}
			var head []string
			for _, name := range []string{"data_package_id", "tenant_id", "user_id", "c_report_id", "l_report_id"} {
				head = append(head, response.Text(t, name))
			}
			if diff := cmp.Diff(want, head); diff != "" {
				t.Errorf("%s (- want, + got):\n%s", line, diff)
			}
			if strings.Contains(line, "/v2/") && response.Text(t, "doc_reference_id") != txID {
				t.Errorf("%s: doc_reference_id %q, want %q", line, response.Text(t, "doc_reference_id"), txID)
			}
		}
	}
	// A setting adds whitespace to the reference id.
	s.Settings("acme", `{"trailing_whitespace":true}`)
	for _, idType := range []string{"transaction", "sov"} {
		got := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType="+idType, "").Want(t, http.StatusOK).Text(t, "doc_reference_id")
		if got == txID || strings.TrimRight(got, " ") != txID {
			t.Errorf("doc_reference_id %q, want %q and whitespace", got, txID)
		}
	}
}

func TestInquiryWithoutLocations(t *testing.T) {
	servertest.Proves(t, "Chosen, data inquiry: sov without locations has no elements")
	s := servertest.New(t)
	acme := s.Acme()
	response := acme.Do("GET /data/v2/acme-us-c0001/"+acme.Submit("letter.txt", servertest.Letter)+"?idType=sov", "").Want(t, http.StatusOK)
	if !strings.HasSuffix(response.Body, `"data":[]}`) {
		t.Errorf("response %s, want an empty array", response.Body)
	}
}

// TestReportIDsOfTheGeneralFormCanBeRead checks ids that this server would not make.
func TestReportIDsOfTheGeneralFormCanBeRead(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: any report id of the general form can be read")
	s := servertest.New(t)
	acme := s.Acme()
	for _, digits := range []string{"GB0", "ZZ9QX7", "US" + strings.Repeat("1A", 40)} {
		submitted := acme.Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
		s.Exec("update reports set c_report_id = $1, l_report_id = $2 where c_report_id = $3", "C"+digits, "L"+digits, submitted.Text(t, "c_report_id"))
		for _, line := range []string{"GET /data/v1/acme-us-c0001/C" + digits, "GET /data/v4/acme-us-c0001/L" + digits} {
			if got := acme.Do(line, "").Want(t, http.StatusOK).Text(t, "c_report_id"); got != "C"+digits {
				t.Errorf("%s: c_report_id %s", line, got)
			}
		}
	}
}
