package delivery

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// AttemptID returns the X-Delivery-Id of an attempt, counted from 1. It is unique and
// contains the delivery's time. It is computed instead of stored.
func AttemptID(delivery uuid.UUID, attempt int) uuid.UUID {
	id := uuid.NewSHA1(delivery, binary.BigEndian.AppendUint32(nil, uint32(attempt)))
	copy(id[:8], delivery[:8]) // time and version
	return id
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	DeliveryID uuid.UUID `json:"delivery_id"` // of the attempt: X-Delivery-Id
	RequestID  uuid.UUID `json:"request_id"`
	HookID     uuid.UUID `json:"hook_id"`
	Event      string    `json:"event"`
	URL        string    `json:"url"`
	Attempt    int       `json:"attempt"` // counted from 1
	Status     int       `json:"status"`  // 0 = no response
	Failure    string    `json:"failure"` // class of failure; "" = a response that is not a redirect
	DurationMs int64     `json:"duration_ms"`
	Faults     []string  `json:"faults"` // kinds of the tenant's faults that acted

	At time.Time `json:"-"` // tenant's time at which it began
}

// AttemptDetail is an attempt with the receiver's response: its whole header, and the
// first MaxResponseBody bytes of its body. If the delivery has a later attempt, only
// the beginning of the response is kept. Header and body are empty if the tenant had
// too many newer responses.
type AttemptDetail struct {
	Attempt
	Address string // that was dialled; "" if none was
	Header  http.Header
	Body    []byte
}

const attemptColumns = `
	d.id as request_id, h.id as hook_id, d.event, h.url, a.number as attempt,
	coalesce(a.status, 0) as status, coalesce(a.failure, '') as failure, a.duration_ms,
	coalesce(a.faults, '{}') as faults, a.at`

// Attempts returns the tenant's attempts that began after one time and until another,
// on the tenant's clock, in order.
func Attempts(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Attempt, error) {
	rows, err := db.Query(ctx, `
		select `+attemptColumns+`
		from hooks h
		join deliveries d on d.hook_id = h.id
		join attempts a on a.hook_id = d.hook_id and a.delivery_id = d.id
		where h.tenant_id = @tenant_id
		and d.updated_at > @after -- no attempt began later
		and a.at > @after
		and a.at <= @until
		order by a.at, d.id, a.number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	attempts, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[Attempt])
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	for i := range attempts {
		attempts[i].DeliveryID = AttemptID(attempts[i].RequestID, attempts[i].Attempt)
	}
	return attempts, nil
}

// AttemptDetails returns the attempts of the tenant's deliveries with these ids, in
// order, by delivery. hookIDs are the subscriptions of the deliveries, at the same
// positions. If responses is false, Header and Body of the attempts are empty.
func AttemptDetails(ctx context.Context, db storage.DB, tenantID uuid.UUID, hookIDs, ids []uuid.UUID, responses bool) (map[uuid.UUID][]AttemptDetail, error) {
	rows, err := db.Query(ctx, `
		select `+attemptColumns+`, a.address, case when @responses then a.response else '' end as response
		from unnest(@hook_ids::uuid[], @ids::uuid[]) listed (hook_id, id)
		join hooks h on h.tenant_id = @tenant_id and h.id = listed.hook_id
		join deliveries d on d.hook_id = listed.hook_id and d.id = listed.id
		cross join lateral (
			select *
			from attempts
			where hook_id = listed.hook_id
			and delivery_id = listed.id
			offset 0 -- otherwise the two tables of the view can be read as a whole
		) a
		order by d.id, a.number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "hook_ids": hookIDs, "ids": ids, "responses": responses})
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[struct {
		Attempt
		Address  string
		Response []byte
	}])
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	details := map[uuid.UUID][]AttemptDetail{}
	for _, row := range found {
		detail := AttemptDetail{Attempt: row.Attempt, Address: row.Address}
		detail.DeliveryID = AttemptID(row.RequestID, detail.Attempt.Attempt)
		detail.Header, detail.Body = ParseResponse(row.Response)
		details[row.RequestID] = append(details[row.RequestID], detail)
	}
	return details, nil
}
