package control

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy/internal/api"
	"understudy/internal/auth"
	"understudy/internal/feed"
	"understudy/internal/storage"
)

// What a tenant's journal holds: when it has grown by the slack, the oldest go
// until there is room for as much again, so that it never holds more.
const (
	maxCalls   = 10_000
	slackCalls = 1000
	maxBytes   = 50 << 20
	slackBytes = 2 << 20
)

// growth is how much was written for a tenant since its bounds were seen to.
type growth struct {
	calls int
	bytes int64
}

// write writes the batch, however long the database is away, until the journal
// is given up. Should it hold a call that can't be written, the rest is.
func (j *Journal) write(rows []row) {
	refused := 0
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := j.try(rows)
		switch {
		case err == nil:
			return
		case storage.Unavailable(err):
		case len(rows) > 1:
			for i := range rows {
				j.write(rows[i : i+1])
			}
			return
		default:
			if refused++; refused == 3 {
				slog.Error("journal: call lost", "request_id", rows[0].e.ID, "err", err)
				return
			}
		}
		slog.Warn("journal: calls not written yet", "calls", len(rows), "err", err)
		select {
		case <-time.After(wait):
		case <-j.givenUp:
			slog.Error("journal: calls lost", "calls", len(rows), "err", err)
			return
		}
	}
}

func (j *Journal) try(rows []row) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return pgx.BeginFunc(ctx, j.db, func(tx pgx.Tx) error {
		tenants, err := auth.KeepTenants(ctx, tx, tenantsOf(rows))
		if err != nil {
			return err
		}
		values, written := make([][]any, 0, len(rows)), map[uuid.UUID]growth{}
		for _, r := range rows {
			tenantID := r.e.Call.TenantID
			if !tenants[tenantID] {
				continue // deleted meanwhile
			}
			columns, size := r.values()
			values = append(values, columns)
			written[tenantID] = growth{written[tenantID].calls + 1, written[tenantID].bytes + size}
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"requests"}, requestColumns, pgx.CopyFromRows(values)); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		return j.bound(ctx, tx, written)
	})
}

// tenantsOf are those that the rows are of.
func tenantsOf(rows []row) []uuid.UUID {
	seen := map[uuid.UUID]bool{}
	for _, r := range rows {
		seen[r.e.Call.TenantID] = true
	}
	return slices.Collect(maps.Keys(seen))
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
			if err := trim(ctx, tx, tenantID, !known || since.bytes >= slackBytes); err != nil {
				return err
			}
			since.calls = 0
			if since.bytes >= slackBytes {
				since.bytes = 0
			}
		}
		j.grown[tenantID] = since
	}
	return nil
}

// trim drops a tenant's oldest calls. Their sizes are added up only when they
// may be too many bytes.
func trim(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, bytes bool) error {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "calls": maxCalls - slackCalls}
	last := `
		select xid, seq
		from requests
		where tenant_id = @tenant_id
		order by xid desc, seq desc
		offset @calls
		limit 1`
	if bytes {
		args["bytes"] = maxBytes - slackBytes
		last = `
		select xid, seq
		from (
			select xid, seq, row_number() over newest as calls, sum(size) over newest as bytes
			from requests
			where tenant_id = @tenant_id
			window newest as (order by xid desc, seq desc)
		) counted
		where calls > @calls
		or bytes > @bytes
		order by xid desc, seq desc
		limit 1`
	}
	if _, err := tx.Exec(ctx, `
		delete from requests
		where tenant_id = @tenant_id
		and (xid, seq) <= (`+last+`)`, args); err != nil {
		return fmt.Errorf("trim journal: %w", err)
	}
	return nil
}

// Watched is the room of what is watched: faults, journal and feed.
var Watched = Room{Effects: watchedEffects, Reset: forget}

// watchedEffects are the faults and, as far as the journal knows of them, the
// access tokens that expired.
func watchedEffects(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Effect, error) {
	found, err := storage.All[struct {
		At        time.Time
		What      string
		ClientID  string
		RequestID *uuid.UUID
		FaultID   *uuid.UUID
	}](ctx, db, `
		select token_until as at, 'access_token' as what, client_id, id as request_id, null::uuid as fault_id
		from requests
		where tenant_id = @tenant_id
		and token_until > @after
		and token_until <= @until
		union all
		select expires_at, 'fault', '', null, id
		from faults
		where tenant_id = @tenant_id
		and expires_at > @after
		and expires_at <= @until
		order by at, request_id, fault_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list what expired: %w", err)
	}
	effects := make([]Effect, len(found))
	for i, gone := range found {
		effects[i] = Effect{
			Kind: "expired", At: api.Time(gone.At), What: gone.What,
			ClientID: gone.ClientID, RequestID: gone.RequestID, FaultID: gone.FaultID,
		}
	}
	return effects, nil
}

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
