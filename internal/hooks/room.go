package hooks

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Attempt is one try to deliver an event, and what came of it.
type Attempt struct {
	DeliveryID uuid.UUID `json:"delivery_id"` // its own: X-Delivery-Id
	RequestID  uuid.UUID `json:"request_id"`
	HookID     uuid.UUID `json:"hook_id"`
	Event      string    `json:"event"`
	URL        string    `json:"url"`
	Attempt    int       `json:"attempt"` // from 1
	Status     int       `json:"status"`  // 0 = no answer
	Failure    string    `json:"failure"` // class of error; "" = an answer that is none
	DurationMs int64     `json:"duration_ms"`

	At time.Time `json:"-"` // tenant's time when it began
}

// attempts reads attempts of a tenant's deliveries; more is what else must hold
// of hook h, delivery d and attempt a, and the order.
func attempts(ctx context.Context, db storage.DB, more string, args pgx.StrictNamedArgs) ([]Attempt, error) {
	rows, err := db.Query(ctx, `
		select
			d.id as request_id, h.id as hook_id, d.event, h.url, a.number as attempt,
			coalesce(a.status, 0) as status, coalesce(a.failure, '') as failure, a.duration_ms, a.at
		from hooks h
		join deliveries d on d.hook_id = h.id
		join attempts a on a.hook_id = d.hook_id and a.delivery_id = d.id
		where h.tenant_id = @tenant_id
		`+more, args)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	made, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[Attempt])
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	for i := range made {
		made[i].DeliveryID = attemptID(made[i].RequestID, made[i].Attempt)
	}
	return made, nil
}

// NextDue is the real time at which the next of the tenant's deliveries is due;
// nil when none is. One that is being sent is due; one whose subscription is
// off is not.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(d.due_at)
		from hooks h
		join deliveries d on d.hook_id = h.id
		where h.tenant_id = @tenant_id
		and h.active
		and d.activation = h.activation
		and d.state = 'pending'`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("look for due deliveries: %w", err)
	}
	return next, nil
}

// Shift makes all that is due of the tenant due sooner, because its clock has
// moved forward. The rows are locked in the order in which all who change
// several of them take them.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, by time.Duration) error {
	if _, err := tx.Exec(ctx, `
		with due as (
			select d.hook_id, d.id
			from hooks h
			join deliveries d on d.hook_id = h.id
			where h.tenant_id = @tenant_id
			and d.state = 'pending'
			order by d.hook_id, d.id
			for update of d
		)
		update deliveries d
		set due_at = d.due_at - @by::interval
		from due
		where d.hook_id = due.hook_id
		and d.id = due.id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "by": by}); err != nil {
		return fmt.Errorf("shift deliveries: %w", err)
	}
	return nil
}

// Attempts returns the attempts to deliver that began after one of the tenant's
// times and until another, in order.
func Attempts(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Attempt, error) {
	return attempts(ctx, db, `
		and d.updated_at > @after -- no attempt began later
		and a.at > @after
		and a.at <= @until
		order by a.at, d.id, a.number`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
}

// Reset drops the tenant's subscriptions and events, with them its deliveries,
// and what its feed told of those. The subscriptions are held first, so that no
// delivery is added, and then the deliveries, in the order in which all who
// change several of them take them; the events come after, as when trimming.
func Reset(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	for _, step := range []string{
		`
		select
		from hooks
		where tenant_id = @tenant_id
		order by id
		for update`, `
		select
		from deliveries
		where hook_id in (select id from hooks where tenant_id = @tenant_id)
		order by hook_id, id
		for update`, `
		delete from hooks
		where tenant_id = @tenant_id`, `
		delete from events
		where tenant_id = @tenant_id`, `
		delete from attempted
		where tenant_id = @tenant_id`,
	} {
		if _, err := tx.Exec(ctx, step, pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
			return fmt.Errorf("reset hooks: %w", err)
		}
	}
	return nil
}
