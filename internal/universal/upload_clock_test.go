package universal_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUploadURLAfterAMoveOnAnotherServer moves a clock on one server and requests an upload URL from
// another, which still has the earlier time of the tenant in its cache. The URL is valid.
func TestUploadURLAfterAMoveOnAnotherServer(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	behind := *tenant
	behind.Server = s.Replica()
	behind.Announce("a.txt")
	tenant.Control("POST /clock", `{"advance":"6m"}`).Want(t, http.StatusOK)
	txID, url := behind.Announce("b.txt")
	behind.Upload(url, "b.txt", servertest.Letter).Want(t, http.StatusOK)
	behind.Trigger(txID).Want(t, http.StatusOK)
}
