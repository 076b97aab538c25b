package journal

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// maxPath is the maximum number of characters of a path in the feed. Many entries are in
// memory at the same time.
const maxPath = 500

// Calls is the feed's source of calls. Each call is an entry of the event "call".
type Calls struct{}

// Has reports whether the event is "call" or all events.
func (Calls) Has(event string) bool { return event == "" || event == "*" || event == "call" }

// Kind returns "call".
func (Calls) Kind() string { return "call" }

// Entries returns calls as entries of the feed.
func (Calls) Entries(ctx context.Context, db storage.DB, query feed.Query) ([]feed.Entry, error) {
	type data struct {
		Path      string    `json:"path"`
		Route     string    `json:"route"`
		Faults    []string  `json:"faults,omitempty"`
		Method    string    `json:"method"`
		Status    int       `json:"status"`
		RequestID uuid.UUID `json:"request_id"`
	}
	rows, err := storage.All[struct {
		XID    uint64
		Seq    uint64
		ID     uuid.UUID
		At     time.Time
		Method string
		Path   string
		Route  string
		Status int
		Faults []string
		TxID   string
	}](ctx, db, `
		select xid, seq, id, at, method, left(path, @max_path) as path, route, status, faults, tx_id
		from calls
		where tenant_id = @tenant_id
		and xid >= @after_xid::text::xid8 -- the conditions on both columns would not use the index
		and (xid, seq) > (@after_xid::text::xid8, @after_seq)
		and xid <= @before_xid::text::xid8
		and (xid, seq) < (@before_xid::text::xid8, @before_seq)
		and @tx_id in ('', tx_id)
		order by xid `+query.Order()+`, seq `+query.Order()+`
		limit @limit`,
		query.Args(pgx.StrictNamedArgs{"limit": query.Limit, "max_path": maxPath}))
	if err != nil {
		return nil, err
	}
	entries := make([]feed.Entry, len(rows))
	for i, row := range rows {
		text, err := json.Marshal(data{row.Path, row.Route, row.Faults, row.Method, row.Status, row.ID})
		if err != nil {
			return nil, err
		}
		entries[i] = feed.Entry{
			Cursor: feed.Cursor{XID: row.XID, Seq: row.Seq}, At: api.Time(row.At), Kind: Calls{}.Kind(), Event: "call", TxID: row.TxID, Data: text,
		}
	}
	return entries, nil
}

// Grown returns the tenants with calls in their ranges.
func (Calls) Grown(ctx context.Context, db storage.DB, written feed.Ranges) ([]uuid.UUID, error) {
	return storage.IDs(ctx, db, `
		select written.tenant_id
		from unnest(@tenants::uuid[], @from::text[]::xid8[], @until::text[]::xid8[]) written (tenant_id, from_xid, until_xid)
		where exists (
			select from call_batches
			where call_batches.tenant_id = written.tenant_id
			and xid >= from_xid
			and xid < until_xid
		)`, written.Args())
}
