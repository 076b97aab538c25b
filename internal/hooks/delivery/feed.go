package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// AttemptFeed is the feed's source of delivery attempts. Each attempt is an entry of
// the event "delivery". The table attempt_batches has one row for all attempts of a
// tenant that were recorded together.
type AttemptFeed struct{}

// Has reports whether the event is "delivery" or all events.
func (AttemptFeed) Has(event string) bool { return event == "" || event == "*" || event == "delivery" }

// Kind returns "delivery".
func (AttemptFeed) Kind() string { return "delivery" }

// Entries returns attempts as entries of the feed.
func (AttemptFeed) Entries(ctx context.Context, db storage.DB, query feed.Query) ([]feed.Entry, error) {
	if query.TxID != "" {
		return nil, nil // an attempt has no transaction
	}
	rows, err := storage.All[struct {
		XID        uint64
		Position   uint64
		At         time.Time
		DeliveryID uuid.UUID
		RequestID  uuid.UUID
		HookID     uuid.UUID
		Event      string
		URL        string
		Attempt    int
		Status     int
		Failure    string
		DurationMs int64
		Faults     []string
	}](ctx, db, `
		select xid, position, at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms,
			coalesce(faults, '{}') as faults
		from attempt_batches
		cross join lateral unnest(attempts) with ordinality
			each (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms, faults, position)
		where tenant_id = @tenant_id
		and xid >= @after_xid::text::xid8 -- the conditions on both columns would not use the index
		and (xid, position) > (@after_xid::text::xid8, @after_seq)
		and xid <= @before_xid::text::xid8
		and (xid, position) < (@before_xid::text::xid8, @before_seq)
		order by xid `+query.Order()+`, position `+query.Order()+`
		limit @limit`,
		pgx.StrictNamedArgs{
			"tenant_id": query.TenantID, "after_xid": fmt.Sprint(query.After.XID), "after_seq": int64(query.After.Seq),
			"before_xid": fmt.Sprint(query.Before.XID), "before_seq": int64(query.Before.Seq), "limit": query.Limit,
		})
	if err != nil {
		return nil, err
	}
	entries := make([]feed.Entry, len(rows))
	for i, row := range rows {
		data, err := json.Marshal(Attempt{
			DeliveryID: row.DeliveryID, RequestID: row.RequestID, HookID: row.HookID, Event: row.Event,
			URL: row.URL, Attempt: row.Attempt, Status: row.Status, Failure: row.Failure, DurationMs: row.DurationMs, Faults: row.Faults,
		})
		if err != nil {
			return nil, err
		}
		entries[i] = feed.Entry{
			Cursor: feed.Cursor{XID: row.XID, Seq: row.Position}, At: api.Time(row.At), Kind: AttemptFeed{}.Kind(), Event: "delivery", Data: data,
		}
	}
	return entries, nil
}

// Grown returns the tenants with attempts in their ranges.
func (AttemptFeed) Grown(ctx context.Context, db storage.DB, written feed.Ranges) ([]uuid.UUID, error) {
	return storage.IDs(ctx, db, `
		select written.tenant_id
		from unnest(@tenants::uuid[], @from::text[]::xid8[], @until::text[]::xid8[]) written (tenant_id, from_xid, until_xid)
		where exists (
			select from attempt_batches
			where attempt_batches.tenant_id = written.tenant_id
			and xid >= from_xid
			and xid < until_xid
		)`, written.Args())
}

// RejectedAttempts returns the number of the tenant's attempts in the feed without a
// 2xx response, and the X-Delivery-Ids of the oldest ones, limited to first.
func RejectedAttempts(ctx context.Context, db storage.DB, tenantID uuid.UUID, first int) (count int, ids []uuid.UUID, err error) {
	found, err := storage.One[struct {
		Count int
		IDs   []uuid.UUID
	}](ctx, db, `
		with rejected as (
			select xid, position, delivery_id
			from attempt_batches
			cross join lateral unnest(attempts) with ordinality
				each (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms, faults, position)
			where tenant_id = @tenant_id
			and status / 100 <> 2
			and not coalesce(faults, '{}') && @spoiled -- a receiver should refuse those
		)
		select
			(select count(*) from rejected) as count,
			array(select delivery_id from rejected order by xid, position limit @first) as ids`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "first": first, "spoiled": []string{wrongSignatureFault, truncateFault}})
	if err != nil {
		return 0, nil, fmt.Errorf("list rejected attempts: %w", err)
	}
	return found.Count, found.IDs, nil
}
