package feed_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestFeedContinuesAfterRestore checks that a server on a database which was restored
// from a PostgreSQL with higher transaction ids shows the restored entries, and new
// ones after them, in the feed and in the journal. A cursor from before the restore
// remains valid.
func TestFeedContinuesAfterRestore(t *testing.T) {
	s := servertest.New(t)
	add := writers(s)
	names := slices.Sorted(maps.Keys(add))
	addAll := func() {
		for _, name := range names {
			add[name]()
		}
	}
	addAll()
	before := awaitEntries(s, 4)
	for _, table := range []string{"feed", "call_batches", "attempt_batches"} {
		if _, err := s.DB.Exec(t.Context(), "update "+table+" set xid = (xid::text::bigint + 1000000)::text::xid8"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second start finds nothing to do
		if err := storage.Migrate(t.Context(), s.DB, storagetest.Environment); err != nil {
			t.Fatal(err)
		}
	}
	addAll()
	after := awaitEntries(s, len(before)+len(names))
	if diff := cmp.Diff(slices.Concat(events(before), names), events(after)); diff != "" {
		t.Errorf("the feed after the restore (-want +got):\n%s", diff)
	}
	last := after[len(before)-1].Cursor
	if got := events(list(s, feed.Query{Filter: feed.Filter{After: last}})); !slices.Equal(got, names) {
		t.Errorf("entries after a cursor from before the restore: %q, want %q", got, names)
	}
	calls := s.Tenant("acme").Journal("limit=3")
	if newest := after[len(before)+slices.Index(names, "call")]; !strings.Contains(string(newest.Data), calls[0].ID) {
		t.Errorf("the newest call of the journal is %s, want that of %s", calls[0].ID, newest.Data)
	}
}
