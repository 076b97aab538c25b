package control_test

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

// TestOutcomes: a test says what a submission or a company yields.
func TestOutcomes(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
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
		x.Control("PUT /outcomes", outcome).Want(t, http.StatusOK)
	}
	list := x.Control("GET /outcomes", "").Want(t, http.StatusOK)
	if found := list.Get(t, "outcomes").([]any); len(found) != 5 || !strings.Contains(fmt.Sprint(found[0]), "harbour lane") {
		t.Errorf("outcomes %s", list.Body)
	}

	name := func(txID string) string {
		return x.Do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK).Text(t, "data", "facts", "company_name")
	}
	for filename, want := range map[string]string{
		"servertest.Letter.txt": "Any Ltd",
		"100%_a.pdf":            "Per Cent Ltd",
		"100 %_a.pdf":           "Any Ltd",
		"100%-a.pdf":            "Any Ltd",
		"a.fail.txt":            "Any Ltd", // an outcome comes before a magic name
	} {
		txID := x.SubmitFile(filename, filename)
		x.AwaitEnd(txID)
		if got := name(txID); got != want {
			t.Errorf("%s is of %q, want %q", filename, got, want)
		}
	}

	// The newest match counts; a hash is the bytes'.
	failed := x.SubmitFile("review.txt", "by its bytes")
	if got := x.AwaitEnd(failed).Text(t, "status"); got != "Failed" {
		t.Errorf("status %s", got)
	}
	if got := x.Control("GET /transactions/"+failed, "").Text(t, "failure"); got != "asked for by an outcome" {
		t.Errorf("failure %q", got)
	}

	// All that was given is there as it was given, and scored.
	txID := x.SubmitFile("review.pdf", "hello")
	x.AwaitEnd(txID)
	transaction := x.Control("GET /transactions/"+txID, "").Want(t, http.StatusOK)
	if transaction.Get(t, "review") != true || transaction.Text(t, "status") != "Completed" ||
		!strings.Contains(transaction.Body, `"evidence":"given by an outcome"`) {
		t.Errorf("transaction %s", transaction.Body)
	}
	company := x.Do("GET /data/v2/"+x.company+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
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
	report := x.Do("GET /data/v1/"+x.company+"/"+company.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	if report.Get(t, "data", "year_in_business") != 12.0 || fmt.Sprint(report.Get(t, "data", "dba_aka")) != "[Foxglove]" {
		t.Errorf("report %s", report.Body)
	}
	sov := x.Do("GET /data/v2/"+x.company+"/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	if locations := sov.Get(t, "data").([]any); len(locations) != 2 ||
		!strings.Contains(sov.Body, `"building_value":"250,000.00"`) || !strings.Contains(sov.Body, `"location_city":"Springfield"`) {
		t.Errorf("locations %s", sov.Body)
	}

	// A company of that name, of any case, and no other.
	for company, want := range map[string]string{"Harbour Lane Brewery Inc": "1.00", "Harbour Lane Brewery": ""} {
		made := x.Do("POST /company/v1/company_submit", `{"company_name":"`+company+`","address":"5 Dock Road"}`).Want(t, http.StatusOK)
		report := x.Do("GET /data/v1/"+x.company+"/"+made.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		if got := report.Text(t, "data", "annual_payroll"); (got == "1.00") != (want == "1.00") {
			t.Errorf("%s: annual_payroll %q", company, got)
		}
	}

	// The same match takes the old one's place; then there are none.
	x.Control("PUT /outcomes", `{"match":{"filename":"*"},"status":"Failed"}`).Want(t, http.StatusOK)
	if found := x.Control("GET /outcomes", "").Get(t, "outcomes").([]any); len(found) != 5 {
		t.Errorf("%d outcomes", len(found))
	}
	x.Control("DELETE /outcomes", "").Want(t, http.StatusNoContent)
	x.Control("GET /outcomes", "").Want(t, http.StatusOK, `{"outcomes":[]}`)
}

// TestOutcomeAfter: extra time is counted in before the end.
func TestOutcomeAfter(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	x.Control("PUT /outcomes", `{"match":{"filename":"late.*"},"status":"Completed","after":"1d"}`).Want(t, http.StatusOK)
	txID := x.SubmitFile("late.txt", "hello")
	effects := slices.DeleteFunc(x.Advance("2d"), func(e effect) bool { return e.Kind == "expired" })
	if len(effects) != 1 || effects[0].TxID != txID || effects[0].Status != "Completed" || effects[0].At != w.Shown(24*time.Hour) {
		t.Errorf("effects %+v", effects)
	}
}

// TestMagicNames: a file name can ask for an end without the control API.
func TestMagicNames(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := x.SubmitFile("servertest.Letter.fail.txt", "hello")
	if got := x.AwaitEnd(txID).Text(t, "status"); got != "Failed" {
		t.Errorf("status %s", got)
	}
	if got := x.Control("GET /transactions/"+txID, "").Text(t, "failure"); got != "asked for by the file name" {
		t.Errorf("failure %q", got)
	}
	if list := x.Control("GET /transactions?status=Failed&limit=1", "").Want(t, http.StatusOK); len(list.Get(t, "transactions").([]any)) != 1 {
		t.Errorf("transactions %s", list.Body)
	}
	x.Control("GET /transactions?status=Completed", "").Want(t, http.StatusOK, `{"transactions":[]}`)
	x.Do("POST /company/v1/company_submit", `{"company_name":"a.fail.b","address":"5 Dock Road"}`).Want(t, http.StatusOK)
}

// TestOutcomeByCompany: a company's name is known once the document was read,
// so its extra time puts off the end.
func TestOutcomeByCompany(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	x.Control("PUT /outcomes", `{"match":{"filename":"*.txt"},"options":{"broker_name":"By The File"}}`).Want(t, http.StatusOK)
	x.Control("PUT /outcomes", `{"match":{"company_name":"foxglove bakery llc","filename":"*.txt"},"after":"1h","status":"Review_required"}`).
		Want(t, http.StatusOK)
	const letter = "Named Insured: %s\nMailing Address: 12 Mill Street, Springfield, IL 62701\nEffective Date: 04/01/2026\n"
	named := x.SubmitFile("named.txt", fmt.Sprintf(letter, "Foxglove Bakery LLC"))
	other := x.SubmitFile("other.txt", fmt.Sprintf(letter, "Harbour Lane Brewery Inc"))
	x.AwaitEnd(other)
	effects := x.Advance("2h")
	if len(effects) != 1 || effects[0].TxID != named || effects[0].Status != "Completed" || effects[0].At != w.Shown(time.Hour) {
		t.Errorf("effects %+v", effects)
	}
	if transaction := x.Control("GET /transactions/"+named, ""); transaction.Get(t, "review") != true {
		t.Errorf("transaction %s", transaction.Body)
	}
	// What the outcome leaves open, the document tells.
	company := x.Do("GET /data/v2/"+x.company+"/"+named+"?idType=transaction", "").Want(t, http.StatusOK)
	if company.Text(t, "data", "facts", "city") != "Springfield" || company.Text(t, "data", "options", "broker_name") != "" {
		t.Errorf("company %s", company.Body)
	}
	company = x.Do("GET /data/v2/"+x.company+"/"+other+"?idType=transaction", "").Want(t, http.StatusOK)
	if company.Text(t, "data", "options", "broker_name") != "By The File" {
		t.Errorf("company %s", company.Body)
	}

	x.Control("DELETE /outcomes", "").Want(t, http.StatusNoContent)
	txID := x.SubmitFile("servertest.Letter.review.txt", fmt.Sprintf(letter, "Harbour Lane Brewery Inc"))
	x.AwaitEnd(txID)
	if transaction := x.Control("GET /transactions/"+txID, ""); transaction.Get(t, "review") != true || transaction.Text(t, "status") != "Completed" {
		t.Errorf("transaction %s", transaction.Body)
	}
}

// TestOutcomeOfCompanySubmit: it can fail, and be held until the tenant's clock
// has gone on.
func TestOutcomeOfCompanySubmit(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"webhooks":"collect"}`)
	x.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["company_submit"]}`).Want(t, http.StatusCreated)
	submit := func(company string) servertest.Response {
		return x.Do("POST /company/v1/company_submit", `{"company_name":"`+company+`","address":"5 Dock Road"}`)
	}
	x.Control("PUT /outcomes", `{"match":{"company_name":"Sunk Ltd"},"status":"Failed"}`).Want(t, http.StatusOK)
	submit("sunk ltd").Want(t, http.StatusInternalServerError, `{"message":"Internal server error"}`)
	if list, _ := x.deliveries(""); len(list) != 0 {
		t.Errorf("a company that failed is told of: %+v", list)
	}
	x.Control("PUT /outcomes", `{"match":{"company_name":"Sunk Ltd"},"status":"Review_required"}`).Want(t, http.StatusOK)
	submit("sunk ltd").Want(t, http.StatusOK)

	x.Control("PUT /outcomes", `{"match":{"company_name":"Slow Ltd"},"after":"10m"}`).Want(t, http.StatusOK)
	answered := make(chan servertest.Response, 1)
	go func() { answered <- submit("Slow Ltd") }()
	var slow servertest.Response
	for held := true; held; {
		x.Advance("9m") // the first may come before the call does
		select {
		case slow = <-answered:
			held = false
		case <-time.After(50 * time.Millisecond):
		}
	}
	if took := slow.Want(t, http.StatusOK).Get(t, "response_time_secs").(float64); took < 600 || int(took)%540 != 0 {
		t.Errorf("took %v s of the tenant's time", took)
	}
	// Another tenant's is not held, nor another company's.
	submit("Swift Ltd").Want(t, http.StatusOK)
}
