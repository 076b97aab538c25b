package universal_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// noise returns n random bytes, the same each time.
func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return string(b)
}

// TestUnreadableDocumentFails checks that such a submission ends as Failed, with
// the reason stored and no report.
func TestUnreadableDocumentFails(t *testing.T) {
	servertest.Proves(t, "Transaction status: Started to Failed",
		"Chosen, universal submit: statuses never go back, and a final one stays",
		"Chosen, universal submit: a file that cannot be read fails")
	s := servertest.New(t)
	acme := s.Acme()
	for filename, content := range map[string]string{
		"noise.bin":   noise(5000),
		"cut.xlsx":    "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00",
		"cut.pdf":     "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00",
		"program.exe": "MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00", 500),
	} {
		t.Run(filename, func(t *testing.T) {
			txID := acme.Submit(filename, []byte(content))
			end := acme.Status(txID).Want(t, http.StatusOK)
			if end.Text(t, "status") != "Failed" || end.Text(t, "tx_end_time") == "" || strings.Contains(end.Body, "report_id") {
				t.Fatalf("status %s", end.Body)
			}
			if reason := servertest.Value[string](s, "select coalesce(failure, '') from submissions where tx_id = $1", txID); reason == "" {
				t.Error("no failure is stored")
			}
			if got, want := s.Timeline(txID), "Submission_in_progress Scheduled Started Failed"; got != want {
				t.Errorf("timeline %q, want %q", got, want)
			}
			for _, idType := range []string{"transaction", "sov"} {
				inquiry := servertest.Call{Line: "GET /data/v2/acme-us-c0001/" + txID + "?idType=" + idType, Token: acme.Token, Key: acme.Key}
				s.Refused(t, inquiry, http.StatusConflict, `{"message":"Transaction is not complete","status":"Failed"}`)
			}
			// A final state does not change.
			s.Pass(time.Hour)
			s.Work()
			acme.Status(txID).Want(t, http.StatusOK, end.Body)
		})
	}
	if reports := servertest.Value[int](s, "select count(*) from reports"); reports != 0 {
		t.Errorf("%d reports, want none", reports)
	}
}

// TestBadDocumentsDoNotAffectOthers submits readable and unreadable documents,
// and one whose file is lost, side by side.
func TestBadDocumentsDoNotAffectOthers(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	var txIDs []string
	for _, content := range []string{string(servertest.Letter), noise(100), string(servertest.Letter), string(servertest.Letter)} {
		txIDs = append(txIDs, acme.SubmitFile("a.dat", []byte(content)))
	}
	lost := servertest.Value[string](s, "select object_key from submissions where tx_id = $1", txIDs[3])
	if err := s.App.Objects.Delete(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		s.Pass(2 * time.Second)
		s.Work()
	}
	for i, want := range []string{"Completed", "Failed", "Completed", "Failed"} {
		if got := acme.Status(txIDs[i]).Text(t, "status"); got != want {
			t.Errorf("document %d: status %s, want %s", i, got, want)
		}
	}
}
