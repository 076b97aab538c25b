// Package data stores reports and data packages, and responds to inquiries for reports
// in the shape of each version. It does not know how a report is made.
package data

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/enrich"
	"understudy.example/internal/storage"
)

// ReportIDs are the ids of a report: one for the company and one for the locations.
type ReportIDs struct{ Company, Location string }

// newReportIDs returns new report ids for a company of the country, in the service's
// form: C or L, the two-letter country code, 1, eleven digits of Unix milliseconds
// and five random ones, hexadecimal in upper case: CUS1187A2AAE214E4540.
func newReportIDs(country string, at time.Time) ReportIDs {
	var b [4]byte
	rand.Read(b[:])
	return reportIDs(country, fmt.Sprintf("%011X%05X", at.UnixMilli(), binary.BigEndian.Uint32(b[:])&0xFFFFF))
}

// reportIDs returns the report ids with the sixteen digits.
func reportIDs(country, digits string) ReportIDs {
	if len(country) != 2 {
		country = "ZZ" // the code of ISO 3166-1 for an unknown country
	}
	return ReportIDs{"C" + country + "1" + digits, "L" + country + "1" + digits}
}

// EncodedReport is a report in the form in which SaveReport stores it.
type EncodedReport struct {
	country            string // of the company
	company, locations string // JSON
}

// EncodeReport encodes a report.
func EncodeReport(report enrich.Report) (EncodedReport, error) {
	locations := report.Locations
	if locations == nil {
		locations = []enrich.Location{}
	}
	report.Locations = nil
	companyText, err := json.Marshal(report)
	if err != nil {
		return EncodedReport{}, fmt.Errorf("encode report: %w", err)
	}
	locationsText, err := json.Marshal(locations)
	if err != nil {
		return EncodedReport{}, fmt.Errorf("encode locations: %w", err)
	}
	return EncodedReport{report.Cleansed.Address.CountryISOCode, string(companyText), string(locationsText)}, nil
}

