package control

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// What a tenant's journal holds. It may grow by the slack before the oldest
// calls go, so that they go many at once; who reads it has them go before.
const (
	maxCalls   = 10_000
	slackCalls = 5_000
	maxBytes   = 50 << 20
	slackBytes = 10 << 20
)

// growth is what a tenant's journal holds, as far as this server knows.
type growth struct {
	Calls int
	Bytes int64
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
				slog.Error("journal: call lost", "request_id", rows[0].id, "err", err)
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
		text, written := []byte(copyHead), map[uuid.UUID]growth{}
		for _, r := range rows {
			if !tenants[r.tenantID] {
				continue // deleted meanwhile
			}
			text = append(text, r.tuple...)
			written[r.tenantID] = growth{written[r.tenantID].Calls + 1, written[r.tenantID].Bytes + r.counts}
		}
		text = append(text, copyEnd...)
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(text), `
			copy requests (`+requestColumns+`)
			from stdin
			with (format binary)`); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		return j.bound(ctx, tx, written)
	})
}

// tenantsOf are those that the rows are of.
func tenantsOf(rows []row) []uuid.UUID {
	ids := make([]uuid.UUID, len(rows))
	for i, r := range rows {
		ids[i] = r.tenantID
	}
	return storage.InLockOrder(ids)
}

// bound sees to the bounds of the tenants whose journals have grown beyond the
// slack, or that this server has not written for yet.
func (j *Journal) bound(ctx context.Context, tx pgx.Tx, written map[uuid.UUID]growth) (err error) {
	if len(j.grown) > 10_000 {
		clear(j.grown)
	}
	for tenantID, more := range written {
		held, known := j.grown[tenantID]
		held = growth{held.Calls + more.Calls, held.Bytes + more.Bytes}
		if !known || held.Calls > maxCalls+slackCalls || held.Bytes > maxBytes+slackBytes {
			if held, err = trim(ctx, tx, tenantID); err != nil {
				return err
			}
		}
		j.grown[tenantID] = held
	}
	return nil
}

// trim drops a tenant's oldest calls, as many as are too many, and returns what
// is left. Sizes are added up call by call only when they are too many bytes.
func trim(ctx context.Context, db storage.DB, tenantID uuid.UUID) (growth, error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID}
	held, err := storage.One[growth](ctx, db, `
		select count(*) as calls, coalesce(sum(size), 0)::bigint as bytes
		from requests
		where tenant_id = @tenant_id`, args)
	if err != nil {
		return growth{}, fmt.Errorf("measure journal: %w", err)
	}
	if held.Calls <= maxCalls && held.Bytes <= maxBytes {
		return held, nil
	}
	args["calls"] = maxCalls
	last := `
		select xid, seq
		from requests
		where tenant_id = @tenant_id
		order by xid desc, seq desc
		offset @calls
		limit 1`
	if held.Bytes > maxBytes {
		args["bytes"] = maxBytes
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
	gone, err := storage.One[growth](ctx, db, `
		with gone as (
			delete from requests
			where tenant_id = @tenant_id
			and (xid, seq) <= (`+last+`)
			returning size
		)
		select count(*) as calls, coalesce(sum(size), 0)::bigint as bytes
		from gone`, args)
	if err != nil {
		return growth{}, fmt.Errorf("trim journal: %w", err)
	}
	return growth{held.Calls - gone.Calls, held.Bytes - gone.Bytes}, nil
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
