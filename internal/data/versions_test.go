package data_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/enrich"
	"understudy.example/internal/server/servertest"
)

// TestInquiryVersions checks that from version 3 on the data package decides the
// shape, that the id may be any of the transaction's, and that the data is that of
// version 2.
func TestInquiryVersions(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: from version 3 the id is a report id or a transaction id",
		"Chosen, data inquiry: from version 3 idType is optional and the package decides the shape",
		"Chosen, data inquiry: response_time_secs is a number in version 1 and a string later",
		"Chosen, data inquiry: version 5 has an array of elements with scores, and additional_data",
		"Chosen, data inquiry: version 5 has limits as objects",
		"Version 5, packages: no idType is needed",
		"Version 5, packages: the head of version 2, inputs for company packages only",
		"Version 5, packages: data is an array, additional_data an object",
		"Version 5, packages: an element has facts, options and scores",
		"Version 5, packages: one element of a company package, one for each location of a location package",
		"Version 5, packages: version 5 shows the packages of version 2",
		"Version 5, forms: limits of a location are an object with one score, their sum a string")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	s.ReplaceReport(txID, servertest.FullReport())
	status := acme.Status(txID)
	companyV2 := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	locationsV2 := acme.Do("GET /data/v2/acme-us-l0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	for _, id := range []string{txID, status.Text(t, "c_report_id"), status.Text(t, "l_report_id")} {
		for _, query := range []string{"", "?idType=transaction", "?idType=sov", "?idType=", "?idType=nonsense"} {
			for _, version := range []string{"v3", "v4"} {
				company := acme.Do("GET /data/"+version+"/acme-us-c0001/"+id+query, "").Want(t, http.StatusOK)
				servertest.CheckCompanyV2(t, company)
				locations := acme.Do("GET /data/"+version+"/acme-us-l0001/"+id+query, "").Want(t, http.StatusOK)
				servertest.CheckLocationsV2(t, locations)
				if diff := cmp.Diff(withoutTimes(companyV2), withoutTimes(company)); diff != "" {
					t.Errorf("%s %s%s: company (- v2, + got):\n%s", version, id, query, diff)
				}
				if diff := cmp.Diff(withoutTimes(locationsV2), withoutTimes(locations)); diff != "" {
					t.Errorf("%s %s%s: locations (- v2, + got):\n%s", version, id, query, diff)
				}
			}
			checkV5(t, acme, id+query, companyV2, locationsV2)
		}
	}
	// Without locations, data is an empty array.
	s.ReplaceReport(txID, enrich.Report{})
	response := acme.Do("GET /data/v5/acme-us-l0001/"+txID, "").Want(t, http.StatusOK)
	if !strings.HasSuffix(response.Body, `"data":[],"additional_data":{}}`) {
		t.Errorf("response %s", response.Body)
	}
}

// checkV5 checks that version 5 has the data of a version 2 package in other places,
// and its limits as objects.
func checkV5(t *testing.T, acme servertest.Client, idAndQuery string, companyV2, locationsV2 servertest.Response) {
	t.Helper()
	const head = "tx_id:s tx_start_time:s tx_end_time:s response_time_secs:s data_package_id:s tenant_id:s user_id:s" +
		" c_report_id:s l_report_id:s doc_reference_id:s data:a additional_data:o"
	company := acme.Do("GET /data/v5/acme-us-c0001/"+idAndQuery, "").Want(t, http.StatusOK)
	servertest.CheckKeys(t, company.Get(t), head+" seed_input:o cleansed_input:o")
	elements := company.Get(t, "data").([]any)
	if len(elements) != 1 {
		t.Fatalf("data %v, want one element", elements)
	}
	servertest.CheckKeys(t, elements[0], "facts:o options:o scores:o")
	want := companyV2.Get(t, "data").(map[string]any)
	want["scores"] = companyV2.Get(t, "scores")
	forget := func(element any, group string, names ...string) {
		for _, name := range names {
			delete(element.(map[string]any)[group].(map[string]any), name)
			delete(element.(map[string]any)["scores"].(map[string]any), name)
		}
	}
	if limit := elements[0].(map[string]any)["options"].(map[string]any)["100_pct_limit"]; fmt.Sprint(limit) != "map[Limit:6,216,506.00]" {
		t.Errorf("100_pct_limit %v, want an object", limit)
	}
	forget(want, "options", "100_pct_limit")
	forget(elements[0], "options", "100_pct_limit")
	if diff := cmp.Diff(want, elements[0]); diff != "" {
		t.Errorf("company (- v2, + v5):\n%s", diff)
	}
	locations := acme.Do("GET /data/v5/acme-us-l0001/"+idAndQuery, "").Want(t, http.StatusOK)
	servertest.CheckKeys(t, locations.Get(t), head)
	limits := locations.Get(t, "data").([]any)[0].(map[string]any)["options"].(map[string]any)
	if got, want := fmt.Sprintln(limits["100_pct_coverage_limits"], limits["100_pct_limit"]),
		"map[Building:6,216,506.00 Business Interruption:6,216,506.00 Business Personal Property:12,433,012.00] 24,866,024.00\n"; got != want {
		t.Errorf("limits %s, want %s", got, want)
	}
	before, after := locationsV2.Get(t, "data").([]any), locations.Get(t, "data").([]any)
	for i := range before {
		forget(before[i], "options", "100_pct_coverage_limits", "100_pct_limit")
		forget(after[i], "options", "100_pct_coverage_limits", "100_pct_limit")
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("locations (- v2, + v5):\n%s", diff)
	}
}

