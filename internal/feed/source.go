package feed

import (
	"context"
	"maps"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Source reads a table of entries. Each row has the tenant, the id of the transaction
// that wrote it (a column xid of type xid8) and its position in the transaction.
type Source interface {
	// Kind returns the kind of all entries of the source.
	Kind() string
	// Has reports whether the source has events with this name; "" and "*" are all
	// events.
	Has(event string) bool
	// Entries returns the entries that the query selects, at most its limit, in
	// any order.
	Entries(ctx context.Context, db storage.DB, query Query) ([]Entry, error)
	// Grown returns the tenants that have entries of transactions in the range, out of
	// the given ones.
	Grown(ctx context.Context, db storage.DB, tenants []uuid.UUID, written Range) ([]uuid.UUID, error)
}

// Range is a range of transaction ids: from From, and before Until.
type Range struct{ From, Until uint64 }

// Args returns the range as the parameters @from and @until. Statements must convert
// them: @from::text::xid8.
func (r Range) Args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"from": strconv.FormatUint(r.From, 10), "until": strconv.FormatUint(r.Until, 10)}
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
