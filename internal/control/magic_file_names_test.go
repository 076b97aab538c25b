package control_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestMagicFileNames checks that a file name can make its submission fail, and that a
// company name cannot.
func TestMagicFileNames(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, transactions: listed and read, with timeline and failure",
		"Chosen, file names: .fail. fails",
		"Chosen, file names: a company name is not magic")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("letter.fail.txt", []byte("hello"))
	if got := tenant.AwaitEnd(txID).Text(t, "status"); got != "Failed" {
		t.Errorf("status %s", got)
	}
	if got := tenant.Control("GET /transactions/"+txID, "").Text(t, "failure"); got != "the file name contains .fail." {
		t.Errorf("failure %q", got)
	}
	if list := tenant.Control("GET /transactions?status=Failed&limit=1", "").Want(t, http.StatusOK); len(list.Get(t, "transactions").([]any)) != 1 {
		t.Errorf("transactions %s", list.Body)
	}
	tenant.Control("GET /transactions?status=Completed", "").Want(t, http.StatusOK, `{"transactions":[]}`)
	for _, word := range []string{"fail", "review", "slow"} {
		submitted := tenant.Do("POST /company/v1/company_submit", `{"company_name":"a.`+word+`.b","address":"5 Dock Road"}`).Want(t, http.StatusOK)
		inquiry := tenant.Do("GET /data/v1/"+tenant.CompanyPackage+"/"+submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
		if submitted.Get(t, "response_time_secs") != 0.0 || inquiry.Text(t, "data", "company_name") != "a."+word+".b" {
			t.Errorf("%s: submitted %s, inquiry %s", word, submitted.Body, inquiry.Body)
		}
	}
}
