package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestConversation is the main job as a client sees it: token, upload address,
// upload, trigger, status until the end, data; then a company by name.
func TestConversation(t *testing.T) {
	w := servertest.New(t)

	// A token lasts twelve hours.
	token := w.NewToken(auth.Demos[0])
	if token.Get(t, "expires_in") != 43200.0 || token.Text(t, "token_type") != "bearer" {
		t.Errorf("token %s", token.Body)
	}
	user := token.Text(t, "uid")
	acme := w.Acme()

	// The upload address needs no credentials of its own.
	txID, url := acme.Announce("servertest.Letter.txt")
	if !strings.HasPrefix(url, w.URL+"/file-transfer/upload-file?data=") {
		t.Errorf("upload_url %s", url)
	}
	before := acme.Status(txID).Want(t, http.StatusOK)
	if before.Text(t, "status") != "Pending" || before.Text(t, "tx_end_time") != "" {
		t.Errorf("status before the trigger %s", before.Body)
	}
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
	servertest.Letter := []byte("Named Insured: Foxglove Bakery LLC\nMailing Address: 12 Mill Street, Springfield, IL 62701\n" +
		"Effective Date: 04/01/2026\nExpiration Date: 04/01/2027\n")
	w.Upload(url, "servertest.Letter.txt", servertest.Letter).Want(t, http.StatusOK,
		`{"data":"s3://understudy/acme/`+txID+`/servertest.Letter.txt"}`)

	// The trigger starts it, once.
	w.Pass(time.Second)
	triggered := acme.Trigger(txID)
	triggered.Want(t, http.StatusOK, `{"tx_id":"`+txID+`",`+
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
		w.Pass(step.wait)
		w.Work()
		if got := acme.Status(txID).Want(t, http.StatusOK).Text(t, "status"); got != step.status {
			t.Fatalf("status %s, want %s", got, step.status)
		}
	}
	acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").
		Want(t, http.StatusConflict, `{"message":"Transaction is not complete","status":"Started"}`)
	w.Pass(2 * time.Second)
	w.Work()
	done := acme.Status(txID).Want(t, http.StatusOK)
	company, locations := done.Text(t, "c_report_id"), done.Text(t, "l_report_id")
	done.Want(t, http.StatusOK, `{"tx_id":"`+txID+`","tenant_id":"acme","user_id":"`+user+`",`+
		`"tx_start_time":"2026-03-02T09:00:01.123456+00:00","tx_end_time":"2026-03-02T09:00:04.623456+00:00","response_time_secs":3.5,`+
		`"status":"Completed","c_report_id":"`+company+`","l_report_id":"`+locations+`"}`)
	acme.Trigger(txID).Want(t, http.StatusOK, triggered.Body)

	// The data can be read, as a company and as locations.
	inquiry := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	for _, check := range []struct{ want, got string }{
		{txID, inquiry.Text(t, "doc_reference_id")},
		{company, inquiry.Text(t, "c_report_id")},
		{"acme-us-c0001", inquiry.Text(t, "data_package_id")},
		{"Foxglove Bakery LLC", inquiry.Text(t, "seed_input", "company_name")},
		{"Foxglove Bakery LLC", inquiry.Text(t, "data", "facts", "company_name")},
		{"Springfield", inquiry.Text(t, "data", "facts", "city")},
		{"2026-04-01", inquiry.Text(t, "data", "options", "policy_inception_date")},
		{"2027-04-01", inquiry.Text(t, "data", "options", "end_date")},
		{"US", inquiry.Text(t, "cleansed_input", "address", "countryISOCode")},
	} {
		if check.got != check.want {
			t.Errorf("inquiry has %q, want %q in %s", check.got, check.want, inquiry.Body)
		}
	}
	sov := acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	if sov.Text(t, "data_package_id") != "acme-us-l0001" {
		t.Errorf("locations' package %s", sov.Text(t, "data_package_id"))
	}

	// A company by name and address is there at once, and read by its report id.
	submitted := acme.Do("POST /company/v1/company_submit",
		`{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).Want(t, http.StatusOK)
	if !strings.HasPrefix(submitted.Text(t, "tx_id"), "acme-") {
		t.Errorf("tx_id %s", submitted.Text(t, "tx_id"))
	}
	report := acme.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	if report.Text(t, "data", "company_name") != "Harbour Lane Brewery Inc" || report.Text(t, "data", "state") != "ME" {
		t.Errorf("report %s", report.Body)
	}
	// So is a submission's.
	acme.Do("GET /data/v1/acme-us-c0001/"+company, "").Want(t, http.StatusOK)
}
