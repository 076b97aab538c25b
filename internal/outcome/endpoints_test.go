package outcome_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestOutcomes checks that the newest matching outcome decides how a submission
// ends and what its data are.
func TestOutcomes(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, outcomes: match by filename, sha256 or company_name",
		"Chosen, control API, outcomes: status, facts, options and locations in place of extraction",
		"Chosen, control API, outcomes: listed and deleted")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	digest := sha256.Sum256([]byte("by its bytes"))
	for _, outcome := range []string{
		`{"match":{"filename":"*"},"facts":{"company_name":"Any Ltd"}}`,
		`{"match":{"filename":"100%_*.pdf"},"facts":{"company_name":"Per Cent Ltd"}}`,
		`{"match":{"sha256":"` + hex.EncodeToString(digest[:]) + `"},"status":"Failed"}`,
		`{"match":{"filename":"review.pdf"},"status":"Review_required","facts":{
			"company_name":"Foxglove Bakery LLC","year_in_business":12,"dba_aka":["Foxglove"],
			"primary_naics_2012":[{"code":"311812","desc":"Commercial Bakeries"}],"annual_revenue":"6,216,506.00","website":""},
			"options":{"broker_name":"Harbour Brokers","coverage":["Property","Liability"]},
			"locations":[{"location_city":"Springfield","building_value":"250,000.00"},{}]}`,
		`{"match":{"company_name":"harbour lane BREWERY inc"},"facts":{"annual_payroll":"1.00","state":"ME"}}`,
	} {
		tenant.Control("PUT /outcomes", outcome).Want(t, http.StatusOK)
	}
	list := tenant.Control("GET /outcomes", "").Want(t, http.StatusOK)
	if found := list.Get(t, "outcomes").([]any); len(found) != 5 || !strings.Contains(fmt.Sprint(found[0]), "harbour lane") {
		t.Errorf("outcomes %s", list.Body)
	}

	companyName := func(txID string) string {
		return tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK).Text(t, "data", "facts", "company_name")
	}
	for filename, want := range map[string]string{
		"letter.txt":  "Any Ltd",
		"100%_a.pdf":  "Per Cent Ltd",
		"100 %_a.pdf": "Any Ltd",
		"100%-a.pdf":  "Any Ltd",
		"a.fail.txt":  "Any Ltd", // an outcome has precedence over a magic file name
	} {
		txID := tenant.SubmitFile(filename, []byte(filename))
		tenant.AwaitEnd(txID)
		if got := companyName(txID); got != want {
			t.Errorf("%s: company %q, want %q", filename, got, want)
		}
	}

	// A match by hash is newer than the one of all file names.
	failed := tenant.SubmitFile("review.txt", []byte("by its bytes"))
	if got := tenant.AwaitEnd(failed).Text(t, "status"); got != "Failed" {
		t.Errorf("status %s", got)
	}
	if got := tenant.Control("GET /transactions/"+failed, "").Text(t, "failure"); got != "an outcome set the status to Failed" {
		t.Errorf("failure %q", got)
	}

	// The data show the given values unchanged, and each has a score.
	txID := tenant.SubmitFile("review.pdf", []byte("hello"))
	tenant.AwaitEnd(txID)
	transaction := tenant.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	if transaction.Get(t, "review") != true || transaction.Text(t, "status") != "Completed" ||
		!strings.Contains(transaction.Body, `"evidence":"given by an outcome"`) {
		t.Errorf("transaction %s", transaction.Body)
	}
	company := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	for _, check := range []struct {
		want string
		got  any
	}{
		{"Foxglove Bakery LLC", company.Get(t, "data", "facts", "company_name")},
		{"Foxglove Bakery LLC", company.Get(t, "seed_input", "company_name")},
		{"6,216,506.00", company.Get(t, "data", "facts", "annual_revenue")},
		{"", company.Get(t, "data", "facts", "website")},
		{"[map[code:311812 desc:Commercial Bakeries]]", company.Get(t, "data", "facts", "primary_naics_2012")},
		{"Harbour Brokers", company.Get(t, "data", "options", "broker_name")},
		{"[Property Liability]", company.Get(t, "data", "options", "coverage")},
		{"99.00", company.Get(t, "scores", "company_name")},
		{"99.00", company.Get(t, "scores", "coverage")},
	} {
		if fmt.Sprint(check.got) != check.want {
			t.Errorf("%v, want %s in %s", check.got, check.want, company.Body)
		}
	}
	report := tenant.Do("GET /data/v1/"+tenant.CompanyPackage+"/"+company.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	if report.Get(t, "data", "year_in_business") != 12.0 || fmt.Sprint(report.Get(t, "data", "dba_aka")) != "[Foxglove]" {
		t.Errorf("report %s", report.Body)
	}
	sov := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	if locations := sov.Get(t, "data").([]any); len(locations) != 2 ||
		!strings.Contains(sov.Body, `"building_value":"250,000.00"`) || !strings.Contains(sov.Body, `"location_city":"Springfield"`) {
		t.Errorf("locations %s", sov.Body)
	}

	// A company name matches as a whole, in any case.
	for company, want := range map[string]string{"Harbour Lane Brewery Inc": "1.00", "Harbour Lane Brewery": ""} {
		submitted := tenant.Do("POST /company/v1/company_submit", `{"company_name":"`+company+`","address":"5 Dock Road"}`).Want(t, http.StatusOK)
		report := tenant.Do("GET /data/v1/"+tenant.CompanyPackage+"/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		if got := report.Text(t, "data", "annual_payroll"); (got == "1.00") != (want == "1.00") {
			t.Errorf("%s: annual_payroll %q", company, got)
		}
	}

	// An outcome replaces the one with the same match.
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Failed"}`).Want(t, http.StatusOK)
	if found := tenant.Control("GET /outcomes", "").Get(t, "outcomes").([]any); len(found) != 5 {
		t.Errorf("%d outcomes, want 5", len(found))
	}
	tenant.Control("DELETE /outcomes", "").Want(t, http.StatusNoContent)
	tenant.Control("GET /outcomes", "").Want(t, http.StatusOK, `{"outcomes":[]}`)
}

