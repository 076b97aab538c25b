package data

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/enrich"
	"understudy.example/internal/storage/storagetest"
)

// at is the time at which the reports are saved.
var at = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// newTenant creates a tenant in a database of the test's own.
func newTenant(t *testing.T) (*pgxpool.Pool, uuid.UUID) {
	t.Helper()
	db, id := storagetest.DB(t), uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'acme', $2)", id, at); err != nil {
		t.Fatal(err)
	}
	return db, id
}

func TestNewIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Z]{2}1[0-9A-F]{11}[0-9A-F]{5}$`)
	for country, want := range map[string]string{"US": "US", "GB": "GB", "": "ZZ", "USA": "ZZ"} {
		ids := newReportIDs(country, at)
		company, isCompany := strings.CutPrefix(ids.Company, "C")
		location, isLocation := strings.CutPrefix(ids.Location, "L")
		if !isCompany || !isLocation || company != location || !form.MatchString(company) || company[:2] != want {
			t.Errorf("country %q: ids %+v", country, ids)
		}
		if !strings.HasPrefix(company[2:], "119CADC69A80") { // at, in milliseconds
			t.Errorf("country %q: ids %+v do not start with the time", country, ids)
		}
	}
}

// TestSaveKeepsFirstReport checks that a transaction has one report, whatever is
// saved later.
func TestSaveKeepsFirstReport(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	var first ReportIDs
	for i, name := range []string{"first", "second"} {
		ids, err := SaveReport(t.Context(), db, auth.Tenant{ID: tenantID}, "tx", encode(t, enrich.Report{Seed: enrich.Seed{CompanyName: name}}), at, at)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = ids
		}
		if ids != first {
			t.Errorf("ids %+v, want %+v", ids, first)
		}
	}
	report, err := reportByTransaction(t.Context(), db, tenantID, "tx")
	if err != nil {
		t.Fatal(err)
	}
	company, err := report.company(t.Context(), db)
	if err != nil || company.Seed.CompanyName != "first" {
		t.Errorf("company %+v, %v; want the first", company, err)
	}
	if _, err := reportByTransaction(t.Context(), db, uuid.New(), "tx"); err == nil {
		t.Error("another tenant can read the report")
	}
}

// TestIDsOfOneMillisecondDiffer saves so many reports in one millisecond that the
// random part of their ids matters.
func TestIDsOfOneMillisecondDiffer(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	seen := map[ReportIDs]bool{}
	for range 100 {
		ids, err := SaveReport(t.Context(), db, auth.Tenant{ID: tenantID}, uuid.NewString(), encode(t, enrich.Report{}), at, at)
		if err != nil || seen[ids] {
			t.Fatalf("ids %+v, %v", ids, err)
		}
		seen[ids] = true
	}
}

// encode returns the report in the form in which it is stored.
func encode(t *testing.T, report enrich.Report) EncodedReport {
	t.Helper()
	encoded, err := EncodeReport(report)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
