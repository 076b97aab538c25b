package universal_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// noise is n bytes without meaning, the same each time.
func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return string(b)
}

// TestUnreadableDocuments: they end as Failed, with the reason kept.
func TestUnreadableDocuments(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for filename, content := range map[string]string{
		"noise.bin":   noise(5000),
		"cut.xlsx":    "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00",
		"cut.pdf":     "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00",
		"program.exe": "MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00", 500),
	} {
		t.Run(filename, func(t *testing.T) {
			txID := acme.Submit(filename, []byte(content))
			got := acme.Status(txID).Want(t, http.StatusOK)
			if got.Text(t, "status") != "Failed" || got.Text(t, "tx_end_time") == "" || strings.Contains(got.Body, "report_id") {
				t.Fatalf("status %s", got.Body)
			}
			if reason := servertest.Value[string](w, "select coalesce(failure, '') from submissions where tx_id = $1", txID); reason == "" {
				t.Error("no reason")
			}
			if got := w.Timeline(txID); got != "Submission_in_progress Scheduled Started Failed" {
				t.Errorf("timeline %s", got)
			}
			for _, idType := range []string{"transaction", "sov"} {
				w.refused(t, servertest.Call{Line: "GET /data/v2/acme-us-c0001/" + txID + "?idType=" + idType, Token: acme.Token, Key: acme.Key},
					http.StatusConflict, `{"message":"Transaction is not complete","status":"Failed"}`)
			}
			// A final state is final.
			w.Pass(time.Hour)
			w.Work()
			acme.Status(txID).Want(t, http.StatusOK, got.Body)
		})
	}
	if reports := servertest.Value[int](w, "select count(*) from reports"); reports != 0 {
		t.Errorf("%d reports", reports)
	}
}

// TestOneBadDocument: what is submitted beside it comes to its own end.
func TestOneBadDocument(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	var all []string
	for _, content := range []string{string(servertest.Letter), noise(100), string(servertest.Letter)} {
		txID, url := acme.Announce("a.dat")
		w.Upload(url, "a.dat", []byte(content)).Want(t, http.StatusOK)
		acme.Trigger(txID).Want(t, http.StatusOK)
		all = append(all, txID)
	}
	// One whose file was lost.
	txID, url := acme.Announce("a.txt")
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	acme.Trigger(txID).Want(t, http.StatusOK)
	if err := w.objects.Delete(t.Context(), servertest.Value[string](w, "select object_key from submissions where tx_id = $1", txID)); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		w.Pass(2 * time.Second)
		w.Work()
	}
	for i, want := range []string{"Completed", "Failed", "Completed", "Failed"} {
		if got := acme.Status(append(all, txID)[i]).Text(t, "status"); got != want {
			t.Errorf("document %d: %s, want %s", i, got, want)
		}
	}
}
