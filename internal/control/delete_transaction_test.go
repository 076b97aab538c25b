package control_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// TestDeleteTransaction checks that DELETE …/transactions/{tx_id} removes a submission
// with its object, report, timeline, feed, events and deliveries, and nothing of other
// submissions.
func TestDeleteTransaction(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, transactions: deleted with all that belongs to them")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	tenant.Subscribe(receiver.URL)
	kept := tenant.SubmitFile("kept.txt", servertest.Letter)
	tenant.AwaitEnd(kept)
	deleted := tenant.SubmitFile("deleted.txt", servertest.Letter)
	tenant.AwaitEnd(deleted)
	servertest.Until(t, "all is attempted", func() bool { return len(receiver.Received()) == 8 })
	servertest.Until(t, "all attempts are recorded", func() bool {
		return servertest.Value[int](s, "select count(*) from failed_attempts") == 8
	})
	first := tenant.Control("GET /deliveries", "").Want(t, http.StatusOK).Get(t, "deliveries").([]any)[0].(map[string]any)
	if !strings.Contains(first["body"].(string), deleted) {
		t.Fatalf("the newest delivery is %v", first)
	}
	tenant.Control("POST /deliveries/"+first["request_id"].(string)+"/redeliver", "").Want(t, http.StatusCreated)
	servertest.Until(t, "the redelivery is recorded", func() bool {
		return servertest.Value[int](s, "select count(*) from failed_attempts") == 9
	})

	tenant.Control("DELETE /transactions/"+deleted, "").Want(t, http.StatusNoContent)
	for _, id := range []string{deleted, strings.Repeat("0", 8) + deleted[8:], "none"} {
		tenant.Control("DELETE /transactions/"+id, "").Want(t, http.StatusNotFound, `{"message":"Transaction not found"}`)
	}
	tenant.Control("GET /transactions/"+deleted, "").Want(t, http.StatusNotFound)
	tenant.Status(deleted).Want(t, http.StatusNotFound)
	if left := s.TablesAbout(deleted); len(left) > 0 {
		t.Errorf("rows about the deleted transaction are left in %v", left)
	}
	for _, table := range []string{"submissions", "reports", "feed", "events"} {
		if !strings.Contains(strings.Join(s.TablesAbout(kept), " "), table) {
			t.Errorf("%s has no row about the transaction that was not deleted", table)
		}
	}
	for sql, want := range map[string]int{
		"select count(*) from deliveries": 4, "select count(*) from failed_attempts": 4,
		"select sum(attempt_count) from attempt_batches":         4,
		"select sum(cardinality(attempts)) from attempt_batches": 4,
	} {
		if n := servertest.Value[int](s, sql); n != want {
			t.Errorf("%s: %d, want %d", sql, n, want)
		}
	}
	if files := s.StoredFiles(); len(files) != 1 {
		t.Errorf("files %v", files)
	}
	tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+kept+"?idType=transaction", "").Want(t, http.StatusOK)
	s.Tenant("acme").Control("DELETE /transactions/"+kept, "").Want(t, http.StatusNotFound)
	if calls := tenant.Journal("tx_id=" + deleted); len(calls) == 0 {
		t.Error("the journal no longer has the calls")
	}
}

// TestDeleteTransactionDuringProcessing deletes a submission while its document is
// being processed: the result has no effect, and the transaction does not reappear.
func TestDeleteTransactionDuringProcessing(t *testing.T) {
	opened := func() {}
	s := servertest.New(t, func(o *servertest.Options) {
		o.Objects.Backend = callOnOpen{o.Objects.Backend, func() { opened() }}
	})
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("letter.txt", servertest.Letter)
	deletions := 0
	opened = func() {
		deletions++
		tenant.Control("DELETE /transactions/"+txID, "").Want(t, http.StatusNoContent)
	}
	s.Work()
	s.Work()
	if left := s.TablesAbout(txID); len(left) > 0 || deletions != 1 {
		t.Errorf("after %d deletions, rows are left in %v", deletions, left)
	}
	tenant.Status(txID).Want(t, http.StatusNotFound)
	if files := s.StoredFiles(); len(files) > 0 {
		t.Errorf("files %v are left", files)
	}
}

// callOnOpen calls a function before a file of a submission is opened.
type callOnOpen struct {
	storage.Backend
	call func()
}

// Open implements storage.Objects.
func (o callOnOpen) Open(ctx context.Context, key string) (storage.Object, error) {
	if strings.Contains(key, "/") {
		o.call()
	}
	return o.Backend.Open(ctx, key)
}
