package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/enrich"
	"understudy.example/internal/storage"
)

// Archived is the report of a transaction in an archive of version 1.
type Archived struct {
	CReportID string    `json:"c_report_id"`
	LReportID string    `json:"l_report_id"`
	CreatedAt time.Time `json:"created_at"` // tenant's time

	// Large fields must come last, because an export writes them without copying them.
	Company   json.RawMessage `json:"company,omitempty"`   // an enrich.Report without its locations
	Locations json.RawMessage `json:"locations,omitempty"` // array of enrich.Location
}

// Limits of reports in archives. Reports of documents and outcomes are smaller.
const (
	maxArchivedCompany   = 16 << 20 // bytes
	maxArchivedLocations = 10_000
)

// ArchivedCompany is the report of a company submit that can be archived.
type ArchivedCompany struct {
	TxID  string
	Bytes int64 // as it is stored, which is compressed
}

// NextArchivedCompany returns the tenant's report of a company submit after the tx_id, in
// the order of their tx_ids. The error is pgx.ErrNoRows if there is none.
func NextArchivedCompany(ctx context.Context, db storage.DB, tenantID uuid.UUID, after string) (ArchivedCompany, error) {
	next, err := storage.One[ArchivedCompany](ctx, db, `
		select tx_id, pg_column_size(company) + pg_column_size(locations) as bytes
		from reports
		where tenant_id = @tenant_id
		and tx_id > @after
		and `+ofCompany+`
		order by tx_id
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("find company report to archive: %w", err)
	}
	return next, err
}

// CheckCompanyID returns an error if the tx_id is not that of a company submit: the name of
// a tenant, a hyphen and a UUID.
func CheckCompanyID(txID string) error {
	if !companyID.MatchString(txID) {
		return errors.New("its tx_id is not that of a company submit")
	}
	return nil
}

var companyID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// ArchivedBytes returns the size of the tenant's report of the transaction as it is stored,
// which is compressed; 0 if there is none.
func ArchivedBytes(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (int64, error) {
	report, err := reportByTransaction(ctx, db, tenantID, txID)
	if refusal := new(api.Error); errors.As(err, &refusal) {
		return 0, nil
	}
	return report.CompanyBytes + report.LocationsBytes, err
}

// ReadArchived returns the tenant's report of the transaction. The error is pgx.ErrNoRows
// if there is none.
func ReadArchived(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (*Archived, error) {
	report, err := storage.One[Archived](ctx, db, `
		select c_report_id, l_report_id, created_at, company, locations
		from reports
		where tenant_id = @tenant_id
		and tx_id = @tx_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": txID})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("read report to archive: %w", err)
	}
	return &report, err
}

// CheckTime returns an error if responses and archives could not show the time in every time
// zone.
func CheckTime(name string, at time.Time) error {
	if year := at.UTC().Year(); year < 1 || year > 9998 {
		return fmt.Errorf("%s: want a year from 1 to 9998", name)
	}
	return nil
}

// Check returns an error if inquiries could not read the report.
func (a *Archived) Check() error {
	if err := CheckTime("created_at", a.CreatedAt); err != nil {
		return err
	}
	if len(a.Company) > maxArchivedCompany {
		return fmt.Errorf("company: it is larger than %d MiB", maxArchivedCompany>>20)
	}
	var company enrich.Report
	if err := json.Unmarshal(a.Company, &company); err != nil {
		return fmt.Errorf("company: %w", err)
	}
	if company.Locations != nil {
		return errors.New("company: it has locations")
	}
	var locations CheckedArray[enrich.Location]
	if err := json.Unmarshal(a.Locations, &locations); err != nil {
		return fmt.Errorf("locations: %w", err)
	}
	if locations.Len > maxArchivedLocations {
		return fmt.Errorf("locations: there are more than %d", maxArchivedLocations)
	}
	if !bytes.HasPrefix(a.Locations, []byte("[")) {
		return errors.New("locations: not an array")
	}
	return nil
}

// CheckedArray is a JSON array or null. Its elements are decoded one after the other, and
// checked with their method Check if they have one. They are not kept.
type CheckedArray[T any] struct {
	Len int // number of elements
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *CheckedArray[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	elements := json.NewDecoder(bytes.NewReader(text))
	if start, err := elements.Token(); err != nil || start != json.Delim('[') {
		return errors.New("not an array")
	}
	for elements.More() {
		element := new(T)
		if err := elements.Decode(element); err != nil {
			return err
		}
		if checked, ok := any(element).(interface{ Check() error }); ok {
			if err := checked.Check(); err != nil {
				return err
			}
		}
		a.Len++
	}
	return nil
}

// ImportArchived stores the report of the tenant's transaction under its own ids, unless
// another transaction of this server has them. It reports whether it did. now is the real
// time.
func ImportArchived(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, txID string, a *Archived, now time.Time) (free bool, err error) {
	tag, err := tx.Exec(ctx, `
		insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at, saved_at)
		values (@company_id, @location_id, @tenant_id, @tx_id, @company, @locations, @at, @now)
		on conflict do nothing`,
		pgx.StrictNamedArgs{
			"company_id": a.CReportID, "location_id": a.LReportID, "tenant_id": tenant.ID, "tx_id": txID,
			"company": string(a.Company), "locations": string(a.Locations), "at": a.CreatedAt, "now": now,
		})
	if err != nil {
		return false, fmt.Errorf("import report: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// HasReport reports whether the tenant has a report of the transaction.
func HasReport(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (has bool, err error) {
	if err := db.QueryRow(ctx, `
		select exists (
			select from reports
			where tenant_id = @tenant_id
			and tx_id = @tx_id
		)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": txID}).Scan(&has); err != nil {
		return false, fmt.Errorf("find report: %w", err)
	}
	return has, nil
}
