package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// State is a state that a submission or a company submit reached, or an event that was
// published through the control API.
type State struct {
	TenantID uuid.UUID
	At       time.Time // tenant's time
	Event    string    // subject:action
	TxID     string
	Data     any // encoded as JSON
}

// AppendStates adds the states, in their order, in the transaction that sets them.
// The caller has locked a row of each tenant, so that no tenant is deleted before the
// commit.
func AppendStates(ctx context.Context, tx pgx.Tx, reached ...State) error {
	args, err := StateArgs(reached...)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `select append_states(@tenants, @at, @events, @tx_ids, @data)`, args); err != nil {
		return fmt.Errorf("append to feed: %w", err)
	}
	return nil
}

// StateArgs returns the states as the parameters @tenants, @at, @events, @tx_ids and @data,
// for statements that call the SQL function append_states, which does the same as
// AppendStates.
func StateArgs(reached ...State) (pgx.StrictNamedArgs, error) {
	n := len(reached)
	tenants, at, data := make([]uuid.UUID, n), make([]time.Time, n), make([]string, n)
	events, txIDs := make([]string, n), make([]string, n)
	for i, state := range reached {
		text, err := json.Marshal(state.Data)
		if err != nil {
			return nil, fmt.Errorf("append to feed: %w", err)
		}
		tenants[i], at[i], events[i], txIDs[i], data[i] = state.TenantID, state.At, state.Event, state.TxID, string(text)
	}
	return pgx.StrictNamedArgs{"tenants": tenants, "at": at, "events": events, "tx_ids": txIDs, "data": data}, nil
}

// states is the source of the entries that AppendStates adds.
type states struct{}

// Has returns true: a state can have any event name.
func (states) Has(string) bool { return true }

// Kind returns "state".
func (states) Kind() string { return "state" }

// Entries returns states as entries of the feed.
func (states) Entries(ctx context.Context, db storage.DB, query Query) ([]Entry, error) {
	rows, err := storage.All[struct {
		XID   uint64
		Seq   uint64
		At    time.Time
		Event string
		TxID  string
		Data  json.RawMessage
	}](ctx, db, `
		select xid, seq, at, event, tx_id, data
		from feed
		where tenant_id = @tenant_id
		and (xid, seq) > (@after_xid::text::xid8, @after_seq)
		and (xid, seq) < (@before_xid::text::xid8, @before_seq)
		and (@event in ('', '*', event) or event like @subject)
		and @tx_id in ('', tx_id)
		order by xid `+query.Order()+`, seq `+query.Order()+`
		limit @limit`,
		query.Args(pgx.StrictNamedArgs{"event": query.Event, "subject": likeSubject(query.Event), "limit": query.Limit}))
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		entries[i] = Entry{Cursor{row.XID, row.Seq}, api.Time(row.At), states{}.Kind(), row.Event, row.TxID, row.Data}
	}
	return entries, nil
}

// likeSubject returns the pattern, for like, of all events of a subject.
func likeSubject(subject string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(subject) + ":%"
}

// Grown returns the tenants with states in their ranges.
func (states) Grown(ctx context.Context, db storage.DB, written Ranges) ([]uuid.UUID, error) {
	return storage.IDs(ctx, db, `
		select written.tenant_id
		from unnest(@tenants::uuid[], @from::text[]::xid8[], @until::text[]::xid8[]) written (tenant_id, from_xid, until_xid)
		where exists (
			select from feed
			where feed.tenant_id = written.tenant_id
			and xid >= from_xid
			and xid < until_xid
		)`, written.Args())
}

// DeleteTransactions deletes the states of the tenant's transactions.
func DeleteTransactions(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, txIDs []string) error {
	if _, err := tx.Exec(ctx, `
		delete from feed
		where tenant_id = @tenant_id
		and tx_id = any(@tx_ids)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_ids": txIDs}); err != nil {
		return fmt.Errorf("delete states of transactions: %w", err)
	}
	return nil
}

// LastStates returns the tenant's time of the newest state of each tenant that has
// any.
func LastStates(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]time.Time, error) {
	found, err := storage.All[struct {
		ID uuid.UUID
		At time.Time
	}](ctx, db, `
		select tenant.id, newest.at
		from unnest(@ids::uuid[]) tenant (id)
		cross join lateral (
			select at
			from feed
			where tenant_id = tenant.id
			order by xid desc, seq desc
			limit 1
		) newest`,
		pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("read last states: %w", err)
	}
	last := make(map[uuid.UUID]time.Time, len(found))
	for _, row := range found {
		last[row.ID] = row.At
	}
	return last, nil
}