// SaveReport stores the report of a transaction and returns its new ids. If the
// transaction already has a report, that report stays, and SaveReport returns its ids.
// at is the tenant's time, now the real time.
func SaveReport(ctx context.Context, db storage.DB, tenant auth.Tenant, txID string, report EncodedReport, at, now time.Time) (ReportIDs, error) {
	for attempts := range auth.IDAttempts { // ids of one millisecond can collide
		ids := newReportIDs(report.country, at)
		if tenant.Settings.IDSeed != nil {
			seeded, err := auth.NewIDAfter(ctx, db, auth.ReportID, tenant, attempts)
			if err != nil {
				return ReportIDs{}, fmt.Errorf("save report: %w", err)
			}
			ids = reportIDs(report.country, fmt.Sprintf("%X", seeded[8:]))
		}
		tag, err := db.Exec(ctx, `
			insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at, saved_at)
			values (@company_id, @location_id, @tenant_id, @tx_id, @company, @locations, @at, @now)
			on conflict do nothing`,
			pgx.StrictNamedArgs{
				"company_id": ids.Company, "location_id": ids.Location,
				"tenant_id": tenant.ID, "tx_id": txID,
				"company": report.company, "locations": report.locations, "at": at, "now": now,
			})
		if err != nil {
			return ReportIDs{}, fmt.Errorf("save report: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return ids, nil
		}
		saved, err := storage.One[struct{ CReportID, LReportID string }](ctx, db, `
			select c_report_id, l_report_id
			from reports
			where tenant_id = @tenant_id
			and tx_id = @tx_id`,
			pgx.StrictNamedArgs{"tenant_id": tenant.ID, "tx_id": txID})
		if err == nil {
			return ReportIDs{saved.CReportID, saved.LReportID}, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return ReportIDs{}, fmt.Errorf("save report: %w", err)
		}
	}
	return ReportIDs{}, errors.New("save report: no unused id found")
}

// storedReport is a report as inquiries find it, without its company and locations.
type storedReport struct {
	CReportID string
	LReportID string
	TxID      string
	CreatedAt time.Time // tenant's time
	Version   uint32    // of the row

	// Sizes in bytes as they are stored, which is compressed.
	CompanyBytes, LocationsBytes int64
}

// reportByTransaction returns the tenant's report of the transaction.
func reportByTransaction(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string) (storedReport, error) {
	report, err := storage.One[storedReport](ctx, db, `
		select report.*
		from (select @tenant_id::uuid as tenant_id, @id::text as id) wanted
		cross join lateral (`+selectReport(ofTransaction)+`) report`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": api.CanonicalID(txID)})
	if errors.Is(err, pgx.ErrNoRows) {
		return storedReport{}, transactionNotFound()
	}
	if err != nil {
		return storedReport{}, fmt.Errorf("read report: %w", err)
	}
	return report, nil
}

// Conditions that select a report.
const (
	ofTransaction = "tx_id = wanted.id"
	withReportID  = "(c_report_id = wanted.id or l_report_id = wanted.id)"
)

// selectReport selects the report of the tenant that meets the condition. The statement has
// the tenant and the id in a row of wanted.
func selectReport(condition string) string {
	return `
		select
			c_report_id, l_report_id, tx_id, created_at, xmin as version,
			pg_column_size(company)::bigint as company_bytes, pg_column_size(locations)::bigint as locations_bytes
		from reports
		where tenant_id = wanted.tenant_id
		and ` + condition
}

// wanted is what an inquiry names: a package, as for packageFor, and a report.
type wanted struct {
	tenantID            uuid.UUID
	packageID, kind, id string
}

// packageAndReport is the package of packageFor, and the report; nil if there is none.
type packageAndReport struct {
	Package
	report *storedReport
}

// newLookup returns a lookup of packages and of reports that the condition selects.
func newLookup(db storage.DB, condition string) *storage.Lookup[wanted, packageAndReport] {
	query := `
		select
			wanted.position, package.id, package.kind, package.content, array_to_string(package.fields, ','),
			c_report_id, l_report_id, tx_id, created_at, version, company_bytes, locations_bytes
		from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
			with ordinality wanted (tenant_id, package_id, kind, id, position)
		cross join lateral (` + selectPackage + `) package
		left join lateral (` + selectReport(condition) + `) report on true`
	return storage.NewLookup(func(ctx context.Context, keys []wanted) (map[wanted]packageAndReport, error) {
		n := len(keys)
		tenantIDs, packageIDs, kinds, ids := make([]uuid.UUID, n), make([]string, n), make([]string, n), make([]string, n)
		for i, key := range keys {
			tenantIDs[i], packageIDs[i], kinds[i], ids[i] = key.tenantID, key.packageID, key.kind, key.id
		}
		found := make(map[wanted]packageAndReport, n)
		args := []any{pgtype.FlatArray[uuid.UUID](tenantIDs), pgtype.FlatArray[string](packageIDs), pgtype.FlatArray[string](kinds), pgtype.FlatArray[string](ids)}
		err := storage.AllValues(ctx, db, query, args, func(row *storage.Values) {
			key := keys[row.Int64()-1]
			one := packageAndReport{Package: Package{ID: row.Text(), Kind: row.Text(), Content: row.OptionalText()}}
			if fields := row.OptionalText(); fields != nil {
				one.Fields = strings.Split(*fields, ",")
			}
			if !row.IsNull() {
				one.report = &storedReport{row.Text(), row.Text(), row.Text(), row.Time(), row.Uint32(), row.Int64(), row.Int64()}
			}
			found[key] = one
		})
		return found, err
	})
}

// find returns the package and the report; nil if there is none. The errors are those of
// packageFor.
func find(ctx context.Context, lookup *storage.Lookup[wanted, packageAndReport], key wanted) (Package, *storedReport, error) {
	found, exists, err := lookup.Find(ctx, key)
	if err == nil && !exists {
		err = pgx.ErrNoRows
	}
	if err := checkPackage(found.Package, key.kind, err); err != nil {
		return Package{}, nil, err
	}
	return found.Package, found.report, nil
}

// companyMemory is how many times more memory a company needs while it is decoded and
// rendered than in its stored form, which is compressed.
const companyMemory = 16

// company reads the company of the report.
func (r storedReport) company(ctx context.Context, db storage.DB) (enrich.Report, error) {
	company, err := storage.One[struct{ Company enrich.Report }](ctx, db, `
		select company
		from reports
		where c_report_id = @id
		and created_at = @created_at`,
		pgx.StrictNamedArgs{"id": r.CReportID, "created_at": r.CreatedAt})
	if errors.Is(err, pgx.ErrNoRows) {
		return enrich.Report{}, reportNotFound()
	}
	if err != nil {
		return enrich.Report{}, fmt.Errorf("read company: %w", err)
	}
	return company.Company, nil
}

// ReportCounts returns the number of reports of each tenant.
func ReportCounts(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	return auth.CountByTenant(ctx, db, `
		select tenant_id, count(*) as count
		from reports
		where tenant_id = any(@ids)
		group by tenant_id`, tenantIDs)
}

// DeleteMost deletes the tenant's reports in batches if there are many, and reports
// whether there were. The batches are small, because a report can have several megabytes.
func DeleteMost(ctx context.Context, db storage.DB, tenantID uuid.UUID) (many bool, err error) {
	return storage.DeleteMost(ctx, db, tenantID, "reports", "tx_id", 500)
}

// Reset deletes the tenant's reports and the packages that CreatePackage added.
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

// Report returns the tenant's report of the transaction with its locations, and the
// tenant's time at which it was made. The caller must release the memory that it takes.
func Report(ctx context.Context, db storage.DB, budget *api.Budget, tenantID uuid.UUID, txID string) (report enrich.Report, at time.Time, room *api.Room, err error) {
	stored, err := reportByTransaction(ctx, db, tenantID, txID)
	if err != nil {
		return report, at, nil, err
	}
	room, err = budget.Reserve(ctx, tenantID, 2*companyMemory*(stored.CompanyBytes+stored.LocationsBytes))
	if err != nil {
		return report, at, nil, err
	}
	whole, err := storage.One[struct {
		Company   enrich.Report
		Locations []enrich.Location
	}](ctx, db, `
		select company, locations
		from reports
		where tenant_id = @tenant_id
		and c_report_id = @id
		and created_at = @created_at`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": stored.CReportID, "created_at": stored.CreatedAt})
	if err != nil {
		room.Release()
		if errors.Is(err, pgx.ErrNoRows) {
			err = reportNotFound()
		}
		return report, at, nil, err
	}
	whole.Company.Locations = whole.Locations
	return whole.Company, stored.CreatedAt, room, nil
}
