package universal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/data"
	"understudy.example/internal/server/servertest"
)

const detailsOf = "GET /universal/v4/universal-submit/status/"

// TestStatusDetails checks that the details are the status of version 4, followed by
// the files and the data packages.
func TestStatusDetails(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: status details: files and data packages")
	s := servertest.New(t)
	acme := s.Acme()
	details := func(txID string) (response servertest.Response, files []string) {
		t.Helper()
		status := acme.Do(detailsOf+txID, "").Want(t, http.StatusOK)
		response = acme.Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK)
		if lead := strings.TrimSuffix(strings.TrimSpace(status.Body), "}") + `,"files":[`; !strings.HasPrefix(response.Body, lead) {
			t.Errorf("details %s, want the status %s first", response.Body, status.Body)
		}
		for _, file := range response.Get(t, "files").([]any) {
			f := file.(map[string]any)
			servertest.CheckKeys(t, file, "filename:s format:s status:s note:s")
			files = append(files, f["filename"].(string)+" "+f["format"].(string)+" "+f["status"].(string)+" "+f["note"].(string))
		}
		var got, want []string
		for _, element := range response.Get(t, "data_packages").([]any) {
			p := element.(map[string]any)
			servertest.CheckKeys(t, element, "data_package_id:s tx_status:s tx_start_time:s tx_end_time:s")
			if p["tx_status"] != response.Text(t, "tx_status") || p["tx_start_time"] != response.Text(t, "tx_start_time") || p["tx_end_time"] != response.Text(t, "tx_end_time") {
				t.Errorf("data package %v, want the times and the tx_status of %s", p, response.Body)
			}
			got = append(got, p["data_package_id"].(string))
		}
		for _, p := range data.DefaultPackages("acme") {
			want = append(want, p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("data packages (- want, + got):\n%s", diff)
		}
		return response, files
	}
	check := func(txID, txStatus string, want ...string) {
		t.Helper()
		response, files := details(txID)
		if diff := cmp.Diff(want, files); diff != "" || response.Text(t, "tx_status") != txStatus {
			t.Errorf("files (- want, + got), tx_status %s:\n%s", response.Text(t, "tx_status"), diff)
		}
	}
	txID, url := acme.Announce("mail.eml")
	check(txID, "Scheduled")
	s.Upload(url, "mail.eml", []byte(mailWith("schedule.csv", statementOfValues(2)))).Want(t, http.StatusOK)
	check(txID, "Scheduled", "mail.eml  Scheduled ")
	acme.Trigger(txID).Want(t, http.StatusOK)
	s.Settle()
	check(txID, "COMPLETED", "mail.eml eml COMPLETED ", "schedule.csv csv COMPLETED ")

	check(acme.Submit("other.eml", []byte(mailWith("song.mp3", "ID3\x03\x00\x00"))), "COMPLETED",
		"other.eml eml COMPLETED ", "song.mp3  INCOMPLETE unknown file type")
	check(acme.Submit("a.bin", []byte("\x01")), "FAILED", "a.bin  FAILED unknown file type")
	check(acme.Submit("a.review.txt", servertest.Letter), "Review_required", "a.review.txt txt COMPLETED ")

	for _, id := range []string{servertest.Absent, "x", s.Globex().Submit("a.txt", servertest.Letter)} {
		s.Refused(t, servertest.Call{Line: detailsOf + id + "/details", Token: acme.Token, Key: acme.Key},
			http.StatusNotFound, servertest.TransactionNotFound)
	}
}

// TestStatusDetailsPermission checks that the permission of version 3 allows the
// details, as it allows the status of version 4.
func TestStatusDetailsPermission(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: each version has its permissions, version 4 those of version 3")
	s := servertest.New(t)
	acme := s.Acme()
	s.CheckOrder(t, servertest.Call{Line: detailsOf + servertest.Absent + "/details", Token: acme.Token, Key: acme.Key}, append(s.GateMistakes(),
		servertest.Mistake{Name: "transaction", Make: func(*servertest.Call) {}, Status: http.StatusNotFound, Body: servertest.TransactionNotFound}))
}

// TestStatusDetailsCountAsPoll checks that the details count as status polls for a
// tenant with the pacing polls, so that a client needs no other calls.
func TestStatusDetailsCountAsPoll(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"polls","per_state":1}}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	servertest.Until(t, "the submission has ended", func() bool {
		return tenant.Do(detailsOf+txID+"/details", "").Want(t, http.StatusOK).Text(t, "tx_status") == "COMPLETED"
	})
}
