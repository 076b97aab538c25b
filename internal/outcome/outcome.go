// Package outcome stores the results that a tenant's tests have set in advance:
// the status in which a submission ends and the values that its report contains.
// Its endpoints in the control API set, list and delete them. It does not know how
// submissions are processed.
package outcome

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Statuses that an outcome can set.
const (
	Completed      = "Completed"
	Failed         = "Failed"
	ReviewRequired = "Review_required" // completed, but a person must review it
)

// maxOutcomes is the maximum number of outcomes that a tenant can have.
const maxOutcomes = 1000

// errTooMany is returned by put when the tenant has the maximum number of outcomes.
var errTooMany = fmt.Errorf("limit of %d outcomes reached", maxOutcomes)

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

// MatchesCompany reports whether the outcome applies to a company of this name.
// An outcome without a company name applies to every company.
func (o *Outcome) MatchesCompany(company string) bool {
	return o.CompanyName == nil || strings.EqualFold(strings.TrimSpace(*o.CompanyName), strings.TrimSpace(company))
}

// put stores an outcome. It replaces an outcome with the same criteria.
func put(ctx context.Context, db storage.DB, tenantID uuid.UUID, o Outcome) error {
	err := storage.InTx(ctx, db, func(tx pgx.Tx) error {
		var others int
		if err := tx.QueryRow(ctx, `
			with replaced as (
				delete from outcomes
				where tenant_id = @tenant_id
				and filename is not distinct from @filename
				and sha256 is not distinct from @sha256
				and company_name is not distinct from @company_name
				returning id
			)
			select (select count(*) from outcomes where tenant_id = @tenant_id) - (select count(*) from replaced)`,
			pgx.StrictNamedArgs{
				"tenant_id": tenantID, "filename": o.Filename, "sha256": o.SHA256, "company_name": o.CompanyName,
			}).Scan(&others); err != nil {
			return err
		}
		if others >= maxOutcomes {
			return errTooMany
		}
		_, err := tx.Exec(ctx, `
			insert into outcomes (tenant_id, `+columns+`)
			values (@tenant_id, @filename, @sha256, @company_name, @status, @facts, @options, @locations, @packages, @raw, @after, @at)
			on conflict do nothing`, // of two concurrent calls with the same criteria, one wins
			pgx.StrictNamedArgs{
				"tenant_id": tenantID, "filename": o.Filename, "sha256": o.SHA256, "company_name": o.CompanyName,
				"status": o.Status, "facts": o.Facts, "options": o.Options, "locations": o.Locations,
				"packages": o.Packages, "raw": o.Raw,
				"after": o.After, "at": o.CreatedAt,
			})
		return err
	})
	if err != nil && !errors.Is(err, errTooMany) {
		err = fmt.Errorf("put outcome: %w", err)
	}
	return err
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

// storedSize returns the size in bytes of the tenant's outcomes, as they are stored.
func storedSize(ctx context.Context, db storage.DB, tenantID uuid.UUID) (size int64, err error) {
	if err := db.QueryRow(ctx, `
		select coalesce(sum(pg_column_size(outcomes.*)), 0)::bigint
		from outcomes
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&size); err != nil {
		return 0, fmt.Errorf("measure outcomes: %w", err)
	}
	return size, nil
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
	return storage.CountByTenant(ctx, db, `
		select tenant_id, count(*) as count
		from outcomes
		where tenant_id = any(@ids)
		group by tenant_id`, tenantIDs)
}

// ForFile returns the tenant's outcomes that match a file with this name and
// hash, newest first. It does not compare company names: for an outcome that has
// one, the caller must check MatchesCompany.
func ForFile(ctx context.Context, db storage.DB, tenantID uuid.UUID, filename string, sha256 []byte) ([]Outcome, error) {
	found, err := storage.All[Outcome](ctx, db, `
		select `+columns+`
		from outcomes
		where tenant_id = @tenant_id
		and (filename is null or @filename like replace(replace(replace(replace(filename, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%'))
		and (sha256 is null or sha256 = @sha256)
		order by id desc`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "filename": filename, "sha256": sha256})
	if err != nil {
		return nil, fmt.Errorf("find outcomes for file with SHA-256 %s: %w", hex.EncodeToString(sha256), err)
	}
	return found, nil
}

// ForCompany returns the tenant's newest outcome whose only criterion is this
// company name, or nil if there is none.
func ForCompany(ctx context.Context, db storage.DB, tenantID uuid.UUID, name string) (*Outcome, error) {
	found, err := storage.All[Outcome](ctx, db, `
		select `+columns+`
		from outcomes
		where tenant_id = @tenant_id
		and company_name is not null
		and filename is null
		and sha256 is null
		order by id desc`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("find outcome for company: %w", err)
	}
	for i := range found {
		if found[i].MatchesCompany(name) {
			return &found[i], nil
		}
	}
	return nil, nil
}
