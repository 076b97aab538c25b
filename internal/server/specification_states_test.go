package server_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// statusesSeen submits the document and returns the statuses of the trigger and
// of polling, in order, without repetitions.
func statusesSeen(t *testing.T, c servertest.Client, document []byte) string {
	t.Helper()
	txID, url := c.Announce("a.txt")
	c.Upload(url, "a.txt", document).Want(t, http.StatusOK)
	seen := []string{c.Trigger(txID).Want(t, http.StatusOK).Text(t, "status")}
	for range 9 {
		if status := c.Status(txID).Want(t, http.StatusOK).Text(t, "status"); status != seen[len(seen)-1] {
			seen = append(seen, status)
		}
		c.Pass(500 * time.Millisecond)
		c.Work()
	}
	return strings.Join(seen, " ")
}

// unreadable returns bytes in which no format and no text can be recognised.
func unreadable() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return noise
}

// TestTransactionStates checks the two progressions of a submission, each with
// success and with failure.
func TestTransactionStates(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		document       []byte
		want           string
		proves         []string
	}{
		{"processing flow, success", `{}`, servertest.Letter, "Submission_in_progress Scheduled Started Completed", []string{
			"Transaction status: two vocabularies", "Transaction status: a trigger sets Submission_in_progress",
			"Transaction status: Submission_in_progress to Scheduled", "Transaction status: Scheduled to Started",
			"Transaction status: Started to Completed",
		}},
		{"processing flow, failure", `{}`, unreadable(), "Submission_in_progress Scheduled Started Failed", []string{
			"Transaction status: Started to Failed",
		}},
		{"polling, success", `{"status_vocabulary":"polling"}`, servertest.Letter, "Submission_in_progress Pending Started Succeeded", []string{
			"Transaction status: two vocabularies", "Transaction status: Pending to Started", "Transaction status: Started to Succeeded",
		}},
		{"polling, failure", `{"status_vocabulary":"polling"}`, unreadable(), "Submission_in_progress Pending Started Failed", []string{
			"Transaction status: Started to Failed when polled",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.Proves(t, test.proves...)
			s := servertest.New(t)
			s.Settings("acme", test.settings)
			if got := statusesSeen(t, s.Acme(), test.document); got != test.want {
				t.Errorf("statuses %s, want %s", got, test.want)
			}
		})
	}
}

func TestDataOnlyAfterAFinalState(t *testing.T) {
	servertest.Proves(t, "What the service does: 2 poll the status, then read the data", "Transaction status: data can be read after a final state")
	s := servertest.New(t)
	acme := s.Acme()
	txID := acme.SubmitFile("a.txt", servertest.Letter)
	line := "GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction"
	acme.Do(line, "").Want(t, http.StatusConflict)
	s.Settle()
	acme.Do(line, "").Want(t, http.StatusOK)
}
