package universal_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

var reportID = regexp.MustCompile(`^[CL][A-Z]{2}1[0-9A-F]{16}$`)

// TestStatusesNeverGoBack polls a submission from its announcement to its end in
// each vocabulary.
func TestStatusesNeverGoBack(t *testing.T) {
	servertest.Proves(t,
		"Status response: c_report_id once completed",
		"Status response: l_report_id once completed",
		"Chosen, universal submit: status before the trigger: Pending, without an end",
		"Chosen, universal submit: status of versions 1 to 3 in the tenant's vocabulary",
		"Chosen, universal submit: report ids only once completed",
		"Chosen, universal submit: statuses never go back, and a final one stays",
		"Chosen, universal submit: report ids have country, time and random digits")
	for vocabulary, want := range map[string][]string{
		``:           {"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed"},
		`processing`: {"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed"},
		`polling`:    {"Pending", "Started", "Succeeded"},
	} {
		t.Run("vocabulary "+vocabulary, func(t *testing.T) {
			s := servertest.New(t)
			acme := s.Acme()
			if vocabulary != "" {
				s.Settings("acme", `{"status_vocabulary":"`+vocabulary+`"}`)
			}
			txID, url := acme.Announce("a.txt")
			s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
			var seen []string
			poll := func() servertest.Response {
				t.Helper()
				response := acme.Status(txID).Want(t, http.StatusOK)
				status := response.Text(t, "status")
				if len(seen) == 0 || seen[len(seen)-1] != status {
					seen = append(seen, status)
				}
				final := status == "Completed" || status == "Succeeded"
				if strings.Contains(response.Body, "report_id") != final || (response.Text(t, "tx_end_time") != "") != final {
					t.Errorf("status %s, want an end time and report ids if it is final", response.Body)
				}
				if !final {
					acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").
						Want(t, http.StatusConflict, `{"message":"Transaction is not complete","status":"`+status+`"}`)
				}
				return response
			}
			poll()
			acme.Trigger(txID).Want(t, http.StatusOK)
			for range 100 {
				poll()
				s.Pass(50 * time.Millisecond)
				s.Work()
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("statuses (- want, + got):\n%s", diff)
			}
			end := poll()
			for _, id := range []string{end.Text(t, "c_report_id"), end.Text(t, "l_report_id")} {
				if !reportID.MatchString(id) {
					t.Errorf("report id %s", id)
				}
			}
			s.Pass(10 * time.Hour)
			s.Work()
			acme.Status(txID).Want(t, http.StatusOK, end.Body)
			checkProcessedOnce(t, s, txID)
		})
	}
}

// TestSlowFilename checks that `.slow.` in the file name makes every wait ten
// times as long.
func TestSlowFilename(t *testing.T) {
	servertest.Proves(t, "Chosen, file names: .slow. takes ten times as long")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.SubmitFile("policy.slow.txt", servertest.Letter)
	for _, step := range []struct {
		wait   time.Duration
		status string
	}{
		{5*time.Second - time.Millisecond, "Submission_in_progress"},
		{time.Millisecond, "Scheduled"},
		{10*time.Second - time.Millisecond, "Scheduled"},
		{time.Millisecond, "Started"},
		{20*time.Second - time.Millisecond, "Started"},
		{time.Millisecond, "Completed"},
	} {
		s.Pass(step.wait)
		s.Work()
		if got := acme.Status(txID).Text(t, "status"); got != step.status {
			t.Fatalf("status %s, want %s", got, step.status)
		}
	}
	if seconds := acme.Status(txID).Get(t, "response_time_secs"); seconds != 35.0 {
		t.Errorf("response_time_secs %v, want 35", seconds)
	}
}
