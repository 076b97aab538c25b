package feed

import (
	"context"
	"maps"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Source is a table of things that happened, each row with the tenant, the
// transaction that wrote it (a column xid of type xid8) and its position in it.
type Source interface {
	// Has reports whether the source has events of this name; "" and "*" are
	// all events.
	Has(event string) bool
	// Entries returns the entries that the query selects, at most its limit, in
	// any order.
	Entries(ctx context.Context, db storage.DB, query Query) ([]Entry, error)
	// Grown returns those of the tenants that have entries in the range.
	Grown(ctx context.Context, db storage.DB, tenants []uuid.UUID, written Range) ([]uuid.UUID, error)
}

// Range is the transactions From to Until, without Until.
type Range struct{ From, Until uint64 }

// Args returns the range as the parameters @from and @until, which a statement
// converts: @from::text::xid8.
func (r Range) Args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"from": strconv.FormatUint(r.From, 10), "until": strconv.FormatUint(r.Until, 10)}
}

// Filter selects entries of one tenant.
type Filter struct {
	TenantID uuid.UUID
	After    Cursor
	Until    uint64 // the first transaction that is left out; Feed.List sets it
	Event    string // "subject:action" or "subject"; "" and "*" are all
	TxID     string // "" is any
}

// Args returns the filter, but for its event, as the parameters @tenant_id,
// @after_xid and @until (convert both with ::text::xid8), @after_seq and @tx_id;
// and more parameters.
func (f Filter) Args(more pgx.StrictNamedArgs) pgx.StrictNamedArgs {
	args := pgx.StrictNamedArgs{
		"tenant_id": f.TenantID, "after_xid": strconv.FormatUint(f.After.XID, 10), "after_seq": int64(f.After.Seq),
		"until": strconv.FormatUint(f.Until, 10), "tx_id": f.TxID,
	}
	maps.Copy(args, more)
	return args
}

// Order returns the direction of `order by` in which the first rows are those
// that the query's limit keeps.
func (q Query) Order() string {
	if q.Newest {
		return "desc"
	}
	return "asc"
}
