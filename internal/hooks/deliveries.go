package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// Delivery is the delivery of an event to a subscription. Times are the tenant's.
type Delivery struct {
	ID         uuid.UUID
	HookID     uuid.UUID
	URL        string // as Header and Secret: of the subscription now, or when the delivery was collected
	Header     []byte // sealed
	Secret     []byte // sealed
	EventID    uuid.UUID
	Event      string
	TxID       string   // the transaction that the event is about; "" = none, or unknown
	Body       []byte   // the exact bytes sent
	State      string   // pending, delivered, dead, dropped or collected
	Attempt    int      // number of attempts so far
	Faults     []string // kinds of the faults of the last attempt
	Redelivery bool
	CreatedAt  time.Time
	DueAt      time.Time // real time of the next attempt, if it is pending
}

// Request returns the request of the delivery's last attempt, or of the first one if
// there was none. It is signed with the current secret of the subscription, or with
// the one at the time when the delivery was collected.
func (d Delivery) Request(ctx context.Context, sender *Sender, seal *Seal) (Request, error) {
	return d.request(ctx, sender, seal, max(d.Attempt, 1), d.Faults)
}

// RequestOf is like Request, for one of the delivery's attempts.
func (d Delivery) RequestOf(ctx context.Context, sender *Sender, seal *Seal, a Attempt) (Request, error) {
	return d.request(ctx, sender, seal, a.Attempt, a.Faults)
}

func (d Delivery) request(ctx context.Context, sender *Sender, seal *Seal, attempt int, faults []string) (Request, error) {
	header, badHeader := seal.Open(ctx, d.Header, d.HookID, delivery.HeaderColumn)
	secret, badSecret := seal.Open(ctx, d.Secret, d.HookID, delivery.SecretColumn)
	if err := errors.Join(badHeader, badSecret); err != nil {
		return Request{}, fmt.Errorf("subscription %s: %w", d.HookID, err)
	}
	return sender.Preview(delivery.Message{
		URL: d.URL, Header: header, Secret: secret,
		Event: d.Event, EventID: d.EventID, ID: delivery.AttemptID(d.ID, attempt), Body: d.Body,
		Faults: faults,
	})
}

// DeliveryFilter selects deliveries of a tenant. Zero values select all.
type DeliveryFilter struct {
	ID         *uuid.UUID
	HookID     *uuid.UUID
	TxID       string
	Event      string // subject:action or subject
	State      string
	Lowest     int // response status of the last attempt; any if Highest is 0
	Highest    int
	NoResponse bool       // only those whose last attempt had no response
	Since      *time.Time // created at or after; tenant's time
	Until      *time.Time // created before; tenant's time
	Before     *uuid.UUID // created before this delivery
	Limit      int

	WithoutBodies bool // bodies of events and responses are left out
}

// DeliveryPage is a list of deliveries, newest first, with the attempts of each in
// order.
type DeliveryPage struct {
	Deliveries []Delivery
	Attempts   map[uuid.UUID][]AttemptDetail
	More       bool // there are older deliveries
}

// Size returns the size in bytes of the bodies of events and responses.
func (p DeliveryPage) Size() (size int64) {
	for _, d := range p.Deliveries {
		size += int64(len(d.Body))
		for _, attempt := range p.Attempts[d.ID] {
			size += int64(len(attempt.Body))
		}
	}
	return size
}

// pageBytes limits the size of a page, approximately: the bodies of its events, and
// delivery.MaxResponseBody for each attempt.
const pageBytes = 16 << 20

// query returns the query for the deliveries that the filter selects, and one more if
// there are more. It reads the newest of each subscription, by key.
func (q DeliveryFilter) query() string {
	var byKey string
	if q.ID != nil {
		byKey += `
			and d.id = @id`
	}
	if slices.Contains([]string{"pending", "dead", "dropped", "collected"}, q.State) { // as text, so that partial indexes can be used
		byKey += `
			and d.state = '` + q.State + `'`
	}
	if q.TxID != "" {
		byKey += `
			and d.id = any(array(
				select delivery_id(e.id, h.id)
				from events e
				where e.tenant_id = @tenant_id
				and e.tx_id = @tx_id
				union all
				select r.id
				from events e
				join deliveries r on r.event_id = e.id and r.redelivery
				where e.tenant_id = @tenant_id
				and e.tx_id = @tx_id
			))`
	}
	return `
	select
		d.id, d.hook_id,
		case d.state when 'collected' then d.collected_url else h.url end as url,
		case d.state when 'collected' then d.collected_header else h.header end as header,
		case d.state when 'collected' then d.collected_secret else h.secret end as secret,
		d.event_id, d.event, e.tx_id, case when @bodies then e.body else '' end as body, d.state, d.attempt, d.redelivery, d.created_at, d.due_at,
		coalesce(d.faults, (
			select faults
			from failed_attempts
			where hook_id = d.hook_id
			and delivery_id = d.id
			and number = d.attempt
		)) as faults,
		case when @bodies then octet_length(e.body) + d.attempt * @response::bigint else 0 end as size
	from (
		select d.*
		from hooks h
		cross join lateral (
			select d.*
			from deliveries d
			where d.hook_id = h.id
			and (@event in ('', '*', d.event) or split_part(d.event, ':', 1) = @event)
			and @state in ('', d.state)
			and (@highest = 0 or d.response_status between @lowest and @highest)
			and (not @no_response or d.attempt > 0 and d.state in ('pending', 'dead') and d.response_status is null)
			and (@since::timestamptz is null or d.created_at >= @since)
			and (@until::timestamptz is null or d.created_at < @until)
			and (@before::uuid is null or d.id < @before)` + byKey + `
			order by d.id desc
			limit @limit + 1
		) d
		where h.tenant_id = @tenant_id
		and (@hook_id::uuid is null or h.id = @hook_id)
		order by d.id desc
		limit @limit + 1
	) d
	join hooks h on h.id = d.hook_id
	join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
	order by d.id desc`
}

