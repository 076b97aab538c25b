package universal_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/universal"
)

// extractions counts the documents that have been extracted.
type extractions struct{ n atomic.Int64 }

func (e *extractions) Extracted(time.Duration, string) { e.n.Add(1) }

func (*extractions) Ended(string, string) {}

// TestLargeReportsLeaveConnections checks that a tenant's submissions complete while the transaction of another tenant's
// large report waits and more large reports follow.
// One of these submissions is small, and one has so many locations that its report takes
// turns.
func TestLargeReportsLeaveConnections(t *testing.T) {
	s := servertest.New(t)
	globex := s.Globex()
	owners := []servertest.Client{s.Acme(), s.NewTenant(`{}`).Client, s.NewTenant(`{}`).Client} // of the large reports
	large := len(owners)
	var extracted extractions
	processor := s.App.Processor()
	processor.Observer = &extracted
	start := func(client servertest.Client, filename string, file []byte) (txID string) {
		txID = client.SubmitFile(filename, file)
		for range 2 {
			s.Pass(time.Second)
			if _, err := universal.Advance(t.Context(), s.DB, s.Now()); err != nil {
				t.Fatal(err)
			}
		}
		s.Pass(2 * time.Second)
		return txID
	}
	process := func() {
		if _, err := processor.Process(context.Background()); err != nil {
			t.Error(err)
		}
	}
	var reports []string
	for _, owner := range owners {
		reports = append(reports, start(owner, "sov.csv", []byte(statementOfValues(2001))))
	}
	lock, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(context.Background())
	for _, sql := range []string{
		"set local idle_in_transaction_session_timeout = 0",
		`insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at, saved_at)
		select 'CUS' || n, 'LUS' || n, tenant_id, tx_id, '{}', '[]', created_at, created_at
		from (select *, row_number() over () as n from submissions) submission`, // their own reports wait for these
	} {
		if _, err := lock.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var processing sync.WaitGroup
	for range large {
		processing.Go(process)
	}
	servertest.Until(t, "all statements of values have been extracted", func() bool { return extracted.n.Load() == int64(large) })
	servertest.Until(t, "the transaction of a report waits", func() bool {
		return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
	})

	for filename, file := range map[string][]byte{"a.txt": servertest.Letter, "medium.csv": []byte(statementOfValues(2000))} {
		txID := start(globex, filename, file)
		processing.Go(process)
		servertest.Until(t, filename+" completes while large reports wait", func() bool {
			return strings.Contains(globex.Status(txID).Want(t, http.StatusOK).Body, "Completed")
		})
	}
	// The transactions of the small reports have been committed, but their connections may not be free yet.
	servertest.Until(t, "large reports use one connection", func() bool { return s.App.DB.Endings.Stat().AcquiredConns() == 1 })
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	processing.Wait()
	for i, txID := range reports {
		if status := owners[i].Status(txID).Want(t, http.StatusOK); !strings.Contains(status.Body, "Completed") {
			t.Errorf("large report: %s", status.Body)
		}
	}
}
