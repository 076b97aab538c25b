// Package data keeps reports and answers inquiries for them, each version in
// its shape. It knows nothing of how a report came to be.
package data

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/enrich"
	"understudy.example/internal/storage"
)

// IDs are the two ids of a report: of the company and of its locations.
type IDs struct{ Company, Location string }

// NewIDs makes report ids for a company of the country, in the service's form:
// C or L, the two-letter country, 1, eleven digits of Unix milliseconds and
// five more, hexadecimal in upper case: CUS1187A2AAE214E4540.
func NewIDs(country string, at time.Time) IDs {
	if len(country) != 2 {
		country = "ZZ" // ISO 3166-1's code for an unknown country
	}
	var b [4]byte
	rand.Read(b[:])
	rest := fmt.Sprintf("%s1%011X%05X", country, at.UnixMilli(), binary.BigEndian.Uint32(b[:])&0xFFFFF)
	return IDs{"C" + rest, "L" + rest}
}

// Save keeps the report of a transaction and returns its new ids. Saved twice
// for one transaction, the first report stays and its ids are returned.
func Save(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string, report enrich.Report, at time.Time) (IDs, error) {
	locations := report.Locations
	if locations == nil {
		locations = []enrich.Location{}
	}
	report.Locations = nil
	for range 10 { // ids of one millisecond can meet
		ids := NewIDs(report.Cleansed.Address.CountryISOCode, at)
		tag, err := db.Exec(ctx, `
			insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at)
			values (@company_id, @location_id, @tenant_id, @tx_id, @company, @locations, @at)
			on conflict do nothing`,
			pgx.StrictNamedArgs{
				"company_id": ids.Company, "location_id": ids.Location,
				"tenant_id": tenantID, "tx_id": txID,
				"company": report, "locations": locations, "at": at,
			})
		if err != nil {
			return IDs{}, fmt.Errorf("save report: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return ids, nil
		}
		saved, err := storage.One[struct{ CReportID, LReportID string }](ctx, db, `
			select c_report_id, l_report_id
			from reports
			where tenant_id = @tenant_id
			and tx_id = @tx_id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": txID})
		if err == nil {
			return IDs{saved.CReportID, saved.LReportID}, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return IDs{}, fmt.Errorf("save report: %w", err)
		}
	}
	return IDs{}, errors.New("save report: no free id")
}

// stored is a report as read for an inquiry.
type stored struct {
	CReportID string
	LReportID string
	TxID      string
	Company   enrich.Report
}

// reportOf returns the tenant's report of a transaction.
func reportOf(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (stored, error) {
	return readReport(ctx, db, tenantID, txID, "tx_id = @id", transactionNotFound())
}

// reportByID returns the tenant's report with this id, the company's or that of
// its locations.
func reportByID(ctx context.Context, db storage.DB, tenantID uuid.UUID, id string) (stored, error) {
	return readReport(ctx, db, tenantID, id, "(c_report_id = @id or l_report_id = @id)", reportNotFound())
}

func readReport(ctx context.Context, db storage.DB, tenantID uuid.UUID, id, where string, notFound error) (stored, error) {
	if !storable(id) {
		return stored{}, notFound
	}
	report, err := storage.One[stored](ctx, db, `
		select c_report_id, l_report_id, tx_id, company
		from reports
		where tenant_id = @tenant_id
		and `+where,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return stored{}, notFound
	}
	if err != nil {
		return stored{}, fmt.Errorf("read report: %w", err)
	}
	return report, nil
}

// locationsOf returns the locations of a report.
func locationsOf(ctx context.Context, db storage.DB, companyReportID string) ([]enrich.Location, error) {
	row, err := storage.One[struct{ Locations []enrich.Location }](ctx, db, `
		select locations
		from reports
		where c_report_id = @id`,
		pgx.StrictNamedArgs{"id": companyReportID})
	return row.Locations, err
}

// ReportCounts returns how many reports each tenant has.
func ReportCounts(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	return storage.CountByTenant(ctx, db, `
		select tenant_id, count(*) as count
		from reports
		where tenant_id = any(@ids)
		group by tenant_id`, tenantIDs)
}

// Reset removes all reports of the tenant, and the packages that it was not
// made with.
func Reset(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		with packages as (
			delete from data_packages
			where tenant_id = @tenant_id
			and extra
		)
		delete from reports
		where tenant_id = @tenant_id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
		return fmt.Errorf("reset data: %w", err)
	}
	return nil
}
