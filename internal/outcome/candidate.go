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

// Candidate is an outcome without its values. It has the fields that are needed to choose
// the outcome that applies.
type Candidate struct {
	ID          int64
	CompanyName *string // nil = every company
	Status      *string
	After       time.Duration
	Bytes       int64 // size of the values
}

const candidateColumns = `id, company_name, status, after, bytes`

// valuesMemory is the most memory that values need while a report is made from them, as a
// multiple of their size as text. A value can be an array of empty arrays.
const valuesMemory = 16

// Memory returns the maximum memory in bytes that a report with the values needs.
func (c *Candidate) Memory() int64 { return valuesMemory * c.Bytes }

// HasStatus reports whether the outcome sets this status. It is false for nil.
func (c *Candidate) HasStatus(status string) bool {
	return c != nil && c.Status != nil && *c.Status == status
}

// MatchesCompany reports whether the outcome applies to a company of this name.
// An outcome without a company name applies to every company.
func (c *Candidate) MatchesCompany(company string) bool {
	return c.CompanyName == nil || strings.EqualFold(strings.TrimSpace(*c.CompanyName), strings.TrimSpace(company))
}

// matchesFile is the condition for outcomes that match a file.
const matchesFile = `
	tenant_id = @tenant_id
	and (filename is null or @filename like replace(replace(replace(replace(filename, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%'))
	and (sha256 is null or sha256 = @sha256)`

// ForFile returns the tenant's outcomes that match a file with this name and
// hash, newest first. It does not compare company names: for an outcome that has
// one, the caller must check MatchesCompany.
func ForFile(ctx context.Context, db storage.DB, tenantID uuid.UUID, filename string, sha256 []byte) ([]Candidate, error) {
	found, err := storage.All[Candidate](ctx, db, `
		select `+candidateColumns+`
		from outcomes
		where `+matchesFile+`
		order by id desc`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "filename": filename, "sha256": sha256})
	if err != nil {
		return nil, fmt.Errorf("find outcomes for file with SHA-256 %s: %w", hex.EncodeToString(sha256), err)
	}
	return found, nil
}

// AfterFile returns the extra delay of the newest outcome that has no company name and
// matches a file with this name and hash.
func AfterFile(ctx context.Context, db storage.DB, tenantID uuid.UUID, filename string, sha256 []byte) (after time.Duration, err error) {
	err = db.QueryRow(ctx, `
		select after
		from outcomes
		where `+matchesFile+`
		and company_name is null
		order by id desc
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "filename": filename, "sha256": sha256}).Scan(&after)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("find delay for file with SHA-256 %s: %w", hex.EncodeToString(sha256), err)
	}
	return after, nil
}

// ForCompany returns the tenant's newest outcome whose only criterion is this
// company name, or nil if there is none.
func ForCompany(ctx context.Context, db storage.DB, tenantID uuid.UUID, name string) (*Candidate, error) {
	found, err := storage.All[Candidate](ctx, db, `
		select `+candidateColumns+`
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

// Load returns the tenant's outcome with the id, or nil if it has been deleted.
func Load(ctx context.Context, db storage.DB, tenantID uuid.UUID, id int64) (*Outcome, error) {
	o, err := storage.One[Outcome](ctx, db, `
		select `+columns+`
		from outcomes
		where tenant_id = @tenant_id
		and id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load outcome: %w", err)
	}
	return &o, nil
}
