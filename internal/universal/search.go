package universal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// MaxCompany is the length in characters of a company's name in lists.
const MaxCompany = 200

// SearchText returns the text that a search for a submission finds. The database cannot
// fold the case of all letters: that depends on its locale.
func SearchText(filename, company string) string {
	return strings.ToLower(filename + "\n" + company)
}

// cutRunes returns the first runes of the text.
func cutRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// TransactionFilter selects submissions. Empty fields select all.
type TransactionFilter struct {
	Status string
	Search string // part of the file name or of the company's name, in any case
	Before *TransactionCursor
	Limit  int
}

// TransactionCursor is the position of a submission in a list.
type TransactionCursor struct {
	CreatedAt time.Time
	TxID      uuid.UUID
}

// String returns the cursor in the form that ParseTransactionCursor parses.
func (c TransactionCursor) String() string {
	return fmt.Sprintf("%d-%s", c.CreatedAt.UnixMicro(), c.TxID)
}

// ParseTransactionCursor parses a text that String returned, and reports whether it is
// valid.
func ParseTransactionCursor(text string) (TransactionCursor, bool) {
	var micros int64
	var id string
	if n, err := fmt.Sscanf(text, "%d-%s", &micros, &id); n != 2 || err != nil {
		return TransactionCursor{}, false
	}
	txID, err := uuid.Parse(id)
	c := TransactionCursor{time.UnixMicro(micros).UTC(), txID}
	return c, err == nil && c.String() == text && c.CreatedAt.Year() >= 0 && c.CreatedAt.Year() < 10_000
}

// List returns the tenant's submissions that the filter selects, newest first, and
// whether there are more.
func (f TransactionFilter) List(ctx context.Context, db storage.DB, tenantID uuid.UUID) (found []Transaction, more bool, err error) {
	before := TransactionCursor{}
	if f.Before != nil {
		before = *f.Before
	}
	// The subquery reads an index only.
	found, err = storage.All[Transaction](ctx, db, `
		with listed as materialized (
			select tx_id
			from submissions
			where tenant_id = @tenant_id
			and (not @paged or (created_at, tx_id) < (@created_at, @tx_id))
			and @status in ('', status)
			and (@search = '' or strpos(search, @search) > 0)
			order by created_at desc, tx_id desc
			limit @limit + 1
		)
		select `+transactionColumns+`
		from listed
		join submissions s using (tx_id)
		order by s.created_at desc, s.tx_id desc`,
		pgx.StrictNamedArgs{
			"tenant_id": tenantID, "paged": f.Before != nil, "created_at": before.CreatedAt, "tx_id": before.TxID,
			"status": f.Status, "search": strings.ToLower(f.Search), "limit": f.Limit,
		})
	if err != nil {
		return nil, false, fmt.Errorf("list transactions: %w", err)
	}
	if len(found) > f.Limit {
		return found[:f.Limit], true, nil
	}
	return found, false, nil
}
