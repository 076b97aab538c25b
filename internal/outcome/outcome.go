// Package outcome stores the results that a tenant's tests have set in advance:
// the status in which a submission ends and the values that its report contains.
// Its endpoints in the control API set, list and delete them. It does not know how
// submissions are processed.
package outcome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Statuses that an outcome can set.
const (
	Completed      = "Completed"
	Failed         = "Failed"
	ReviewRequired = "Review_required" // completed, but a person must review it
)

// Outcome is a predetermined result for the submissions and companies that it
// matches. A nil criterion matches everything.
type Outcome struct {
	Filename    *string // exact; * stands for any number of characters
	SHA256      []byte  // hash of the file
	CompanyName *string // compared without regard to case

	Status    *string  // nil = not set: the document decides
	Facts     Values   // fields of field.Facts and field.Report; nil = not set
	Options   Values   // fields of field.Options; nil = not set
	Locations []Values // fields of field.LocationFacts and field.LocationOptions; nil = not set
	Packages  Packages // values of version 5; nil = not set
	Raw       bool     // the values need not have the form of their field
	// After is the extra delay, by the tenant's clock, before a submission ends
	// or a company call gets its response.
	After     time.Duration
	CreatedAt time.Time
}

const columns = `filename, sha256, company_name, status, facts, options, locations, packages, raw, after, created_at`

// HasStatus reports whether the outcome sets this status. It is false for nil.
func (o *Outcome) HasStatus(status string) bool {
	return o != nil && o.Status != nil && *o.Status == status
}

// HasValues reports whether the outcome sets values, which then replace those of
// the document. It is false for nil.
func (o *Outcome) HasValues() bool {
	return o != nil && (o.Facts != nil || o.Options != nil || o.Locations != nil || o.Packages != nil)
}

// put stores an outcome. It replaces an outcome with the same criteria. The error is
// errTooMany or errTooLarge if the tenant then has too many outcomes, or too large ones.
func put(ctx context.Context, db storage.DB, tenantID uuid.UUID, o Outcome) error {
	return auth.InTenantTx(ctx, db, tenantID, func(tx pgx.Tx, _ auth.Tenant) error {
		if err := remove(ctx, tx, tenantID, o); err != nil && !errors.Is(err, errNoOutcome) {
			return err
		}
		if err := insert(ctx, tx, tenantID, o); err != nil {
			return err
		}
		return checkTotal(ctx, tx, tenantID)
	})
}

func insert(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, o Outcome) error {
	_, err := tx.Exec(ctx, `
		insert into outcomes (tenant_id, `+columns+`)
		values (@tenant_id, @filename, @sha256, @company_name, @status, @facts, @options, @locations, @packages, @raw, @after, @at)`,
		pgx.StrictNamedArgs{
			"tenant_id": tenantID, "filename": o.Filename, "sha256": o.SHA256, "company_name": o.CompanyName,
			"status": o.Status, "facts": o.Facts, "options": o.Options, "locations": o.Locations,
			"packages": o.Packages, "raw": o.Raw,
			"after": o.After, "at": o.CreatedAt,
		})
	if err != nil {
		return fmt.Errorf("insert outcome: %w", err)
	}
	return nil
}

// list returns the tenant's outcomes, newest first, which is the order in which
// they are tried.
func list(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Outcome, error) {
	found, err := storage.All[Outcome](ctx, db, `
		select `+columns+`
		from outcomes
		where tenant_id = @tenant_id
		order by id desc`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("list outcomes: %w", err)
	}
	return found, nil
}

// Drop deletes all outcomes of the tenant.
func Drop(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	if _, err := db.Exec(ctx, `
		delete from outcomes
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
		return fmt.Errorf("drop outcomes: %w", err)
	}
	return nil
}

// errNoOutcome is returned by remove if there is no such outcome.
var errNoOutcome = errors.New("no outcome has these criteria")

// remove deletes the tenant's outcome with the criteria of o.
func remove(ctx context.Context, db storage.DB, tenantID uuid.UUID, o Outcome) error {
	deleted, err := db.Exec(ctx, `
		delete from outcomes
		where tenant_id = @tenant_id
		and filename is not distinct from @filename
		and sha256 is not distinct from @sha256
		and company_name is not distinct from @company_name`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "filename": o.Filename, "sha256": o.SHA256, "company_name": o.CompanyName})
	if err != nil {
		return fmt.Errorf("delete outcome: %w", err)
	}
	if deleted.RowsAffected() == 0 {
		return errNoOutcome
	}
	return nil
}

// Counts returns the number of outcomes of each tenant.
func Counts(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	return auth.CountByTenant(ctx, db, `
		select tenant_id, count(*) as count
		from outcomes
		where tenant_id = any(@ids)
		group by tenant_id`, tenantIDs)
}
