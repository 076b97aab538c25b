package universal_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

func TestUploadURLExpires(t *testing.T) {
	servertest.Proves(t, "Endpoint 3, upload: valid 5 minutes",
		"Chosen, universal submit: upload URL over 5 minutes old when the head arrives: 403")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	kind, body := servertest.Form(t, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("new")})
	// The time of the request's head counts: a body that comes slowly is stored.
	s.Pass(5 * time.Minute)
	uploadSlowly(s, url, kind, body, func() { s.Pass(time.Hour) }).Want(t, http.StatusOK)
	if got := storedFile(t, s, txID); got != "new" {
		t.Errorf("file %q, want %q", got, "new")
	}

	const expired = `{"message":"Request has expired"}`
	_, url = acme.Announce("a.txt")
	s.Pass(5*time.Minute + time.Microsecond)
	s.Refused(t, servertest.Call{Line: "PUT " + url, Header: contentType(kind), Body: body}, http.StatusForbidden, expired)
	s.Refused(t, servertest.Call{Line: "PUT " + url, Header: contentType("text/plain"), Body: "x"}, http.StatusForbidden, expired)
	s.Unchanged(t, func() {
		uploadSlowly(s, url, kind, body, func() { t.Error("the server asked for the body of a refused upload") }).
			Want(t, http.StatusForbidden, expired)
	})
}
