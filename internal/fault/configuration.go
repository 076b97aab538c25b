package fault

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Definition is a fault as it is created, without what happened since.
type Definition struct {
	definition
	Expires *api.Time `json:"expires,omitempty"` // tenant's time
}

func newDefinition(f fault) Definition {
	b := newFaultBody(f)
	return Definition{b.definition, b.ExpiresAt}
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
	set, size := Set{now: now}, int64(0)
	for i, object := range objects {
		f, err := readFault(object, now)
		if err != nil {
			return Set{}, api.ErrorAt(api.ElementPath(at, i), err)
		}
		set.faults = append(set.faults, f)
		size += f.size()
	}
	if err := checkTotal(int64(len(set.faults)), size); err != nil {
		return Set{}, api.BadRequest("%s: %s", at, err)
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
	if api.SameJSON(current, wanted) {
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
