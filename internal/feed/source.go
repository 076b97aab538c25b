package feed

import (
	"context"
	"maps"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Source reads a table of entries. Each row has the tenant, the position of the
// transaction that wrote it (a column xid of type xid8, by default feed_position of its
// id) and the row's position in the transaction.
type Source interface {
	// Kind returns the kind of all entries of the source.
	Kind() string
	// Has reports whether the source has events with this name; "" and "*" are all
	// events.
	Has(event string) bool
	// Entries returns the entries that the query selects, at most its limit, in
	// any order.
	Entries(ctx context.Context, db storage.DB, query Query) ([]Entry, error)
	// Grown returns the tenants that have entries whose transactions are in their ranges.
	Grown(ctx context.Context, db storage.DB, written Ranges) ([]uuid.UUID, error)
}

// Range is a range of positions of transactions, including From and excluding Until.
type Range struct{ From, Until uint64 }

// Ranges has a range for each of several tenants.
type Ranges map[uuid.UUID]Range

// Args returns the tenants and their ranges as the parameters @tenants, @from and @until.
// Statements must convert the last two with ::text[]::xid8[].
func (r Ranges) Args() pgx.StrictNamedArgs {
	tenants, from, until := make([]uuid.UUID, 0, len(r)), make([]string, 0, len(r)), make([]string, 0, len(r))
	for tenantID, written := range r {
		tenants = append(tenants, tenantID)
		from = append(from, strconv.FormatUint(written.From, 10))
		until = append(until, strconv.FormatUint(written.Until, 10))
	}
	return pgx.StrictNamedArgs{"tenants": tenants, "from": from, "until": until}
}

// Filter selects entries of one tenant.
type Filter struct {
	TenantID uuid.UUID
	After    Cursor
	Before   Cursor // zero = the end; Feed moves it to the end of what can be read
	Kind     string // "" selects all
	Event    string // "subject:action" or "subject"; "" and "*" select all
	TxID     string // "" selects all
}

// Args returns the filter without its event and kind as the parameters @tenant_id,
// @after_xid, @after_seq, @before_xid, @before_seq and @tx_id, together with more
// parameters. Statements must convert @after_xid and @before_xid with ::text::xid8.
func (f Filter) Args(more pgx.StrictNamedArgs) pgx.StrictNamedArgs {
	args := pgx.StrictNamedArgs{
		"tenant_id": f.TenantID, "after_xid": strconv.FormatUint(f.After.XID, 10), "after_seq": int64(f.After.Seq),
		"before_xid": strconv.FormatUint(f.Before.XID, 10), "before_seq": int64(f.Before.Seq), "tx_id": f.TxID,
	}
	maps.Copy(args, more)
	return args
}

// Order returns the direction of `order by` in which the first rows are those that
// the query returns.
func (q Query) Order() string {
	if q.Newest {
		return "desc"
	}
	return "asc"
}