// TestOneOutcomeIsDeleted checks that the criteria of an outcome select it alone for
// deletion, and that a mistake in them deletes nothing.
func TestOneOutcomeIsDeleted(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, outcomes: listed and deleted", "Chosen, control API, outcomes: one is deleted by its match")
	s := servertest.New(t)
	tenant, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	digest := strings.Repeat("Ab", 32)
	both := `{"match":{"filename":"a&b *.pdf","company_name":"Foxglove Bakery LLC"},"status":"Failed"}`
	for _, outcome := range []string{
		`{"match":{"filename":"a&b *.pdf"},"status":"Failed"}`, both, `{"match":{"sha256":"` + digest + `"},"status":"Failed"}`,
	} {
		tenant.Control("PUT /outcomes", outcome).Want(t, http.StatusOK)
	}
	other.Control("PUT /outcomes", both).Want(t, http.StatusOK)
	left := func(of *servertest.Tenant) int {
		return len(of.Control("GET /outcomes", "").Want(t, http.StatusOK).Get(t, "outcomes").([]any))
	}
	s.Unchanged(t, func() {
		for query, want := range map[string]string{
			"file=a":                          `400 {"message":"unknown parameter \"file\""}`,
			"filename=":                       `400 {"message":"filename: invalid value \"\""}`,
			"filename=a&filename=b":           `400 {"message":"filename: invalid value \"a\""}`,
			"sha256=abc":                      `400 {"message":"sha256: invalid value \"abc\""}`,
			"filename=a":                      `404 {"message":"Outcome not found"}`,
			"company_name=Foxglove":           `404 {"message":"Outcome not found"}`,
			"company_name=FOXGLOVE&filename=": `400 {"message":"filename: invalid value \"\""}`,
		} {
			if refused := tenant.Control("DELETE /outcomes?"+query, ""); fmt.Sprint(refused.Status, " ", refused.Body) != want {
				t.Errorf("%s: %d %s, want %s", query, refused.Status, refused.Body, want)
			}
		}
	})
	tenant.Control("DELETE /outcomes?filename=a%26b+%2A.pdf&company_name=Foxglove+Bakery+LLC", "").Want(t, http.StatusNoContent)
	if left(tenant) != 2 || left(other) != 1 {
		t.Errorf("%d and %d outcomes are left, want 2 and 1", left(tenant), left(other))
	}
	tenant.Control("DELETE /outcomes?sha256="+digest, "").Want(t, http.StatusNoContent)
	tenant.Control("DELETE /outcomes?filename=a%26b+%2A.pdf", "").Want(t, http.StatusNoContent)
	if left(tenant) != 0 {
		t.Errorf("%d outcomes are left", left(tenant))
	}
}

// TestOutcomeAfter checks that a submission ends after the extra time of its
// outcome.
func TestOutcomeAfter(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, outcomes: after")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"late.*"},"status":"Completed","after":"1d"}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("late.txt", []byte("hello"))
	effects := slices.DeleteFunc(tenant.Advance("2d"), func(e servertest.Effect) bool { return e.Kind == "expired" })
	if len(effects) != 1 || effects[0].TxID != txID || effects[0].Status != "Completed" || effects[0].At != s.Shown(24*time.Hour) {
		t.Errorf("effects %+v", effects)
	}
}