// withoutTimes returns the body of an inquiry without its beginning, which differs
// each time: tx_id and times.
func withoutTimes(inquiry servertest.Response) string {
	return inquiry.Body[strings.Index(inquiry.Body, `"data_package_id"`):]
}

// TestInquiryOfCompanySubmit checks that the ids of a company submit can be used
// from version 3 on, and its company report id in version 1.
func TestInquiryOfCompanySubmit(t *testing.T) {
	servertest.Proves(t,
		"Chosen, data inquiry: version 1 reads the reports of both kinds of submit",
		"Chosen, data inquiry: from version 3 the id is a report id or a transaction id")
	s := servertest.New(t)
	acme := s.Acme()
	submitted := acme.Do(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`).Want(t, http.StatusOK)
	report := acme.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	servertest.CheckCompanyV1(t, report)
	if report.Text(t, "data", "company_id") != submitted.Text(t, "c_report_id") {
		t.Errorf("company_id in %s", report.Body)
	}
	for _, id := range []string{"tx_id", "c_report_id", "l_report_id"} {
		for _, version := range []string{"v3", "v4", "v5"} {
			inquiry := acme.Do("GET /data/"+version+"/acme-us-c0001/"+submitted.Text(t, id), "").Want(t, http.StatusOK)
			if inquiry.Text(t, "doc_reference_id") != submitted.Text(t, "tx_id") || inquiry.Text(t, "c_report_id") != submitted.Text(t, "c_report_id") {
				t.Errorf("%s by %s: %s", version, id, inquiry.Body)
			}
		}
	}
}

// TestInquiryPermissions checks which inquiries each permission allows: those of
// version 2 allow the later versions.
func TestInquiryPermissions(t *testing.T) {
	servertest.Proves(t,
		"Access token response: permission strings",
		"Versioning: 2 more versions in the permission strings",
		"Chosen, data inquiry: the permission of version 2 allows the later versions")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.Submit("a.txt", servertest.Letter)
	calls := map[string]servertest.Call{
		"v1": {Line: "GET /data/v1/acme-us-c0001/" + acme.Status(txID).Text(t, "c_report_id")},
	}
	for _, version := range []string{"v2", "v3", "v4", "v5"} {
		calls[version] = servertest.Call{Line: "GET /data/" + version + "/acme-us-c0001/" + txID + "?idType=transaction"}
	}
	for permission, want := range map[string]string{
		"::data/v1:get":                        "v1",
		"::data/v2:get":                        "v2, v3, v4, v5",
		"::universal/v1/universal-submit:get":  "",
		"::universal/v1/universal-submit:post": "",
		"::universal/v2/universal-submit:get":  "",
		"::universal/v2/universal-submit:post": "",
		"::universal/v3/universal-submit:get":  "",
		"::universal/v3/universal-submit:post": "",
	} {
		s.Exec("update clients set permissions = $1 where id = 'acme-client'", []string{permission})
		s.Pass(time.Second)
		var allowed []string
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			call := calls[name]
			call.Token, call.Key = acme.Token, acme.Key
			response := s.Do(call)
			if response.Status == http.StatusOK {
				allowed = append(allowed, name)
				continue
			}
			response.Want(t, http.StatusForbidden, servertest.NotPermitted)
		}
		if diff := cmp.Diff(want, strings.Join(allowed, ", ")); diff != "" {
			t.Errorf("%s allows (- want, + got):\n%s", permission, diff)
		}
	}
}

func TestUnknownVersion(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	s.Refused(t, servertest.Call{Line: "GET /data/v6/acme-us-c0001/" + servertest.Absent, Token: acme.Token, Key: acme.Key},
		http.StatusForbidden, servertest.UnknownRoute)
}
