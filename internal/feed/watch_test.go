package feed_test

import (
	"testing"
	"time"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
)

// awaitEntry waits for signals of the watch until the feed of the tenant acme has
// an entry of the event after the cursor. A signal may be an early one: the first
// check wakes everybody.
func awaitEntry(s *servertest.Server, watch *feed.Watch, after feed.Cursor, event string) feed.Entry {
	s.T.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case <-watch.Grown:
		case <-timeout:
			s.T.Fatalf("%s: no signal", event)
		}
		if found := list(s, feed.Query{Filter: feed.Filter{After: after, Event: event}}); len(found) > 0 {
			return found[0]
		}
	}
}

// TestWatch checks that an entry of any source wakes those who wait for its
// tenant, and nobody else.
func TestWatch(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	other := s.App.Feed.Watch(s.TenantID("globex"))
	defer other.Stop()
	watch := s.App.Feed.Watch(s.TenantID("acme"))
	defer watch.Stop()
	last := feed.Cursor{}
	for i, event := range []string{"test:reached", "call", "delivery", "test:reached"} {
		write[event]()
		last = awaitEntry(s, watch, last, event).Cursor
		select {
		case <-other.Grown:
			if i > 0 { // the first check wakes everybody
				t.Errorf("%s of acme woke a reader of globex", event)
			}
		default:
		}
	}
}

// TestWatchOfAnotherServer checks that entries which another server writes wake the
// readers of this one.
func TestWatchOfAnotherServer(t *testing.T) {
	s := servertest.New(t)
	write := writers(s.Replica())
	watch := s.App.Feed.Watch(s.TenantID("acme"))
	defer watch.Stop()
	last := feed.Cursor{}
	for _, event := range []string{"test:reached", "call", "delivery"} {
		write[event]()
		last = awaitEntry(s, watch, last, event).Cursor
	}
}

// TestWatchOfManyReaders checks that an entry wakes all readers of its tenant, and
// that readers can come and go.
func TestWatchOfManyReaders(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	last := feed.Cursor{}
	for range 2 {
		watches := make([]*feed.Watch, 5)
		for i := range watches {
			watches[i] = s.App.Feed.Watch(s.TenantID("acme"))
		}
		write["test:reached"]()
		var entry feed.Entry
		for _, watch := range watches {
			entry = awaitEntry(s, watch, last, "test:reached")
			watch.Stop()
		}
		last = entry.Cursor
	}
}