// args returns the arguments of the query.
func (q DeliveryFilter) args(tenantID uuid.UUID) pgx.StrictNamedArgs {
	args := pgx.StrictNamedArgs{
		"tenant_id": tenantID, "hook_id": q.HookID, "event": q.Event, "state": q.State,
		"lowest": q.Lowest, "highest": q.Highest, "no_response": q.NoResponse,
		"since": q.Since, "until": q.Until, "before": q.Before, "limit": q.Limit, "bodies": !q.WithoutBodies,
		"response": delivery.MaxResponseBody, "bytes": pageBytes,
	}
	if q.ID != nil {
		args["id"] = q.ID
	}
	if q.TxID != "" {
		args["tx_id"] = q.TxID
	}
	return args
}

// PageSize estimates the size in bytes of the page of the tenant's deliveries.
func (q DeliveryFilter) PageSize(ctx context.Context, db storage.DB, tenantID uuid.UUID) (size int64, err error) {
	if err := db.QueryRow(ctx, `
		select least(coalesce(sum(size), 0), @bytes)::bigint
		from (`+q.query()+`) matching`, q.args(tenantID)).Scan(&size); err != nil {
		return 0, fmt.Errorf("measure deliveries: %w", err)
	}
	return size, nil
}

// List returns a page of the tenant's deliveries.
func (q DeliveryFilter) List(ctx context.Context, db storage.DB, tenantID uuid.UUID) (DeliveryPage, error) {
	found, err := storage.All[struct {
		Delivery
		Matched int // one more than the limit when there are more
	}](ctx, db, `
		select id, hook_id, url, header, secret, event_id, event, tx_id, body, state, attempt, faults, redelivery, created_at, due_at, matched
		from (
			select *, sum(size) over (order by id desc) - size as before, count(*) over () as matched
			from (`+q.query()+`) matching
		) counted
		where before <= @bytes
		order by id desc
		limit @limit`,
		q.args(tenantID))
	if err != nil {
		return DeliveryPage{}, fmt.Errorf("list deliveries: %w", err)
	}
	var page DeliveryPage
	hookIDs, ids := make([]uuid.UUID, len(found)), make([]uuid.UUID, len(found))
	for i, row := range found {
		hookIDs[i], ids[i] = row.HookID, row.ID
		page.Deliveries = append(page.Deliveries, row.Delivery)
		page.More = row.Matched > len(found)
	}
	page.Attempts, err = delivery.AttemptDetails(ctx, db, tenantID, hookIDs, ids, !q.WithoutBodies)
	return page, err
}

// ErrInactive is the error of a redelivery to an inactive subscription.
var ErrInactive = errors.New("subscription is inactive")

// RedeliverByID creates a new delivery of the event of the tenant's delivery with the
// id, and returns its id. The error is pgx.ErrNoRows if there is no such delivery, and
// ErrInactive if its subscription is inactive. now is the real
// time.
func RedeliverByID(ctx context.Context, db storage.DB, tenant auth.Tenant, deliveryID string, now time.Time) (uuid.UUID, error) {
	id, ok := api.ParseID(deliveryID)
	if !ok {
		return uuid.Nil, pgx.ErrNoRows
	}
	var hookID uuid.UUID
	if err := db.QueryRow(ctx, `
		select d.hook_id
		from hooks h
		join deliveries d on d.hook_id = h.id
		where h.tenant_id = @tenant_id
		and d.id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenant.ID, "id": id}).Scan(&hookID); err != nil {
		return uuid.Nil, fmt.Errorf("find delivery: %w", err)
	}
	created, err := insertRedelivery(ctx, db, tenant, hookID, id, now)
	if isAPIError(err) {
		return uuid.Nil, ErrInactive
	}
	return created.ID, err
}
