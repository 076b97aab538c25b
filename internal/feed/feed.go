// Package feed lists the events of each tenant in one order: states that submissions
// reached, calls, and delivery attempts. Its own table has the states; calls and
// attempts come from the packages that record them, each of which is a Source. A
// reader continues from a cursor and misses nothing, however late a transaction
// commits. The package does not know what the entries mean.
//
// The order is by transaction, then by position within the transaction. An entry is
// shown only when no earlier transaction that can add entries for the tenant is in
// progress, so a reader that has read an entry has not skipped an earlier one.
package feed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Entry is an event of a tenant.
type Entry struct {
	Cursor Cursor          `json:"cursor"`
	At     api.Time        `json:"at"` // tenant's time
	Kind   string          `json:"kind"`
	Event  string          `json:"event"`           // subject or subject:action
	TxID   string          `json:"tx_id,omitempty"` // of the submission that it is about; "" if there is none
	Data   json.RawMessage `json:"data"`
}

// Cursor is the position of an entry in the feed. The zero cursor is before all
// entries.
type Cursor struct {
	XID uint64 // id of the Postgres transaction
	Seq uint64 // position within the transaction
}

func (c Cursor) String() string { return fmt.Sprintf("%d-%d", c.XID, c.Seq) }

// MarshalText returns the same text as String.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Compare orders cursors as the feed does.
func (c Cursor) Compare(other Cursor) int {
	return cmp.Or(cmp.Compare(c.XID, other.XID), cmp.Compare(c.Seq, other.Seq))
}

// ParseCursor parses a text that String returned, and reports whether it is valid.
func ParseCursor(text string) (Cursor, bool) {
	xid, seq, _ := strings.Cut(text, "-")
	var c Cursor
	var err error
	if c.XID, err = strconv.ParseUint(xid, 10, 64); err != nil {
		return Cursor{}, false
	}
	c.Seq, err = strconv.ParseUint(seq, 10, 63)
	return c, err == nil && c.String() == text
}

// Feed reads the feeds of all tenants and wakes readers that wait for entries.
type Feed struct {
	db      storage.DB
	sources []Source
	turns   storage.Locks // of tenants: readers of one take turns, so that they do not delay those of another
	watchers
}

// New returns the feed of the states and of the other sources. Close it to end all
// waiting. flush writes the entries that this process has buffered.
func New(db storage.DB, flush func(context.Context) error, others ...Source) *Feed {
	f := &Feed{db: db, sources: append([]Source{states{}}, others...)}
	f.watchers = newWatchers(f, flush)
	return f
}

// Query selects entries of one tenant.
type Query struct {
	Filter
	Limit  int
	Newest bool // if there are more than Limit entries, return the newest instead of the oldest
}

// List returns the entries that the query selects, in order.
func (f *Feed) List(ctx context.Context, query Query) ([]Entry, error) {
	found, _, err := f.read(ctx, query)
	return found, err
}

// ListNext returns the oldest entries that the query selects, and moves its cursor
// behind them, or if there are no more behind everything that can be read now. So
// nothing is read twice.
func (f *Feed) ListNext(ctx context.Context, query *Query) ([]Entry, error) {
	found, end, err := f.read(ctx, *query)
	switch {
	case err != nil:
		return nil, err
	case len(found) == query.Limit:
		query.After = found[len(found)-1].Cursor
	case end.Compare(query.After) > 0:
		query.After = end
	}
	return found, nil
}

// read returns the entries that the query selects, and the cursor after every entry
// that could be read.
func (f *Feed) read(ctx context.Context, query Query) ([]Entry, Cursor, error) {
	done, err := f.turns.Lock(ctx, query.TenantID)
	if err != nil {
		return nil, Cursor{}, err
	}
	defer done()
	// One bound for all sources: every entry below it is visible in all of them.
	end, err := f.End(ctx, query.TenantID)
	if err != nil || end.Compare(query.After) <= 0 {
		return []Entry{}, end, err
	}
	if bound := (Cursor{XID: end.XID + 1}); query.Before == (Cursor{}) || query.Before.Compare(bound) > 0 {
		query.Before = bound
	}
	var found []Entry
	for _, source := range f.sources {
		if !source.Has(query.Event) || query.Kind != "" && query.Kind != source.Kind() {
			continue
		}
		entries, err := source.Entries(ctx, f.db, query)
		if err != nil {
			return nil, Cursor{}, fmt.Errorf("read feed: %w", err)
		}
		found = append(found, entries...)
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return a.Cursor.Compare(b.Cursor) })
	if extra := len(found) - query.Limit; extra > 0 && query.Newest {
		found = found[extra:]
	} else if extra > 0 {
		found = found[:query.Limit]
	}
	return append([]Entry{}, found...), end, nil
}
