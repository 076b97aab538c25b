package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Definition is a fault as it is created, without what happened since.
type Definition struct {
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
	Expires        *api.Time       `json:"expires,omitempty"` // tenant's time
}

func newDefinition(f fault) Definition {
	b := newFaultBody(f)
	return Definition{
		Route: b.Route, Delivery: b.Delivery, Status: b.Status, Body: b.Body, Delay: b.Delay, Drop: b.Drop, Duplicate: b.Duplicate,
		Reorder: b.Reorder, WrongSignature: b.WrongSignature, Truncate: b.Truncate, Times: b.Times, Every: b.Every,
		Probability: b.Probability, Seed: b.Seed, Expires: b.ExpiresAt,
	}
}

// Definitions returns the tenant's faults that have not expired at the tenant's time now,
// in the order in which they act.
func Definitions(ctx context.Context, db storage.DB, tenantID uuid.UUID, now time.Time) ([]Definition, error) {
	found, err := selectFaults(ctx, db, tenantID)
	if err != nil {
		return nil, err
	}
	definitions := []Definition{}
	for _, f := range found {
		if f.ExpiresAt == nil || f.ExpiresAt.After(now) {
			definitions = append(definitions, newDefinition(f))
		}
	}
	return definitions, nil
}

// Set is all faults of a tenant.
type Set struct {
	faults []fault
	now    time.Time // tenant's time
}

// ParseSet parses faults in the form of Definition. now is the tenant's time. Its errors
// are *api.Error and begin with the path of the fault, in the array at a path.
func ParseSet(at string, objects []api.Object, now time.Time) (Set, error) {
	set := Set{now: now}
	for i, object := range objects {
		f, err := readFault(object, now)
		if err != nil {
			return Set{}, api.ErrorAt(api.ElementPath(at, i), err)
		}
		set.faults = append(set.faults, f)
	}
	return set, nil
}

// Replace replaces the tenant's faults by the set. If they have the same definitions, it
// changes nothing, so that their counts go on. Refresh the injector after the commit.
func (s Set) Replace(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	current, err := Definitions(ctx, tx, tenantID, s.now)
	if err != nil {
		return err
	}
	wanted := []Definition{}
	for _, f := range s.faults {
		wanted = append(wanted, newDefinition(f))
	}
	before, err1 := json.Marshal(current)
	after, err2 := json.Marshal(wanted)
	if err1 == nil && err2 == nil && bytes.Equal(before, after) {
		return nil
	}
	if err := Delete(ctx, tx, tenantID); err != nil {
		return err
	}
	for _, f := range s.faults {
		f.TenantID = tenantID
		if f.ID, err = uuid.NewV7(); err != nil {
			return err
		}
		if err := insert(ctx, tx, f); err != nil {
			return err
		}
	}
	return nil
}
