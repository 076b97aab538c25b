package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
)

// writers add one entry each to the feed of the tenant acme: one writer for each
// source, by the event of its entries.
func writers(s *servertest.Server) map[string]func() {
	acme := s.Acme()
	flush := func() {
		s.T.Helper()
		if err := s.App.Journal.Flush(context.Background()); err != nil {
			s.T.Error(err)
		}
	}
	flush() // the call for the access token
	return map[string]func(){
		"test:reached": func() {
			s.T.Helper()
			if err := pgx.BeginFunc(context.Background(), s.DB, func(tx pgx.Tx) error { return appendState(s, tx, "test:reached") }); err != nil {
				s.T.Error(err)
			}
		},
		"call": func() {
			s.T.Helper()
			acme.Do("GET /universal/v2/universal-submit/status/"+servertest.Absent, "")
			flush()
		},
		"delivery": func() { s.RecordAttempt("acme", 200) },
	}
}

// appendState adds a state of the tenant acme in the transaction.
func appendState(s *servertest.Server, tx pgx.Tx, event string) error {
	return feed.AppendStates(context.Background(), tx, feed.State{TenantID: s.TenantID("acme"), At: s.Now(), Event: event, TxID: servertest.Absent})
}

// list returns the entries of the tenant acme that the query selects.
func list(s *servertest.Server, query feed.Query) []feed.Entry {
	s.T.Helper()
	query.TenantID = s.TenantID("acme")
	if query.Limit == 0 {
		query.Limit = 100
	}
	entries, err := s.App.Feed.List(context.Background(), query)
	if err != nil {
		s.T.Fatal(err)
	}
	return entries
}

// awaitEntries waits until the feed of the tenant acme has n entries: they are
// shown only when no older transaction that can add entries is in progress.
func awaitEntries(s *servertest.Server, n int) []feed.Entry {
	s.T.Helper()
	var entries []feed.Entry
	servertest.Until(s.T, fmt.Sprintf("the feed has %d entries", n), func() bool {
		entries = list(s, feed.Query{})
		return len(entries) >= n
	})
	return entries
}

func events(entries []feed.Entry) (events []string) {
	for _, entry := range entries {
		events = append(events, entry.Event)
	}
	return events
}

// described returns the entries as JSON.
func described(entries []feed.Entry) (texts []string) {
	for _, entry := range entries {
		text, err := json.Marshal(entry)
		texts = append(texts, fmt.Sprintf("%s %v", text, err))
	}
	return texts
}

// TestSourcesShareOneOrder checks that the entries of all sources are listed in the
// order of their transactions, and that any cursor continues in all of them.
func TestSourcesShareOneOrder(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	want := []string{"call"} // for the access token
	for _, event := range []string{"delivery", "call", "test:reached", "call", "delivery", "test:reached", "delivery"} {
		write[event]()
		want = append(want, event)
	}
	all := awaitEntries(s, len(want))
	if diff := cmp.Diff(want, events(all)); diff != "" {
		t.Fatalf("events (- want, + got):\n%s", diff)
	}
	for size := 1; size <= len(all); size++ {
		var paged []feed.Entry
		for after := (feed.Cursor{}); ; {
			page := list(s, feed.Query{Filter: feed.Filter{After: after}, Limit: size})
			if len(page) == 0 {
				break
			}
			paged, after = append(paged, page...), page[len(page)-1].Cursor
		}
		if diff := cmp.Diff(described(all), described(paged)); diff != "" {
			t.Errorf("pages of %d (- want, + got):\n%s", size, diff)
		}
	}
	if diff := cmp.Diff(described(all[5:]), described(list(s, feed.Query{Limit: 3, Newest: true}))); diff != "" {
		t.Errorf("newest 3 (- want, + got):\n%s", diff)
	}
	for query, want := range map[feed.Filter]int{
		{Event: "*"}:                             8,
		{Event: "call"}:                          3,
		{Event: "delivery"}:                      3,
		{Event: "test"}:                          2,
		{Event: "test:reached"}:                  2,
		{Event: "tes"}:                           0,
		{Event: "test:%"}:                        0,
		{TxID: servertest.Absent}:                4, // two calls and two states
		{TxID: servertest.Absent, Event: "call"}: 2,
		{TxID: "none"}:                           0,
	} {
		if found := list(s, feed.Query{Filter: query}); len(found) != want {
			t.Errorf("%+v: %d entries, want %d", query, len(found), want)
		}
	}
	end, err := s.App.Feed.End(t.Context(), s.TenantID("acme"))
	if err != nil {
		t.Fatal(err)
	}
	if after := list(s, feed.Query{Filter: feed.Filter{After: end}}); len(after) != 0 {
		t.Errorf("entries after the end: %v", events(after))
	}
}

// TestEntriesWaitForOlderTransactions checks that no entry is shown before one that
// an older transaction may still add, so that a reader misses nothing.
func TestEntriesWaitForOlderTransactions(t *testing.T) {
	s := servertest.New(t)
	write := writers(s)
	before := awaitEntries(s, 1)
	late, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Rollback(context.Background())
	if err := appendState(s, late, "late:first"); err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"test:reached", "call", "delivery"} {
		write[event]()
		if shown := list(s, feed.Query{}); len(shown) != len(before) {
			t.Errorf("shown while an older transaction is in progress: %v", events(shown))
		}
	}
	if err := appendState(s, late, "late:second"); err != nil {
		t.Fatal(err)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := awaitEntries(s, len(before)+5)
	want := []string{"late:first", "late:second", "test:reached", "call", "delivery"}
	if got := events(all[len(before):]); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}
