package journal

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// The limits of a tenant's journal, and of the unauthenticated calls in it. The
// unauthenticated calls are trimmed first, so that they cannot displace the calls of
// the tenant's clients. For trimInterval, the journal may exceed its limits by the
// slack, so that many calls are deleted at once.
var (
	maxAll               = usage{Calls: 10_000, Bytes: 50 << 20}
	maxUnauthenticated   = usage{Calls: 1_000, Bytes: 5 << 20}
	slackAll             = usage{Calls: 5_000, Bytes: 10 << 20}
	slackUnauthenticated = usage{Calls: 500, Bytes: 1 << 20}
)

const trimInterval = time.Minute

// usage is the number and the total size of some of a tenant's calls.
type usage struct {
	Calls int
	Bytes int64
}

func (u usage) plus(more usage) usage { return usage{u.Calls + more.Calls, u.Bytes + more.Bytes} }

// within reports whether u exceeds neither limit.
func (u usage) within(limit usage) bool { return u.Calls <= limit.Calls && u.Bytes <= limit.Bytes }

// journalUsage is the size of a tenant's journal, without the calls that other servers have
// written since it was counted.
type journalUsage struct {
	all, unauthenticated usage
	trimmedAt            time.Time // real time
}

// withinLimits reports whether u exceeds no limit.
func (u journalUsage) withinLimits() bool {
	return u.all.within(maxAll) && u.unauthenticated.within(maxUnauthenticated)
}

// withinSlack reports whether u exceeds no limit by more than the slack.
func (u journalUsage) withinSlack() bool {
	return u.all.within(maxAll.plus(slackAll)) && u.unauthenticated.within(maxUnauthenticated.plus(slackUnauthenticated))
}

// add counts the row.
func (u journalUsage) add(r *row) journalUsage {
	one := usage{1, r.size}
	if u.all = u.all.plus(one); r.unauthenticated {
		u.unauthenticated = u.unauthenticated.plus(one)
	}
	return u
}

// writeWithRetry writes the batch, however long the database is unavailable, until the
// journal is abandoned. It returns the rows that it postpones because their tenants are
// locked. If the batch cannot be written for another reason, it writes the rows one by
// one, and those that fail are lost.
func (j *Journal) writeWithRetry(batch []*row) (postponed []*row) {
	if len(batch) == 0 {
		return nil
	}
	failures := 0
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		postponed, err := j.writeBatch(batch)
		switch {
		case err == nil:
			return postponed
		case storage.Unavailable(err):
		case len(batch) > 1:
			for i := range batch {
				postponed = append(postponed, j.writeWithRetry(batch[i:i+1])...)
			}
			return postponed
		default:
			if failures++; failures == 3 {
				j.lose(1)
				slog.Error("call not recorded in the journal", "request_id", batch[0].id, "err", err)
				return nil
			}
		}
		slog.Warn("writing the journal failed, retrying", "count", len(batch), "err", err)
		select {
		case <-time.After(wait):
		case <-j.abandon:
			j.lose(len(batch))
			slog.Error("calls not recorded in the journal", "count", len(batch), "err", err)
			return nil
		}
	}
}

// writeBatch writes the rows. It drops the rows of tenants that no longer exist. It
// returns the rows of tenants that are being deleted or reset, because waiting for one
// tenant would delay the calls of all others.
func (j *Journal) writeBatch(batch []*row) (postponed []*row, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var grown map[uuid.UUID]journalUsage
	err = storage.InTx(ctx, j.db, func(tx pgx.Tx) error {
		postponed = nil
		ids := make([]uuid.UUID, len(batch))
		for i, r := range batch {
			ids[i] = r.tenantID
		}
		free, locked, err := auth.TryLockTenants(ctx, tx, ids...)
		if err != nil {
			return err
		}
		kept, written := make([]*row, 0, len(batch)), map[uuid.UUID]journalUsage{}
		for _, r := range batch {
			if _, exists := locked[r.tenantID]; exists {
				postponed = append(postponed, r)
				continue
			}
			if _, exists := free[r.tenantID]; !exists && r.tenantID != unattributed {
				continue // the tenant was deleted in the meantime
			}
			kept = append(kept, r)
			written[r.tenantID] = written[r.tenantID].add(r)
		}
		if len(kept) == 0 {
			return nil
		}
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, copied(newBatchRows(kept)), copyRows); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		if grown, err = j.trimGrown(ctx, tx, written); err != nil {
			return err
		}
		return countOperations(ctx, tx, kept)
	})
	if err != nil {
		return nil, err
	}
	if len(j.usage) > 10_000 {
		clear(j.usage)
	}
	maps.Copy(j.usage, grown)
	return postponed, nil
}

