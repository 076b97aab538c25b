package universal_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUploadWhoseCommitIsUncertain checks that a file is kept if the server does not learn
// whether the submission refers to it: the upload gets 503, and the submission is
// triggered with the file that its row names.
func TestUploadWhoseCommitIsUncertain(t *testing.T) {
	for name, uploadedBefore := range map[string]bool{"first upload": false, "replacement": true} {
		t.Run(name, func(t *testing.T) {
			replies := &servertest.LostReply{}
			s := servertest.New(t, replies.Option(t))
			acme := s.Acme()
			txID, url := acme.Announce("a.txt")
			if uploadedBefore {
				acme.Upload(url, "a.txt", []byte("Named Insured: Earlier Ltd\n")).Want(t, http.StatusOK)
			}
			replies.To("acme/" + txID)
			acme.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusServiceUnavailable)
			if n := replies.Lost.Load(); n != 1 {
				t.Fatalf("%d replies were lost, want 1", n)
			}
			acme.Trigger(txID).Want(t, http.StatusOK)
			if got := storedFile(t, s, txID); got != string(servertest.Letter) {
				t.Errorf("the submission has the file %q, want the one of the upload whose commit was uncertain", got)
			}
		})
	}
}
