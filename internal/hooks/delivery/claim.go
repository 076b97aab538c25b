package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// maxClaimedBody is the size in bytes up to which a body is read with the claim of its
// delivery. A larger one is read when its attempt begins, so that claimed deliveries
// that wait use little memory.
const maxClaimedBody = 4096

// claimed is a delivery that this server has claimed in order to send it.
type claimed struct {
	ID         uuid.UUID
	HookID     uuid.UUID
	TenantID   uuid.UUID
	Activation int
	EventID    uuid.UUID
	Event      string
	Body       []byte // nil if it is larger than maxClaimedBody
	LargeBytes int    // size of a larger body; 0 = Body has it
	Attempt    int
	ClaimedAt  time.Time // real time
	Faults     []string  // kinds, of this attempt; nil = not decided yet

	Traceparent *string // the span that published the event; nil = none

	releases uuid.UUID // fault whose held delivery this one releases
}

// claim claims due deliveries. It claims at most the quota of each subscription, so
// that a subscription with many deliveries does not delay those of another one, and it
// alternates between tenants, so that one with many subscriptions does not delay another. quotas
// has the subscriptions that have a backlog already; the others have defaultQuota, or less if the
// tenant has many: see share.
func claim(ctx context.Context, db storage.DB, now time.Time, quotas map[uuid.UUID]int, defaultQuota int) ([]claimed, error) {
	hooks, limits := make([]uuid.UUID, 0, len(quotas)), make([]int, 0, len(quotas))
	for id, n := range quotas {
		hooks, limits = append(hooks, id), append(limits, n)
	}
	// Each subscription with pending deliveries is found by one index lookup.
	taken, err := storage.All[claimed](ctx, db, `
		with recursive busy (hook_id) as (
			(
				select hook_id
				from deliveries
				where state = 'pending'
				order by hook_id, due_at -- only the index deliveries_due has this order
				limit 1
			)
			union all
			select (
				select d.hook_id
				from deliveries d
				where d.state = 'pending'
				and d.hook_id > busy.hook_id
				order by d.hook_id, d.due_at
				limit 1
			)
			from busy
			where busy.hook_id is not null
		), due as (
			select d.row_at
			from (
				select busy.hook_id,
					coalesce(served.quota, least(@default_quota, greatest(1, @tenant_quota / count(*) over (partition by h.tenant_id)))) as quota
				from busy
				left join hooks h on h.id = busy.hook_id
				left join unnest(@hooks::uuid[], @quotas::int[]) served (hook_id, quota) on served.hook_id = busy.hook_id
				where busy.hook_id is not null
				and busy.hook_id <> all(array(select id from deleted_hooks))
				-- first one subscription of each tenant, then a second one, and so on; in random order, so that the limit
				-- of the batch does not always skip the same ones
				order by row_number() over (partition by h.tenant_id order by random()), random()
			) busy
			cross join lateral (
				select ctid as row_at
				from deliveries
				where hook_id = busy.hook_id
				and state = 'pending'
				and due_at <= @now
				and (lease_until is null or lease_until <= @now)
				order by due_at
				limit busy.quota
				for update skip locked
			) d
			limit @batch
		)
		update deliveries d
		set attempt = d.attempt + 1, lease_until = @lease
		from due, events e
		where d.ctid = due.row_at
		and e.tenant_id = d.tenant_id
		and e.id = d.event_id
		returning d.id, d.hook_id, d.tenant_id, d.activation, d.event_id, d.event,
			case when octet_length(e.body) <= @max_body then e.body end as body,
			case when octet_length(e.body) <= @max_body then 0 else octet_length(e.body) end as large_bytes,
			d.attempt, d.faults, e.traceparent, @now::timestamptz as claimed_at`,
		pgx.StrictNamedArgs{
			"max_body": maxClaimedBody, "hooks": hooks, "quotas": limits, "default_quota": defaultQuota, "tenant_quota": maxShared * defaultQuota, "batch": maxBatch, "now": now, "lease": now.Add(leaseDuration),
		})
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return taken, nil
}

// body returns the body of the delivery's event.
func (c claimed) body(ctx context.Context, db storage.DB) ([]byte, error) {
	if c.Body != nil {
		return c.Body, nil
	}
	event, err := storage.One[struct{ Body []byte }](ctx, db, `
		select body
		from events
		where tenant_id = @tenant_id
		and id = @id`,
		pgx.StrictNamedArgs{"tenant_id": c.TenantID, "id": c.EventID})
	if err != nil {
		return nil, fmt.Errorf("read event %s: %w", c.EventID, err)
	}
	return event.Body, nil
}
