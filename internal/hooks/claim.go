package hooks

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// lease is how long a claimed delivery is left to its holder; after that it is
// taken over.
const lease = 15 * time.Second

// claimed is a delivery that this server has taken to send.
type claimed struct {
	ID         uuid.UUID
	HookID     uuid.UUID
	TenantID   uuid.UUID
	Activation int
	EventID    uuid.UUID
	Event      string
	Body       []byte
	Attempt    int
}

// attemptID is the X-Delivery-Id of a delivery's attempt: another one for each,
// with the delivery's time, and without a place to keep it.
func attemptID(delivery uuid.UUID, attempt int) uuid.UUID {
	id := uuid.NewSHA1(delivery, binary.BigEndian.AppendUint32(nil, uint32(attempt)))
	copy(id[:8], delivery[:8]) // time and version
	return id
}

// claim takes deliveries that are due: of each subscription as many as there
// is room for, so that the many of one do not hold up the few of another.
// rooms are those of the subscriptions that are being served already.
func claim(ctx context.Context, db storage.DB, now time.Time, rooms map[uuid.UUID]int, otherwise int) ([]claimed, error) {
	hooks, room := make([]uuid.UUID, 0, len(rooms)), make([]int, 0, len(rooms))
	for id, n := range rooms {
		hooks, room = append(hooks, id), append(room, n)
	}
	// The subscriptions with pending deliveries are found by a jump through the
	// index for each.
	taken, err := storage.All[claimed](ctx, db, `
		with recursive busy (hook_id) as (
			(
				select hook_id
				from deliveries
				where state = 'pending'
				order by hook_id, due_at -- which only the index of due deliveries has
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
			select d.at
			from (
				select hook_id
				from busy
				where hook_id is not null
				order by random() -- so that the batch's end does not always meet the same ones
			) busy
			left join unnest(@hooks::uuid[], @rooms::int[]) served (hook_id, room) on served.hook_id = busy.hook_id
			cross join lateral (
				select ctid as at
				from deliveries
				where hook_id = busy.hook_id
				and state = 'pending'
				and due_at <= @now
				and (lease_until is null or lease_until <= @now)
				order by due_at
				limit coalesce(served.room, @otherwise)
				for update skip locked
			) d
			limit @batch
		)
		update deliveries d
		set attempt = d.attempt + 1, lease_until = @lease
		from due, events e
		where d.ctid = due.at
		and e.tenant_id = d.tenant_id
		and e.id = d.event_id
		returning d.id, d.hook_id, d.tenant_id, d.activation, d.event_id, d.event, e.body, d.attempt`,
		pgx.StrictNamedArgs{
			"hooks": hooks, "rooms": room, "otherwise": otherwise, "batch": maxBatch, "now": now, "lease": now.Add(lease),
		})
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return taken, nil
}

// Release gives back what servers that died had in hand, for whoever knows that
// none is alive: it is sent at once, not only when their leases end.
func Release(ctx context.Context, db storage.DB) error {
	if _, err := db.Exec(ctx, `
		update deliveries
		set lease_until = null
		where state = 'pending'
		and lease_until is not null`); err != nil {
		return fmt.Errorf("release deliveries: %w", err)
	}
	return nil
}

// renew keeps the leases of the deliveries held, and returns those that are
// still ours.
func renew(ctx context.Context, db storage.DB, held map[uuid.UUID]holding, now time.Time) ([]uuid.UUID, error) {
	hooks, ids, attempts := make([]uuid.UUID, 0, len(held)), make([]uuid.UUID, 0, len(held)), make([]int, 0, len(held))
	rows := slices.Collect(maps.Keys(held))
	inOrder(rows, func(id uuid.UUID) (uuid.UUID, uuid.UUID) { return held[id].hookID, id })
	for _, id := range rows {
		hooks, ids, attempts = append(hooks, held[id].hookID), append(ids, id), append(attempts, held[id].attempt)
	}
	answered, err := db.Query(ctx, `
		update deliveries d
		set lease_until = @lease
		from unnest(@hooks::uuid[], @ids::uuid[], @attempts::int[]) held (hook_id, id, attempt)
		where d.hook_id = held.hook_id
		and d.id = held.id
		and d.attempt = held.attempt
		and d.lease_until is not null -- else it is recorded already
		returning d.id`,
		pgx.StrictNamedArgs{"hooks": hooks, "ids": ids, "attempts": attempts, "lease": now.Add(lease)})
	if err != nil {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	kept, err := pgx.CollectRows(answered, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	return kept, nil
}
