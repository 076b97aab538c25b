package control_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestUploadURLAfterReset checks that the upload URL of a submission that was deleted by
// a reset is not accepted for a new submission with the same tx_id, which a tenant with
// an id seed gets.
func TestUploadURLAfterReset(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewNamedTenant("again", `{"id_seed":7}`)
	oldID, oldURL := tenant.Announce("a.txt")
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	s.Pass(time.Microsecond)
	txID, url := tenant.Announce("a.txt")
	if txID != oldID {
		t.Fatalf("tx_id %s after the reset, want %s", txID, oldID)
	}
	s.Upload(oldURL, "a.txt", servertest.Letter).Want(t, http.StatusForbidden)
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
}
