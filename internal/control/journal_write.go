package control

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy/internal/auth"
	"understudy/internal/feed"
)

// What a tenant's journal holds: when it has grown by the slack, the oldest go
// until there is room for as much again, so that it never holds more.
const (
	maxCalls   = 10_000
	slackCalls = 500
	maxBytes   = 50 << 20
	slackBytes = 2 << 20
)

// growth is how much was written for a tenant since its bounds were seen to.
type growth struct {
	calls int
	bytes int64
}

// write writes the batch, with as many tries as a short absence of the
// database needs.
func (j *Journal) write(rows []row) {
	var err error
	for wait := 50 * time.Millisecond; wait < time.Second; wait *= 3 {
		if err = j.try(rows); err == nil {
			return
		}
		time.Sleep(wait)
	}
	slog.Error("journal: calls lost", "calls", len(rows), "err", err)
}

func (j *Journal) try(rows []row) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return pgx.BeginFunc(ctx, j.db, func(tx pgx.Tx) error {
		tenants, err := tenantsOf(ctx, tx, rows)
		if err != nil {
			return err
		}
		values, entries := make([][]any, 0, len(rows)), make([]feed.Entry, 0, len(rows))
		written := map[uuid.UUID]growth{}
		for _, r := range rows {
			tenantID := r.e.Call.TenantID
			if _, ok := tenants[tenantID]; !ok {
				continue // deleted meanwhile
			}
			columns, size := r.values()
			values = append(values, columns)
			entries = append(entries, feed.Entry{
				TenantID: tenantID, At: r.at(), Kind: feed.Call, Event: "call", TxID: r.e.txID(), Data: r.e.entry(),
			})
			written[tenantID] = growth{written[tenantID].calls + 1, written[tenantID].bytes + size}
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"requests"}, requestColumns, pgx.CopyFromRows(values)); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		if err := feed.Append(ctx, tx, entries...); err != nil {
			return err
		}
		return j.bound(ctx, tx, written)
	})
}

// tenantsOf returns those tenants of the rows that still exist.
func tenantsOf(ctx context.Context, tx pgx.Tx, rows []row) (map[uuid.UUID]auth.Tenant, error) {
	seen := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, r := range rows {
		if id := r.e.Call.TenantID; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return auth.Tenants(ctx, tx, ids)
}

// bound sees to the bounds of the tenants whose journals have grown by the
// slack, or that this server has not written for yet.
func (j *Journal) bound(ctx context.Context, tx pgx.Tx, written map[uuid.UUID]growth) error {
	if len(j.grown) > 10_000 {
		clear(j.grown)
	}
	for tenantID, more := range written {
		since, known := j.grown[tenantID]
		since = growth{since.calls + more.calls, since.bytes + more.bytes}
		if !known || since.calls >= slackCalls || since.bytes >= slackBytes {
			if err := trim(ctx, tx, tenantID); err != nil {
				return err
			}
			since = growth{}
		}
		j.grown[tenantID] = since
	}
	return nil
}

// trim drops a tenant's oldest calls, and what its feed told as long ago.
func trim(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		delete from requests
		where tenant_id = @tenant_id
		and seq <= (
			select max(seq)
			from (
				select seq, row_number() over newest as calls, sum(size) over newest as bytes
				from requests
				where tenant_id = @tenant_id
				window newest as (order by seq desc)
			) counted
			where calls > @calls
			or bytes > @bytes
		)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "calls": maxCalls - slackCalls, "bytes": maxBytes - slackBytes}); err != nil {
		return fmt.Errorf("trim journal: %w", err)
	}
	return feed.Trim(ctx, tx, tenantID, maxCalls)
}

// Watched is the room of what is watched: faults, journal and feed.
var Watched = Room{Reset: forget}

// forget drops a tenant's faults, its calls and what its feed told.
func forget(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	for _, table := range []string{"faults", "requests"} {
		if _, err := tx.Exec(ctx, `
			delete from `+table+`
			where tenant_id = @tenant_id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
			return fmt.Errorf("drop %s: %w", table, err)
		}
	}
	return feed.Drop(ctx, tx, tenantID)
}