// trimGrown trims the journals that exceed their limits and slack, or their limits if they
// were not trimmed for trimInterval, and those that this server has not written to before.
// It returns the sizes of all journals that were written.
func (j *Journal) trimGrown(ctx context.Context, tx pgx.Tx, written map[uuid.UUID]journalUsage) (map[uuid.UUID]journalUsage, error) {
	grown := make(map[uuid.UUID]journalUsage, len(written))
	for tenantID, more := range written {
		total, known := j.usage[tenantID]
		total.all, total.unauthenticated = total.all.plus(more.all), total.unauthenticated.plus(more.unauthenticated)
		due := !total.withinLimits() && j.now().Sub(total.trimmedAt) >= trimInterval
		if !known || due || !total.withinSlack() {
			var err error
			if total, err = trim(ctx, tx, tenantID); err != nil {
				return nil, err
			}
			total.trimmedAt = j.now()
		}
		grown[tenantID] = total
	}
	return grown, nil
}

// trim deletes a tenant's oldest calls beyond the limits, the unauthenticated ones first,
// and returns the size of the rest.
func trim(ctx context.Context, db storage.DB, tenantID uuid.UUID) (left journalUsage, err error) {
	if left.unauthenticated, err = trimTo(ctx, db, tenantID, maxUnauthenticated, "and unauthenticated"); err != nil {
		return journalUsage{}, err
	}
	left.all, err = trimTo(ctx, db, tenantID, maxAll, "")
	return left, err
}

// trimTo deletes the oldest of the tenant's calls that meet the condition, beyond the
// limit, and returns the size of the rest. It deletes whole batches, and drops calls from the
// oldest batch that is left.
func trimTo(ctx context.Context, db storage.DB, tenantID uuid.UUID, limit usage, condition string) (usage, error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID}
	total, err := storage.One[usage](ctx, db, `
		select coalesce(sum(call_count), 0)::bigint as calls, coalesce(sum(bytes), 0)::bigint as bytes
		from call_batches
		where tenant_id = @tenant_id
		`+condition, args)
	if err != nil {
		return usage{}, fmt.Errorf("measure journal: %w", err)
	}
	if total.within(limit) {
		return total, nil
	}
	args["calls"], args["bytes"] = limit.Calls, limit.Bytes
	left, err := storage.All[usage](ctx, db, `
		with counted as materialized (
			select
				xid, part, call_count, bytes,
				sum(call_count) over newest - call_count as newer_calls, sum(bytes) over newest - bytes as newer_bytes
			from call_batches
			where tenant_id = @tenant_id
			`+condition+`
			window newest as (order by xid desc, part desc)
		),
		oldest as ( -- the batch that exceeds the limit, of which some calls can be left
			select *
			from counted
			where newer_calls + call_count > @calls
			or newer_bytes + bytes > @bytes
			order by xid desc, part desc
			limit 1
		),
		left_in_oldest as (
			select count(*) as calls, coalesce(sum(size), 0)::bigint as bytes
			from (
				select
					size, row_number() over newest + newer_calls as calls, sum(size) over newest + newer_bytes as bytes
				from oldest
				join calls on calls.xid = oldest.xid and batch_part = part
				where tenant_id = @tenant_id
				window newest as (order by batch_position desc)
			) each
			where calls <= @calls
			and bytes <= @bytes
		),
		deleted as (
			delete from call_batches b
			using oldest, left_in_oldest
			where b.tenant_id = @tenant_id
			`+condition+`
			and ((b.xid, b.part) < (oldest.xid, oldest.part) or (b.xid, b.part) = (oldest.xid, oldest.part) and calls = 0)
		),
		dropped as (
			update call_batches b
			set dropped = dropped + b.call_count - calls, call_count = calls, bytes = left_in_oldest.bytes
			from oldest, left_in_oldest
			where b.tenant_id = @tenant_id
			and b.xid = oldest.xid
			and b.part = oldest.part
			and calls > 0
		)
		select (newer_calls + calls)::bigint as calls, (newer_bytes + left_in_oldest.bytes)::bigint as bytes
		from oldest, left_in_oldest`, args)
	if err != nil {
		return usage{}, fmt.Errorf("trim journal: %w", err)
	}
	if len(left) == 0 {
		return limit, nil // another server has just trimmed it
	}
	return left[0], nil
}

// DeleteMost deletes the tenant's calls in batches if there are many, and reports whether
// there were.
func DeleteMost(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	return storage.DeleteMost(ctx, db, tenantID, "call_batches", "xid, part", 200)
}

// Delete deletes a tenant's calls and counts.
func Delete(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	if _, err := db.Exec(ctx, `
		with counts as (
			delete from operation_counts
			where tenant_id = @tenant_id
		)
		delete from call_batches
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
		return fmt.Errorf("delete calls: %w", err)
	}
	return nil
}
