package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
)

// TestConversation is the main job as a client sees it: token, upload address,
// upload, trigger, status until the end, data; then a company by name.
func TestConversation(t *testing.T) {
	w := newWorld(t)

	// A token lasts twelve hours.
	token := w.token(auth.Demos[0])
	if token.get(t, "expires_in") != 43200.0 || token.text(t, "token_type") != "bearer" {
		t.Errorf("token %s", token.Body)
	}
	user := token.text(t, "uid")
	acme := w.acme()

	// The upload address needs no credentials of its own.
	txID, url := acme.announce("letter.txt")
	if !strings.HasPrefix(url, w.url+"/file-transfer/upload-file?data=") {
		t.Errorf("upload_url %s", url)
	}
	before := acme.status(txID).want(t, http.StatusOK)
	if before.text(t, "status") != "Pending" || before.text(t, "tx_end_time") != "" {
		t.Errorf("status before the trigger %s", before.Body)
	}
	acme.trigger(txID).want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
	letter := []byte("Named Insured: Foxglove Bakery LLC\nMailing Address: 12 Mill Street, Springfield, IL 62701\n" +
		"Effective Date: 04/01/2026\nExpiration Date: 04/01/2027\n")
	w.upload(url, "letter.txt", letter).want(t, http.StatusOK,
		`{"data":"s3://understudy/acme/`+txID+`/letter.txt"}`)

	// The trigger starts it, once.
	w.pass(time.Second)
	triggered := acme.trigger(txID)
	triggered.want(t, http.StatusOK, `{"tx_id":"`+txID+`",`+
		`"tx_start_time":"2026-03-02T09:00:01.123456+00:00","tx_end_time":"2026-03-02T09:00:01.123456+00:00","response_time_secs":0,`+
		`"tenant_id":"acme","status":"Submission_in_progress"}`)

	// It moves by itself, a state at a time, and never back.
	for _, step := range []struct {
		wait   time.Duration
		status string
	}{
		{0, "Submission_in_progress"},
		{500 * time.Millisecond, "Scheduled"},
		{time.Second, "Started"},
	} {
		w.pass(step.wait)
		w.work()
		if got := acme.status(txID).want(t, http.StatusOK).text(t, "status"); got != step.status {
			t.Fatalf("status %s, want %s", got, step.status)
		}
	}
	acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").
		want(t, http.StatusConflict, `{"message":"Transaction is not complete","status":"Started"}`)
	w.pass(2 * time.Second)
	w.work()
	done := acme.status(txID).want(t, http.StatusOK)
	company, locations := done.text(t, "c_report_id"), done.text(t, "l_report_id")
	done.want(t, http.StatusOK, `{"tx_id":"`+txID+`","tenant_id":"acme","user_id":"`+user+`",`+
		`"tx_start_time":"2026-03-02T09:00:01.123456+00:00","tx_end_time":"2026-03-02T09:00:04.623456+00:00","response_time_secs":3.5,`+
		`"status":"Completed","c_report_id":"`+company+`","l_report_id":"`+locations+`"}`)
	acme.trigger(txID).want(t, http.StatusOK, triggered.Body)

	// The data can be read, as a company and as locations.
	inquiry := acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").want(t, http.StatusOK)
	for _, check := range []struct{ want, got string }{
		{txID, inquiry.text(t, "doc_reference_id")},
		{company, inquiry.text(t, "c_report_id")},
		{"acme-us-c0001", inquiry.text(t, "data_package_id")},
		{"Foxglove Bakery LLC", inquiry.text(t, "seed_input", "company_name")},
		{"Foxglove Bakery LLC", inquiry.text(t, "data", "facts", "company_name")},
		{"Springfield", inquiry.text(t, "data", "facts", "city")},
		{"2026-04-01", inquiry.text(t, "data", "options", "policy_inception_date")},
		{"2027-04-01", inquiry.text(t, "data", "options", "end_date")},
		{"US", inquiry.text(t, "cleansed_input", "address", "countryISOCode")},
	} {
		if check.got != check.want {
			t.Errorf("inquiry has %q, want %q in %s", check.got, check.want, inquiry.Body)
		}
	}
	sov := acme.do("GET /data/v2/acme-us-c0001/"+txID+"?idType=sov", "").want(t, http.StatusOK)
	if sov.text(t, "data_package_id") != "acme-us-l0001" {
		t.Errorf("locations' package %s", sov.text(t, "data_package_id"))
	}

	// A company by name and address is there at once, and read by its report id.
	submitted := acme.do("POST /company/v1/company_submit",
		`{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).want(t, http.StatusOK)
	if !strings.HasPrefix(submitted.text(t, "tx_id"), "acme-") {
		t.Errorf("tx_id %s", submitted.text(t, "tx_id"))
	}
	report := acme.do("GET /data/v1/acme-us-c0001/"+submitted.text(t, "c_report_id"), "").want(t, http.StatusOK)
	if report.text(t, "data", "company_name") != "Harbour Lane Brewery Inc" || report.text(t, "data", "state") != "ME" {
		t.Errorf("report %s", report.Body)
	}
	// So is a submission's.
	acme.do("GET /data/v1/acme-us-c0001/"+company, "").want(t, http.StatusOK)
}
