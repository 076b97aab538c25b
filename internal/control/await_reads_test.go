package control_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"understudy.example/internal/control"
	"understudy.example/internal/feed"
	"understudy.example/internal/journal"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// countedCalls counts the calls through which awaits go, whether they match or not.
type countedCalls struct {
	journal.Calls
	passed atomic.Int64
}

func (c *countedCalls) Entries(ctx context.Context, db storage.DB, query feed.Query) ([]feed.Entry, error) {
	if query.Newest { // for the response after a timeout
		return c.Calls.Entries(ctx, db, query)
	}
	query.TxID, query.Limit = "", 1000
	entries, err := c.Calls.Entries(ctx, db, query)
	c.passed.Add(int64(len(entries)))
	return nil, err
}

// TestAwaitReadsEachEntryOnce checks that a call that waits for an event reads only new
// entries when the feed grows.
func TestAwaitReadsEachEntryOnce(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	var calls countedCalls
	entries := feed.New(s.DB, s.App.Journal.Flush, &calls)
	defer entries.Close()
	await := control.Await(s.DB, entries)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	ended := make(chan error, 1)
	go func() {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/await?event=call&tx_id=none&within=60s", nil)
		r.SetPathValue("t", "acme")
		ended <- await(httptest.NewRecorder(), r)
	}()
	written := int64(1) // the call for the access token
	for range 10 {
		acme.Do("GET /universal/v2/universal-submit/status/"+servertest.Absent, "")
		written++
		servertest.Until(t, "the call has been read", func() bool { return calls.passed.Load() >= written })
		if passed := calls.passed.Load(); passed != written {
			t.Fatalf("read %d rows, want %d", passed, written)
		}
	}
	leave()
	if err := <-ended; err == nil {
		t.Error("the call has a response")
	}
}
