// Package fault injects errors, delays and dropped connections into the calls of a
// tenant, as configured through the control API. The gate passes every call that it
// admits to this package; a call that the gate rejects does not use up a fault. The
// package also selects the faults of webhook deliveries, which package delivery
// injects. It does not know what the calls do.
package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// fault is a row of faults: the calls or deliveries that it matches, and its effect on
// them.
type fault struct {
	ID             uuid.UUID
	TenantID       uuid.UUID
	Route          string // "" = a fault on deliveries
	Delivery       string // pattern of events: a subject, subject:action or *; "" = a fault on calls
	Status         *int
	Body           *string // JSON; not cached
	Delay          time.Duration
	Dropped        bool // drop the connection; of a delivery: ignore the response
	Duplicate      int  // further deliveries of the same event
	Reorder        bool // swap with the next delivery of the subscription
	Truncated      bool
	WrongSignature bool
	Times          *int64
	Every          *int64
	Probability    *float64
	Seed           string
	CreatedAt      time.Time  // tenant's time
	ExpiresAt      *time.Time // tenant's time
	Calls          int64
	Acted          int64
}

const columns = `
	id, tenant_id, route, delivery, status, delay, dropped, duplicate, reorder, wrong_signature, truncated,
	times, every, probability, seed, created_at, expires_at, calls, acted`

// definition is the part of a fault that never changes, except its end.
type definition struct {
	Route          string          `json:"route,omitempty"`
	Delivery       string          `json:"delivery,omitempty"`
	Status         *int            `json:"status,omitempty"`
	Body           json.RawMessage `json:"body,omitempty"`
	Delay          string          `json:"delay,omitempty"`
	Drop           bool            `json:"drop,omitempty"`
	Duplicate      int             `json:"duplicate,omitempty"`
	Reorder        bool            `json:"reorder,omitempty"`
	WrongSignature bool            `json:"wrong_signature,omitempty"`
	Truncate       bool            `json:"truncate,omitempty"`
	Times          *int64          `json:"times,omitempty"`
	Every          *int64          `json:"every,omitempty"`
	Probability    *float64        `json:"probability,omitempty"`
	Seed           string          `json:"seed,omitempty"`
}

// faultBody is a fault as the control API shows it.
type faultBody struct {
	ID uuid.UUID `json:"id"`
	definition
	CreatedAt api.Time  `json:"created_at"`
	ExpiresAt *api.Time `json:"expires_at,omitempty"`
	Calls     int64     `json:"calls"` // calls or deliveries that matched
	Acted     int64     `json:"acted"` // those on which it acted
}

func newFaultBody(f fault) faultBody {
	d := definition{
		Route: f.Route, Delivery: f.Delivery, Status: f.Status, Drop: f.Dropped,
		Duplicate: f.Duplicate, Reorder: f.Reorder, WrongSignature: f.WrongSignature, Truncate: f.Truncated,
		Times: f.Times, Every: f.Every, Probability: f.Probability, Seed: f.Seed,
	}
	if f.Body != nil {
		d.Body = json.RawMessage(*f.Body)
	}
	if f.Delay > 0 {
		d.Delay = f.Delay.String()
	}
	return faultBody{f.ID, d, api.Time(f.CreatedAt), (*api.Time)(f.ExpiresAt), f.Calls, f.Acted}
}

// insert stores the fault.
func insert(ctx context.Context, db storage.DB, f fault) error {
	if _, err := db.Exec(ctx, `
		insert into faults (
			id, tenant_id, route, delivery, status, body, delay, dropped, duplicate, reorder, wrong_signature, truncated,
			times, every, probability, seed, created_at, expires_at
		)
		values (
			@id, @tenant_id, @route, @delivery, @status, @body, @delay, @dropped, @duplicate, @reorder, @wrong_signature, @truncated,
			@times, @every, @probability, @seed, @created_at, @expires_at
		)`,
		pgx.StrictNamedArgs{
			"id": f.ID, "tenant_id": f.TenantID, "route": f.Route, "delivery": f.Delivery, "status": f.Status, "body": f.Body,
			"delay": f.Delay, "dropped": f.Dropped, "duplicate": f.Duplicate, "reorder": f.Reorder,
			"wrong_signature": f.WrongSignature, "truncated": f.Truncated, "times": f.Times, "every": f.Every,
			"probability": f.Probability, "seed": f.Seed, "created_at": f.CreatedAt, "expires_at": f.ExpiresAt,
		}); err != nil {
		return fmt.Errorf("insert fault: %w", err)
	}
	return nil
}

// selectFaults returns the tenant's faults in the order in which they act on a call:
// the oldest first.
func selectFaults(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]fault, error) {
	found, err := storage.All[fault](ctx, db, `
		select `+columns+`, body
		from faults
		where tenant_id = @tenant_id
		order by id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list faults: %w", err)
	}
	return found, nil
}

// deleteFaults deletes the tenant's faults, or only the one with the id, and returns
// how many it deleted.
func deleteFaults(ctx context.Context, db storage.DB, tenantID uuid.UUID, only *uuid.UUID) (int64, error) {
	deleted, err := db.Exec(ctx, `
		delete from faults
		where tenant_id = @tenant_id
		and (@only::uuid is null or id = @only)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "only": only})
	if err != nil {
		return 0, fmt.Errorf("delete faults: %w", err)
	}
	return deleted.RowsAffected(), nil
}

// Delete deletes the tenant's faults.
func Delete(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	_, err := deleteFaults(ctx, tx, tenantID, nil)
	return err
}

// Expiry is the time at which a fault expired.
type Expiry struct {
	ID        uuid.UUID
	ExpiresAt time.Time // tenant's time
}

// Expired returns the tenant's faults that expired after one time and until
// another, in order.
func Expired(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Expiry, error) {
	expired, err := storage.All[Expiry](ctx, db, `
		select id, expires_at
		from faults
		where tenant_id = @tenant_id
		and expires_at > @after
		and expires_at <= @until
		order by expires_at, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list expired faults: %w", err)
	}
	return expired, nil
}
