package hooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
)

// Event is an event of a tenant.
type Event struct {
	Tenant auth.Tenant
	Name   string    // subject:action
	At     time.Time // tenant's time
	TxID   string    // of the transaction that the data is about; "" if there is none
	Data   any       // encoded as JSON

	Traceparent string // the span in which it is delivered; "" = that of the context
}

// Publish writes the events, and a delivery of each event for every active
// subscription that matches it, in the transaction of the change that caused them.
// An event that no subscription matches is not stored. now is real time. Wake the
// dispatcher once the transaction is committed: otherwise it finds the deliveries
// only when it polls.
func Publish(ctx context.Context, tx pgx.Tx, now time.Time, events ...Event) error {
	_, err := PublishDue(ctx, tx, now, events...)
	return err
}

// PublishDue is Publish, and reports whether there are deliveries. If there are none, the
// dispatcher need not be woken.
func PublishDue(ctx context.Context, tx pgx.Tx, now time.Time, events ...Event) (due bool, err error) {
	if len(events) == 0 {
		return false, nil
	}
	_, stored, err := insertEvent(ctx, tx, now, events)
	return stored > 0, err
}

// Fire is Publish for one event. It returns the event's id, and the number of
// subscriptions that matched.
func Fire(ctx context.Context, tx pgx.Tx, now time.Time, event Event) (id uuid.UUID, matched int, err error) {
	ids, _, err := insertEvent(ctx, tx, now, []Event{event})
	if err != nil {
		return uuid.Nil, 0, err
	}
	if err := tx.QueryRow(ctx, `
		select count(*)
		from hooks h
		join deliveries d on d.hook_id = h.id and d.id = delivery_id(@event, h.id)
		where h.tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"event": ids[0], "tenant_id": event.Tenant.ID}).Scan(&matched); err != nil {
		return uuid.Nil, 0, fmt.Errorf("count matching subscriptions: %w", err)
	}
	return ids[0], matched, nil
}

// insertEvent is Publish for at least one event. It returns the ids of the events, and
// how many of them were stored, because subscriptions match them.
func insertEvent(ctx context.Context, tx pgx.Tx, now time.Time, events []Event) (ids []uuid.UUID, stored int64, err error) {
	owners, tenants := make([]auth.Tenant, len(events)), make([]uuid.UUID, len(events))
	names, subjects, txIDs := make([]string, len(events)), make([]string, len(events)), make([]string, len(events))
	bodies, at := make([][]byte, len(events)), make([]time.Time, len(events))
	traces, current := make([]string, len(events)), tracing.Traceparent(ctx)
	for i, event := range events {
		owners[i] = event.Tenant
	}
	ids, err = auth.NewIDs(ctx, tx, auth.EventID, owners...)
	if err != nil {
		return nil, 0, fmt.Errorf("publish: %w", err)
	}
	for i, event := range events {
		tenants[i], names[i], at[i], txIDs[i] = event.Tenant.ID, event.Name, event.At, event.TxID
		subjects[i], _, _ = strings.Cut(event.Name, ":")
		traces[i] = cmp.Or(event.Traceparent, current)
		if bodies[i], err = event.body(ids[i]); err != nil {
			return nil, 0, fmt.Errorf("publish %s: %w", event.Name, err)
		}
	}
	inserted, err := tx.Exec(ctx, `
		with tenant as (
			select id, case settings ->> 'webhooks' when 'collect' then 'collected' else 'pending' end as state
			from lock_tenants(@owners)
			where (select announce_tenants(@owners))
		), subscribed as (
			select h.id, h.tenant_id, h.activation, h.events, tenant.state
			from tenant
			join hooks h on h.tenant_id = tenant.id
			where h.active
			order by h.id -- the order in which Reset locks them
			for key share of h -- none is deleted before the commit; in the join below each would be locked many times
		), matching as materialized (
			select h.id, h.tenant_id, h.activation, h.state, name.event
			from (
				select distinct unnest(@tenants::uuid[]) as tenant_id, unnest(@subjects::text[]) as subject, unnest(@names::text[]) as event
			) name
			join subscribed h on h.tenant_id = name.tenant_id
			where '*' = any(h.events)
			or name.subject = any(h.events)
			or name.event = any(h.events)
		), created as (
			insert into deliveries (
				id, tenant_id, hook_id, activation, event_id, event,
				state, due_at, enqueued_at, created_at, updated_at
			)
			select
				delivery_id(published.id, h.id), h.tenant_id, h.id, h.activation, published.id, published.event,
				h.state, @now, published.at, published.at, published.at
			from (
				select
					unnest(@ids::uuid[]) as id, unnest(@tenants::uuid[]) as tenant_id, unnest(@names::text[]) as event,
					unnest(@at::timestamptz[]) as at
			) published
			join matching h on h.tenant_id = published.tenant_id and h.event = published.event
			returning event_id
		)
		insert into events (id, tenant_id, event, body, created_at, traceparent, tx_id)
		select *
		from (
			select
				unnest(@ids::uuid[]) as id, unnest(@tenants::uuid[]), unnest(@names::text[]), unnest(@bodies::bytea[]),
				unnest(@at::timestamptz[]), nullif(unnest(@traces::text[]), ''), unnest(@tx_ids::text[])
		) published
		where id in (select event_id from created)`,
		pgx.StrictNamedArgs{
			"ids": ids, "tenants": tenants, "owners": storage.InLockOrder(tenants), "subjects": subjects, "names": names, "bodies": bodies, "at": at, "traces": traces, "tx_ids": txIDs, "now": now,
		})
	if err != nil {
		return nil, 0, fmt.Errorf("publish: %w", err)
	}
	return ids, inserted.RowsAffected(), nil
}

// body returns the exact bytes that every attempt to deliver the event sends.
func (e Event) body(id uuid.UUID) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		ID        string `json:"id"`
		Event     string `json:"event"`
		CreatedAt string `json:"created_at"`
		TenantID  string `json:"tenant_id"`
		Data      any    `json:"data"`
	}{id.String(), e.Name, api.Time(e.At).String(), e.Tenant.Name, e.Data})
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), err
}
