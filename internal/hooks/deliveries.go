package hooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/storage"
)

// Delivery is an event on its way to a subscription, or there. Times are the
// tenant's.
type Delivery struct {
	ID         uuid.UUID
	HookID     uuid.UUID
	URL        string // of the subscription now, or when it was collected; as are the next two
	Header     []byte // sealed
	Secret     []byte // sealed
	EventID    uuid.UUID
	Event      string
	Body       []byte // the exact bytes sent
	State      string // pending, delivered, dead, dropped or collected
	Attempt    int    // the last one, from 1; 0 = none yet
	Redelivery bool
	CreatedAt  time.Time
}

// Request is the request of the delivery's last attempt, or of the first to
// come; signed with the subscription's secret as it is now, or as it was when
// the delivery was collected.
func (d Delivery) Request(sender *Sender, seal *Seal) (Request, error) {
	header, badHeader := seal.Open(d.Header, d.HookID, delivery.HeaderColumn)
	secret, badSecret := seal.Open(d.Secret, d.HookID, delivery.SecretColumn)
	if err := errors.Join(badHeader, badSecret); err != nil {
		return Request{}, fmt.Errorf("subscription %s: %w", d.HookID, err)
	}
	return sender.Preview(delivery.Message{
		URL: d.URL, Header: header, Secret: secret,
		Event: d.Event, EventID: d.EventID, ID: delivery.AttemptID(d.ID, max(d.Attempt, 1)), Body: d.Body,
	})
}

// Deliveries is which of a tenant's deliveries to list. Zero values ask for all.
type Deliveries struct {
	HookID     *uuid.UUID
	Event      string // subject:action or subject
	State      string
	Lowest     int // status of the last attempt's response; with Highest 0, any delivery
	Highest    int
	Unanswered bool       // those whose last attempt had no answer
	Since      *time.Time // the tenant's
	Until      *time.Time
	Before     *uuid.UUID // those made before this one
	Limit      int
}

// Page is some deliveries, newest first, and the attempts of each, in order.
type Page struct {
	Deliveries []Delivery
	Attempts   map[uuid.UUID][]AttemptDetail
	More       bool // there are older ones
}

// pageBytes is about how much one page may hold: the bodies, and as much for
// each attempt as its answer may take.
const pageBytes = 16 << 20

// List returns the tenant's deliveries.
func (q Deliveries) List(ctx context.Context, db storage.DB, tenantID uuid.UUID) (Page, error) {
	found, err := storage.All[struct {
		Delivery
		Matched int // one more than the limit when there are more
	}](ctx, db, `
		select id, hook_id, url, header, secret, event_id, event, body, state, attempt, redelivery, created_at, matched
		from (
			select *, sum(size) over (order by id desc) - size as before, count(*) over () as matched
			from (
				select
					d.id, d.hook_id,
					case d.state when 'collected' then d.collected_url else h.url end as url,
					case d.state when 'collected' then d.collected_header else h.header end as header,
					case d.state when 'collected' then d.collected_secret else h.secret end as secret,
					d.event_id, d.event, e.body, d.state, d.attempt, d.redelivery, d.created_at,
					octet_length(e.body) + d.attempt * @response::bigint as size
				from hooks h
				join deliveries d on d.hook_id = h.id
				join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
				where h.tenant_id = @tenant_id
				and (@hook_id::uuid is null or d.hook_id = @hook_id)
				and (@event in ('', '*', d.event) or split_part(d.event, ':', 1) = @event)
				and @state in ('', d.state)
				and (@highest = 0 or d.response_status between @lowest and @highest)
				and (not @unanswered or d.attempt > 0 and d.state in ('pending', 'dead') and d.response_status is null)
				and (@since::timestamptz is null or d.created_at >= @since)
				and (@until::timestamptz is null or d.created_at < @until)
				and (@before::uuid is null or d.id < @before)
				order by d.id desc
				limit @limit + 1
			) matching
		) counted
		where before <= @bytes
		order by id desc
		limit @limit`,
		pgx.StrictNamedArgs{
			"tenant_id": tenantID, "hook_id": q.HookID, "event": q.Event, "state": q.State,
			"lowest": q.Lowest, "highest": q.Highest, "unanswered": q.Unanswered,
			"since": q.Since, "until": q.Until, "before": q.Before, "limit": q.Limit,
			"response": delivery.MaxResponseBody, "bytes": pageBytes,
		})
	if err != nil {
		return Page{}, fmt.Errorf("list deliveries: %w", err)
	}
	var page Page
	ids := make([]uuid.UUID, len(found))
	for i, row := range found {
		ids[i] = row.ID
		page.Deliveries = append(page.Deliveries, row.Delivery)
		page.More = row.Matched > len(found)
	}
	page.Attempts, err = delivery.AttemptDetails(ctx, db, tenantID, ids)
	return page, err
}

// ErrOff is the error of a redelivery to a subscription that is off.
var ErrOff = errors.New("subscription is off")

// SendAgain makes a delivery of the same event as the tenant's delivery of this
// id, and returns its id; pgx.ErrNoRows when there is none. at is the tenant's
// time, now the real one.
func SendAgain(ctx context.Context, db storage.DB, tenantID uuid.UUID, deliveryID string, at, now time.Time) (uuid.UUID, error) {
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
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id}).Scan(&hookID); err != nil {
		return uuid.Nil, fmt.Errorf("find delivery: %w", err)
	}
	made, err := redeliver(ctx, db, hook{ID: hookID, TenantID: tenantID}, id, at, now)
	if isRefusal(err) {
		return uuid.Nil, ErrOff
	}
	return made.ID, err
}
