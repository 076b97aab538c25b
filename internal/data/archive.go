package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	CReportID string          `json:"c_report_id"`
	LReportID string          `json:"l_report_id"`
	CreatedAt time.Time       `json:"created_at"` // tenant's time
	Company   json.RawMessage `json:"company"`    // an enrich.Report without its locations
	Locations json.RawMessage `json:"locations"`  // array of enrich.Location
}

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
