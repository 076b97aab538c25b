// Package outcome keeps what a tenant's tests have asked for in place of real
// work: how a submission ends, and which values a report holds. It knows
// neither who asks nor how submissions move.
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

// How a submission can be told to end.
const (
	Completed      = "Completed"
	Failed         = "Failed"
	ReviewRequired = "Review_required" // completed, and a person is to look at it
)

// most is how many outcomes a tenant may have.
const most = 1000

// ErrTooMany is the error of a tenant that has as many outcomes as it may.
var ErrTooMany = fmt.Errorf("limit of %d outcomes reached", most)

// Outcome is what a matching submission or company yields.
type Outcome struct {
	Filename    *string // exact, or with * for any run of characters
	SHA256      []byte  // of the file's bytes
	CompanyName *string // of any case

	Status    *string  // nil = as it comes
	Facts     Values   // named as in field.Facts or field.Report; nil, in these three, = not given
	Options   Values   // named as in field.Options
	Locations []Values // named as in field.LocationFacts and field.LocationOptions
	After     time.Duration
	CreatedAt time.Time
}

const columns = `filename, sha256, company_name, status, facts, options, locations, after, created_at`

// Is tells whether the outcome is given and asks for this status.
func (o *Outcome) Is(status string) bool { return o != nil && o.Status != nil && *o.Status == status }

// GivesValues tells whether the outcome stands in for what a document states.
func (o *Outcome) GivesValues() bool {
	return o != nil && (o.Facts != nil || o.Options != nil || o.Locations != nil)
}

// Names tells whether the outcome is for a company of this name, as far as it
// asks for one.
func (o *Outcome) Names(company string) bool {
	return o.CompanyName == nil || strings.EqualFold(strings.TrimSpace(*o.CompanyName), strings.TrimSpace(company))
}

// Put keeps an outcome, in place of one that matches the same.
func Put(ctx context.Context, db storage.DB, tenantID uuid.UUID, o Outcome) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var kept int
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
			}).Scan(&kept); err != nil {
			return err
		}
		if kept >= most {
			return ErrTooMany
		}
		_, err := tx.Exec(ctx, `
			insert into outcomes (tenant_id, `+columns+`)
			values (@tenant_id, @filename, @sha256, @company_name, @status, @facts, @options, @locations, @after, @at)
			on conflict do nothing`, // of two at once that match the same, one stays
			pgx.StrictNamedArgs{
				"tenant_id": tenantID, "filename": o.Filename, "sha256": o.SHA256, "company_name": o.CompanyName,
				"status": o.Status, "facts": o.Facts, "options": o.Options, "locations": o.Locations,
				"after": o.After, "at": o.CreatedAt,
			})
		return err
	})
	if err != nil && !errors.Is(err, ErrTooMany) {
		err = fmt.Errorf("put outcome: %w", err)
	}
	return err
}

// List returns the tenant's outcomes, newest first: the order in which they
// are asked.
func List(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Outcome, error) {
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

// Drop removes all outcomes of the tenant.
func Drop(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	if _, err := db.Exec(ctx, `
		delete from outcomes
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
		return fmt.Errorf("drop outcomes: %w", err)
	}
	return nil
}

// Counts returns how many outcomes each tenant has.
func Counts(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	return storage.CountByTenant(ctx, db, `
		select tenant_id, count(*) as count
		from outcomes
		where tenant_id = any(@ids)
		group by tenant_id`, tenantIDs)
}

// ForFile returns the tenant's outcomes that match a file of this name and
// hash, newest first. Those that ask for a company must be asked whether they
// name it.
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
		return nil, fmt.Errorf("find outcomes of %s: %w", hex.EncodeToString(sha256), err)
	}
	return found, nil
}

// ForCompany returns the newest of the tenant's outcomes that matches a
// company of this name by its name alone; nil when there is none.
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
		return nil, fmt.Errorf("find outcome of a company: %w", err)
	}
	for i := range found {
		if found[i].Names(name) {
			return &found[i], nil
		}
	}
	return nil, nil
}
