// Package feed is what happened to each tenant, in order: states reached,
// calls made, deliveries attempted, tokens and addresses expired. Whoever makes
// something happen appends it in the transaction that made it true; whoever
// waits for it reads on from a cursor and misses nothing, however late a
// transaction commits. It knows nothing of what the entries mean.
//
// The order is by transaction, then by place within it, and only what no
// transaction in progress can still come before is shown: so an entry that was
// not there when its successor was read can't be skipped.
package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Kinds of entry. Those of calls and deliveries are not appended: they are what
// the journal of calls and the records of attempts tell.
const (
	State    = "state"
	Delivery = "delivery"
)

// Entry is something that happened.
type Entry struct {
	TenantID uuid.UUID
	At       time.Time // tenant's time
	Kind     string
	Event    string // subject or subject:action
	TxID     string // "" when it is about no transaction
	Data     any    // what JSON can hold
}

// Append writes the entries. Those of one call keep their order.
func Append(ctx context.Context, db storage.DB, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	n := len(entries)
	tenants, at, data := make([]uuid.UUID, n), make([]time.Time, n), make([]string, n)
	kinds, events, txIDs := make([]string, n), make([]string, n), make([]string, n)
	for i, entry := range entries {
		tenants[i], at[i], kinds[i], events[i], txIDs[i] = entry.TenantID, entry.At, entry.Kind, entry.Event, entry.TxID
		text, err := json.Marshal(entry.Data)
		if err != nil {
			return fmt.Errorf("append to feed: %w", err)
		}
		data[i] = string(text)
	}
	if _, err := db.Exec(ctx, `
		insert into feed (tenant_id, at, kind, event, tx_id, data)
		select tenant_id, at, kind, event, tx_id, data
		from unnest(@tenants::uuid[], @at::timestamptz[], @kinds::text[], @events::text[], @tx_ids::text[], @data::json[])
			with ordinality told (tenant_id, at, kind, event, tx_id, data, place)
		where tenant_id = any(array(
			select id
			from tenants
			where id = any(@owners)
			for key share -- so that none is deleted before the commit
		))
		order by place`,
		pgx.StrictNamedArgs{
			"tenants": tenants, "owners": storage.InLockOrder(tenants), "at": at, "kinds": kinds, "events": events, "tx_ids": txIDs, "data": data,
		}); err != nil {
		return fmt.Errorf("append to feed: %w", err)
	}
	return nil
}

// Cursor is a place in the feed: right after an entry. The zero cursor is the
// beginning.
type Cursor struct{ xid, seq uint64 }

func (c Cursor) String() string { return fmt.Sprintf("%d-%d", c.xid, c.seq) }

// ParseCursor reads what String wrote.
func ParseCursor(text string) (Cursor, bool) {
	xid, seq, _ := strings.Cut(text, "-")
	var c Cursor
	var err error
	if c.xid, err = strconv.ParseUint(xid, 10, 64); err != nil {
		return Cursor{}, false
	}
	c.seq, err = strconv.ParseUint(seq, 10, 63)
	return c, err == nil && c.String() == text
}

// At is the place right after the entry with this transaction and number.
func At(xid, seq uint64) Cursor { return Cursor{xid, seq} }

// Place is the cursor's transaction and number as a statement takes them.
func (c Cursor) Place() (xid string, seq int64) { return strconv.FormatUint(c.xid, 10), int64(c.seq) }

// MarshalText writes the cursor as String does.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Now is the place after all that can be read now.
func Now(ctx context.Context, db storage.DB) (Cursor, error) {
	var next uint64
	if err := db.QueryRow(ctx, `
		select pg_snapshot_xmin(pg_current_snapshot())`).Scan(&next); err != nil {
		return Cursor{}, fmt.Errorf("end of feed: %w", err)
	}
	return Cursor{next - 1, math.MaxInt64}, nil
}

// Query is which of a tenant's entries to read.
type Query struct {
	TenantID uuid.UUID
	After    Cursor
	Kind     string // "" for any
	Event    string // "subject:action", "subject", or "" and "*" for all
	TxID     string // "" for any
	Limit    int
	Newest   bool // of more than Limit, the newest rather than the oldest
}

// Read is an entry as read.
type Read struct {
	Cursor Cursor          `json:"cursor"`
	At     api.Time        `json:"at"`
	Kind   string          `json:"kind"`
	Event  string          `json:"event"`
	TxID   string          `json:"tx_id,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// List returns the entries in their order.
func List(ctx context.Context, db storage.DB, query Query) ([]Read, error) {
	direction, again := "asc", ""
	if query.Newest {
		direction, again = "desc", "order by xid, seq"
	}
	rows, err := storage.All[struct {
		XID   uint64
		Seq   uint64
		At    time.Time
		Kind  string
		Event string
		TxID  string
		Data  json.RawMessage
	}](ctx, db, `
		select xid, seq, at, kind, event, tx_id, coalesce(data, shown(attempt)) as data
		from (
			select xid, seq, at, kind, event, tx_id, data, attempt
			from happened
			where tenant_id = @tenant_id
			and xid >= @xid::text::xid8 -- for what numbers its entries only when read
			and (xid, seq) > (@xid::text::xid8, @seq)
			and xid < pg_snapshot_xmin(pg_current_snapshot())
			and @kind in ('', kind)
			and (@event in ('', '*', event) or event like @subject)
			and @tx_id in ('', tx_id)
			order by xid `+direction+`, seq `+direction+`
			limit @limit
		) found `+again,
		pgx.StrictNamedArgs{
			"tenant_id": query.TenantID, "xid": strconv.FormatUint(query.After.xid, 10), "seq": int64(query.After.seq),
			"kind": query.Kind, "event": query.Event, "subject": likeSubject(query.Event), "tx_id": query.TxID, "limit": query.Limit,
		})
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	entries := make([]Read, len(rows))
	for i, row := range rows {
		entries[i] = Read{Cursor{row.XID, row.Seq}, api.Time(row.At), row.Kind, row.Event, row.TxID, row.Data}
	}
	return entries, nil
}

// likeSubject is the pattern of a subject's events, whatever their action.
func likeSubject(subject string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(subject) + ":%"
}

// most is how many entries of a tenant are kept, a minute's growth aside.
const most = 10_000

// Bound trims the feeds that have grown too long.
func Bound(ctx context.Context, db storage.DB) error {
	rows, err := db.Query(ctx, `
		select tenant_id
		from feed
		group by tenant_id
		having count(*) > @most`,
		pgx.StrictNamedArgs{"most": most})
	if err != nil {
		return fmt.Errorf("look for long feeds: %w", err)
	}
	long, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("look for long feeds: %w", err)
	}
	for _, tenantID := range long {
		if err := trim(ctx, db, tenantID, most); err != nil {
			return err
		}
	}
	return nil
}

// trim keeps the newest entries of a tenant, at most as many as given.
func trim(ctx context.Context, db storage.DB, tenantID uuid.UUID, most int) error {
	if _, err := db.Exec(ctx, `
		delete from feed
		where tenant_id = @tenant_id
		and (xid, seq) <= (
			select xid, seq
			from feed
			where tenant_id = @tenant_id
			order by xid desc, seq desc
			offset @most
			limit 1
		)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "most": most}); err != nil {
		return fmt.Errorf("trim feed: %w", err)
	}
	return nil
}

// Drop removes all entries of a tenant.
func Drop(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	return trim(ctx, db, tenantID, 0)
}
