package feed_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/feed"
	"understudy.example/internal/journal"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// flushed is used for feeds of which nothing is buffered.
func flushed(context.Context) error { return nil }

// countedCalls counts the calls through which reads go, whether they match or not.
type countedCalls struct {
	journal.Calls
	passed atomic.Int64
}

func (c *countedCalls) Entries(ctx context.Context, db storage.DB, query feed.Query) ([]feed.Entry, error) {
	all := query
	all.TxID, all.Limit = "", 1000
	entries, err := c.Calls.Entries(ctx, db, all)
	c.passed.Add(int64(len(entries)))
	if err != nil {
		return nil, err
	}
	return c.Calls.Entries(ctx, db, query)
}

// TestListNextReadsEachEntryOnce checks that a reader that finds nothing does not read
// the same entries again.
func TestListNextReadsEachEntryOnce(t *testing.T) {
	s := servertest.New(t)
	call := writers(s)["call"]
	var calls countedCalls
	entries := feed.New(s.DB, flushed, &calls)
	query := feed.Query{Filter: feed.Filter{TenantID: s.TenantID("acme"), Event: "call", TxID: "none"}, Limit: 1}
	written := int64(1) // the call for the access token
	for range 5 {
		call()
		written++
		servertest.Until(t, "the call has been read", func() bool {
			found, err := entries.ListNext(t.Context(), &query)
			if err != nil || len(found) > 0 {
				t.Fatalf("found %v, %v", found, err)
			}
			return calls.passed.Load() >= written
		})
	}
	if passed := calls.passed.Load(); passed != written {
		t.Errorf("read %d rows, want %d", passed, written)
	}
}

// heldCalls holds the reads of one tenant until release is closed.
type heldCalls struct {
	journal.Calls
	tenantID uuid.UUID
	release  chan struct{}
	reading  atomic.Int64 // reads of the tenant that have begun
}

func (c *heldCalls) Entries(ctx context.Context, db storage.DB, query feed.Query) ([]feed.Entry, error) {
	if query.TenantID == c.tenantID {
		c.reading.Add(1)
		<-c.release
	}
	return c.Calls.Entries(ctx, db, query)
}

// TestReadersOfATenantTakeTurns checks that of many readers of a tenant only one reads,
// while a reader of another tenant reads too.
func TestReadersOfATenantTakeTurns(t *testing.T) {
	s := servertest.New(t)
	s.Acme()
	held := &heldCalls{tenantID: s.TenantID("acme"), release: make(chan struct{})}
	entries := feed.New(s.DB, flushed, held)
	list := func(tenantID uuid.UUID) {
		if _, err := entries.List(t.Context(), feed.Query{Filter: feed.Filter{TenantID: tenantID, Event: "call"}, Limit: 1}); err != nil {
			t.Error(err)
		}
	}
	const readers = 20
	var begun, reading sync.WaitGroup
	for range readers {
		begun.Add(1)
		reading.Go(func() { begun.Done(); list(held.tenantID) })
	}
	begun.Wait()
	servertest.Until(t, "a reader reads", func() bool { return held.reading.Load() > 0 })
	for range readers {
		list(s.TenantID("globex"))
	}
	if n := held.reading.Load(); n != 1 {
		t.Errorf("%d readers of the tenant read at the same time, want 1", n)
	}
	close(held.release)
	reading.Wait()
	if n := held.reading.Load(); n != readers {
		t.Errorf("%d reads, want %d", n, readers)
	}
}
