package universal_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

func TestTriggerWithoutUpload(t *testing.T) {
	servertest.Proves(t, "Transaction status: a trigger sets Submission_in_progress",
		"Chosen, universal submit: trigger before a complete upload: 409")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	trigger := servertest.Call{Line: "POST /universal/v2/universal-submit/file/" + txID, Token: acme.Token, Key: acme.Key}
	const notUploaded = `{"message":"File has not been uploaded"}`
	s.Refused(t, trigger, http.StatusConflict, notUploaded)
	s.Upload(url, "a.txt", nil).Want(t, http.StatusBadRequest)
	s.Refused(t, trigger, http.StatusConflict, notUploaded)
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	// The upload counts, not the age of its URL.
	s.Pass(time.Hour)
	acme.Trigger(txID).Want(t, http.StatusOK)
}

func TestTriggerAgain(t *testing.T) {
	servertest.Proves(t, "Endpoint 4, trigger: method and path, no body",
		"Chosen, universal submit: trigger again: the first response, one run of processing")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	first := acme.Trigger(txID).Want(t, http.StatusOK)
	for _, wait := range []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 11 * time.Hour} {
		s.Pass(wait)
		s.Unchanged(t, func() { acme.Trigger(txID).Want(t, http.StatusOK, first.Body) })
		s.Work()
		s.Unchanged(t, func() { acme.Trigger(txID).Want(t, http.StatusOK, first.Body) })
	}
	checkProcessedOnce(t, s, txID)
}

// TestConcurrentTriggers checks that the document is processed once, however many
// triggers and background steps run at the same time.
func TestConcurrentTriggers(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: trigger again: the first response, one run of processing")
	s := servertest.New(t)
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	var calls, steps sync.WaitGroup
	responses := make([]servertest.Response, 50)
	for i := range responses {
		calls.Go(func() { responses[i] = acme.Trigger(txID) })
	}
	calls.Wait()
	for _, response := range responses {
		response.Want(t, http.StatusOK, responses[0].Body)
	}
	for range 4 {
		s.Pass(2 * time.Second)
		for range 8 {
			steps.Go(s.Work)
		}
		steps.Wait()
	}
	acme.Trigger(txID).Want(t, http.StatusOK, responses[0].Body)
	checkProcessedOnce(t, s, txID)
}

// checkProcessedOnce checks that the submission was processed once and completed.
func checkProcessedOnce(t *testing.T, s *servertest.Server, txID string) {
	t.Helper()
	const want = "Submission_in_progress Scheduled Started Completed"
	if got := s.Timeline(txID); got != want {
		t.Errorf("timeline %q, want %q", got, want)
	}
	if attempts := servertest.Value[int](s, "select attempt from submissions where tx_id = $1", txID); attempts != 1 {
		t.Errorf("%d attempts, want 1", attempts)
	}
	if reports := servertest.Value[int](s, "select count(*) from reports where tx_id = $1", txID); reports != 1 {
		t.Errorf("%d reports, want 1", reports)
	}
}
