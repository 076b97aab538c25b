package universal_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestPollOfAReplacedSubmission replaces a submission by another one with the same id while a
// status poll waits for it, as a reset of a tenant with an id seed does. The poll must not count
// for the other one.
func TestPollOfAReplacedSubmission(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"pacing":{"mode":"polls","per_state":10}}`)
	txID := tenant.SubmitFile("letter.txt", servertest.Letter)
	lock := s.Lock("select from submissions where tx_id = $1 for update", txID)
	polled := make(chan servertest.Response)
	go func() { polled <- tenant.Status(txID) }()
	servertest.Until(t, "the poll waits", func() bool {
		return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 1
	})
	if _, err := lock.Exec(t.Context(), "update submissions set created_at = created_at + $2::interval where tx_id = $1", txID, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := lock.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	(<-polled).Want(t, http.StatusNotFound, `{"message":"Transaction not found"}`)
	if polls := servertest.Value[int](s, "select polls_in_state from submissions"); polls != 0 {
		t.Errorf("%d polls were counted", polls)
	}
}
