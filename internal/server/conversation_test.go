package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestConversation is the whole conversation of a client: token, upload URL,
// upload, trigger, status until the end, and data; then a company by name.
func TestConversation(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "What the service does: 1 tokens by client credentials", "What the service does: 2 upload URL, upload, trigger",
		"What the service does: 3 the company is read by report id", "Endpoint 4, trigger: method and path, no body",
		"Chosen, universal submit: trigger: 200 with Submission_in_progress",
		"Chosen, universal submit: status before the trigger: Pending, without an end",
		"Chosen, universal submit: times of the trigger and of the final state, in microseconds",
		"Chosen, universal submit: response_time_secs is their difference")

	// A token lasts twelve hours.
	token := s.NewToken(seed.Demos()[0])
	if token.Get(t, "expires_in") != 43200.0 || token.Text(t, "token_type") != "bearer" {
		t.Errorf("token %s", token.Body)
	}
	user := token.Text(t, "uid")
	acme := s.Acme()

	// An upload needs no credentials besides its URL.
	txID, url := acme.Announce("letter.txt")
	if !strings.HasPrefix(url, s.URL+"/file-transfer/upload-file?data=") {
		t.Errorf("upload_url %s", url)
	}
	pending := acme.Status(txID).Want(t, http.StatusOK)
	if pending.Text(t, "status") != "Pending" || pending.Text(t, "tx_end_time") != "" {
		t.Errorf("status before the trigger %s", pending.Body)
	}
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
	s.Upload(url, "letter.txt", servertest.Letter).Want(t, http.StatusOK,
		`{"data":"s3://understudy/acme/`+txID+`/letter.txt"}`)

	// The first trigger starts processing.
	s.Pass(time.Second)
	triggered := acme.Trigger(txID)
	triggered.Want(t, http.StatusOK, `{"tx_id":"`+txID+`",`+
		`"tx_start_time":"2026-03-02T09:00:01.123456+00:00","tx_end_time":"2026-03-02T09:00:01.123456+00:00","response_time_secs":0,`+
		`"tenant_id":"acme","status":"Submission_in_progress"}`)

	// The submission moves through its states with time.
	for _, step := range []struct {
		wait   time.Duration
		status string
	}{
		{0, "Submission_in_progress"},
		{500 * time.Millisecond, "Scheduled"},
		{time.Second, "Started"},
	} {
		s.Pass(step.wait)
		s.Work()
		if got := acme.Status(txID).Want(t, http.StatusOK).Text(t, "status"); got != step.status {
			t.Fatalf("status %s, want %s", got, step.status)
		}
	}
	acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").
		Want(t, http.StatusConflict, `{"message":"Transaction is not complete","status":"Started"}`)
	s.Pass(2 * time.Second)
	s.Work()
	done := acme.Status(txID).Want(t, http.StatusOK)
	company, locations := done.Text(t, "c_report_id"), done.Text(t, "l_report_id")
	done.Want(t, http.StatusOK, `{"tx_id":"`+txID+`","tenant_id":"acme","user_id":"`+user+`",`+
		`"tx_start_time":"2026-03-02T09:00:01.123456+00:00","tx_end_time":"2026-03-02T09:00:04.623456+00:00","response_time_secs":3.5,`+
		`"status":"Completed","c_report_id":"`+company+`","l_report_id":"`+locations+`"}`)
	acme.Trigger(txID).Want(t, http.StatusOK, triggered.Body)

	// The data can be read as a company and as locations.
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
	if got := sov.Text(t, "data_package_id"); got != "acme-us-l0001" {
		t.Errorf("data_package_id of the locations %q, want acme-us-l0001", got)
	}

	// A company by name and address has its report at once.
	submitted := acme.Do(servertest.SubmitCompany,
		`{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).Want(t, http.StatusOK)
	if !strings.HasPrefix(submitted.Text(t, "tx_id"), "acme-") {
		t.Errorf("tx_id %s", submitted.Text(t, "tx_id"))
	}
	report := acme.Do("GET /data/v1/acme-us-c0001/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	if report.Text(t, "data", "company_name") != "Harbour Lane Brewery Inc" || report.Text(t, "data", "state") != "ME" {
		t.Errorf("report %s", report.Body)
	}
	// The company report of a submission can be read in the same way.
	acme.Do("GET /data/v1/acme-us-c0001/"+company, "").Want(t, http.StatusOK)
}
