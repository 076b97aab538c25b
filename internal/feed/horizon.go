package feed

import (
	"context"
	"fmt"
	"math"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// End returns the cursor after every entry of the tenant that can be read now.
func (f *Feed) End(ctx context.Context, tenantID uuid.UUID) (Cursor, error) {
	next, err := f.horizons(ctx, []uuid.UUID{tenantID})
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{next[tenantID] - 1, math.MaxInt64}, nil
}

// horizons returns, for each tenant, the position of the oldest transaction in progress
// that can add entries to its feed: its id, or a higher number after a restore. No entry
// can be added before this position any more, and statements that begin later see all
// entries before it.
//
// The transactions in progress are those of the statement's snapshot, which PostgreSQL
// takes before it reads the locks. A transaction that gets its id later gets one after
// those of the snapshot.
//
// A transaction that writes has locked a table of this environment before it gets its id.
// So a transaction that has an id and no such lock cannot add entries: it belongs to
// another environment, database or program. A transaction that calls the SQL function
// announce_tenants adds entries for these tenants only. Until it has called the function,
// it can add entries for all tenants.
func (f *Feed) horizons(ctx context.Context, tenants []uuid.UUID) (map[uuid.UUID]uint64, error) {
	found, err := storage.All[struct {
		ID  uuid.UUID
		XID uint64
	}](ctx, f.db, `
		with held as materialized ( -- at one time, except the locks of tables, which are read first
			select locktype, mode, virtualtransaction as owner, transactionid, relation, classid, objid, objsubid
			from pg_locks
			where granted
			and (database is null or database = (select oid from pg_database where datname = current_database()))
			and pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmax(pg_current_snapshot()) -- otherwise it does not read the locks
		), older as materialized (
			select xid, owner
			from pg_snapshot_xip(pg_current_snapshot()) in_progress (xid)
			left join held own on own.locktype = 'transactionid' and own.mode = 'ExclusiveLock' and own.transactionid = in_progress.xid::xid
			where case
				when owner is null then pg_xact_status(xid) = 'in progress' -- it gets the lock just after its id
				else exists (
					select from held used
					join pg_class on pg_class.oid = used.relation
					where used.owner = own.owner
					and used.locktype = 'relation'
					and used.mode <> 'AccessShareLock' -- the lock of a statement that only reads
					and pg_class.relnamespace = (select oid from pg_namespace where nspname = current_schema)
				)
			end
		), announced as materialized (
			select owner, objid::int as key
			from held
			where locktype = 'advisory'
			and classid = 'feed'::regclass
			and objsubid = 2
		)
		select tenant.id, feed_position(coalesce((
			select xid
			from older
			where not exists (select from announced where announced.owner = older.owner and key = 0)
			or exists (select from announced where announced.owner = older.owner and key = tenant_lock_key(tenant.id))
			order by xid
			limit 1
		), pg_snapshot_xmax(pg_current_snapshot()))) as xid
		from unnest(@tenants::uuid[]) tenant (id)`,
		pgx.StrictNamedArgs{"tenants": tenants})
	if err != nil {
		return nil, fmt.Errorf("find end of feed: %w", err)
	}
	next := make(map[uuid.UUID]uint64, len(found))
	for _, row := range found {
		next[row.ID] = row.XID
	}
	return next, nil
}