// TestOutcomeByCompanyName checks that an outcome can match the company that was
// extracted from the document, and postpone the end of the submission even then.
func TestOutcomeByCompanyName(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, outcomes: match by filename, sha256 or company_name")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"*.txt"},"options":{"broker_name":"By The File"}}`).Want(t, http.StatusOK)
	tenant.Control("PUT /outcomes", `{"match":{"company_name":"foxglove bakery llc","filename":"*.txt"},"after":"1h","status":"Review_required"}`).
		Want(t, http.StatusOK)
	const letter = "Named Insured: %s\nMailing Address: 12 Mill Street, Springfield, IL 62701\nEffective Date: 04/01/2026\n"
	named := tenant.SubmitFile("named.txt", fmt.Appendf(nil, letter, "Foxglove Bakery LLC"))
	other := tenant.SubmitFile("other.txt", fmt.Appendf(nil, letter, "Harbour Lane Brewery Inc"))
	tenant.AwaitEnd(other)
	effects := tenant.Advance("2h")
	if len(effects) != 1 || effects[0].TxID != named || effects[0].Status != "Completed" || effects[0].At != s.Shown(time.Hour) {
		t.Errorf("effects %+v", effects)
	}
	if transaction := tenant.Control("GET /transactions/"+named, ""); transaction.Get(t, "review") != true {
		t.Errorf("transaction %s", transaction.Body)
	}
	// The values that the outcome leaves out are those of the document.
	company := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+named+"?idType=transaction", "").Want(t, http.StatusOK)
	if company.Text(t, "data", "facts", "city") != "Springfield" || company.Text(t, "data", "options", "broker_name") != "" {
		t.Errorf("company %s", company.Body)
	}
	company = tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+other+"?idType=transaction", "").Want(t, http.StatusOK)
	if company.Text(t, "data", "options", "broker_name") != "By The File" {
		t.Errorf("company %s", company.Body)
	}

	tenant.Control("DELETE /outcomes", "").Want(t, http.StatusNoContent)
	txID := tenant.SubmitFile("letter.review.txt", fmt.Appendf(nil, letter, "Harbour Lane Brewery Inc"))
	tenant.AwaitEnd(txID)
	if transaction := tenant.Control("GET /transactions/"+txID, ""); transaction.Get(t, "review") != true || transaction.Text(t, "status") != "Completed" {
		t.Errorf("transaction %s", transaction.Body)
	}
}

// TestOutcomeOfCompanySubmit checks that a company submit can be made to fail, and
// to take time on the tenant's clock.
func TestOutcomeOfCompanySubmit(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, outcomes: after")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"webhooks":"collect"}`)
	tenant.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["company_submit"]}`).Want(t, http.StatusCreated)
	submit := func(company string) servertest.Response {
		return tenant.Do("POST /company/v1/company_submit", `{"company_name":"`+company+`","address":"5 Dock Road"}`)
	}
	tenant.Control("PUT /outcomes", `{"match":{"company_name":"Sunk Ltd"},"status":"Failed"}`).Want(t, http.StatusOK)
	submit("sunk ltd").Want(t, http.StatusInternalServerError, `{"message":"Internal server error"}`)
	tenant.Control("GET /deliveries", "").Want(t, http.StatusOK, `{"deliveries":[]}`) // a failed submit is not published
	tenant.Control("PUT /outcomes", `{"match":{"company_name":"Sunk Ltd"},"status":"Review_required"}`).Want(t, http.StatusOK)
	submit("sunk ltd").Want(t, http.StatusOK)

	tenant.Control("PUT /outcomes", `{"match":{"company_name":"Slow Ltd"},"after":"10m"}`).Want(t, http.StatusOK)
	responses := make(chan servertest.Response, 1)
	go func() { responses <- submit("Slow Ltd") }()
	var slow servertest.Response
	servertest.Until(t, "the held call has its response", func() bool {
		tenant.Advance("9m") // the first ones may come before the call
		select {
		case slow = <-responses:
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
	if took := slow.Want(t, http.StatusOK).Get(t, "response_time_secs").(float64); took < 600 || int(took)%540 != 0 {
		t.Errorf("response_time_secs is %v, want a multiple of 540 above 600", took)
	}
	// Another company is not held.
	submit("Swift Ltd").Want(t, http.StatusOK)
}
