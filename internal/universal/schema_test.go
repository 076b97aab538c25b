package universal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Main() // a reader is this binary too
	storagetest.Main(m)
}

var at = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// tenant makes a tenant in a database of the test's own.
func tenant(t *testing.T) (*pgxpool.Pool, uuid.UUID) {
	t.Helper()
	db, id := storagetest.DB(t), uuid.New()
	if _, err := db.Exec(t.Context(), "insert into tenants (id, name, created_at) values ($1, 'acme', $2)", id, at); err != nil {
		t.Fatal(err)
	}
	return db, id
}

var states = []string{Pending, InProgress, Scheduled, Started, Completed, Failed}

// columns are what a row in the state has beside its id, as SQL.
func columns(state string) map[string]string {
	const moment = "'2026-03-02T09:00:00Z'"
	all := map[string]string{
		"status": "'" + state + "'", "started_at": "null", "finished_at": "null", "due_at": "null",
		"object_key": "'acme/a'", "size": "1", "sha256": `'\x` + strings.Repeat("00", 32) + "'", "uploaded_at": moment,
		"failure": "null", "c_report_id": "null", "l_report_id": "null",
	}
	if state != Pending {
		all["started_at"] = moment
	}
	switch state {
	case InProgress, Scheduled, Started:
		all["due_at"] = moment
	case Completed:
		all["finished_at"], all["c_report_id"], all["l_report_id"] = moment, "'CUS1'", "'LUS1'"
	case Failed:
		all["finished_at"], all["failure"] = moment, "'unreadable'"
	}
	return all
}

// submissionIn makes a row in the state.
func submissionIn(t *testing.T, db *pgxpool.Pool, tenantID uuid.UUID, state string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	names, values := "tx_id, tenant_id, user_id, filename, created_at, upload_expires_at", "$1, $2, $1, 'a.txt', $3, $3"
	for name, value := range columns(state) {
		names, values = names+", "+name, values+", "+value
	}
	if _, err := db.Exec(t.Context(), "insert into submissions ("+names+") values ("+values+")", id, tenantID, at); err != nil {
		t.Fatalf("row in %s: %v", state, err)
	}
	return id
}

// violated is the constraint that err says was violated; "" when it is another
// error, or none.
func violated(err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || !strings.HasPrefix(pg.Code, "23") {
		return ""
	}
	if pg.ConstraintName != "" {
		return pg.ConstraintName
	}
	return "code " + pg.Code
}

// TestSchemaMoves: which state may follow which, the schema knows itself.
func TestSchemaMoves(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	allowed := []string{
		Pending + InProgress, InProgress + Scheduled, Scheduled + Started, Started + Completed, Started + Failed,
	}
	for _, from := range states {
		for _, to := range states {
			id := submissionIn(t, db, tenantID, from)
			var set []string
			for name, value := range columns(to) {
				set = append(set, name+" = "+value)
			}
			_, err := db.Exec(t.Context(), "update submissions set "+strings.Join(set, ", ")+" where tx_id = $1", id)
			if may := from == to || slices.Contains(allowed, from+to); may != (err == nil) || !may && violated(err) != "code 23514" {
				t.Errorf("%s after %s: %v", to, from, err)
			}
			var status string
			if err := db.QueryRow(t.Context(), "select status from submissions where tx_id = $1", id).Scan(&status); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: to, false: from}[err == nil]; status != want {
				t.Errorf("%s after %s: row is %s", to, from, status)
			}
		}
	}
}

// TestSchemaRefuses: rows that can't be.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	for _, c := range []struct{ state, set, constraint string }{
		{Pending, "status = 'Review'", "code 23514"},
		{Pending, "filename = ''", "submissions_filename_check"},
		{Pending, "filename = repeat('a', 256)", "submissions_filename_check"},
		{Pending, "filename = repeat('é', 128)", "submissions_filename_check"},
		{Pending, "filename = null", "code 23502"},
		{Pending, "tenant_id = gen_random_uuid()", "submissions_tenant_id_fkey"},
		{Pending, "size = 0", "submissions_size_check"},
		{Pending, "size = -1", "submissions_size_check"},
		{Pending, `sha256 = '\x00'`, "submissions_sha256_check"},
		{Pending, "object_key = null", "upload_is_whole"},
		{Pending, "size = null", "upload_is_whole"},
		{Pending, "sha256 = null", "upload_is_whole"},
		{Pending, "uploaded_at = null", "upload_is_whole"},
		{Pending, "started_at = created_at", "triggered_has_file_and_start"},
		{InProgress, "started_at = null", "triggered_has_file_and_start"},
		{InProgress, "object_key = null, size = null, sha256 = null, uploaded_at = null", "triggered_has_file_and_start"},
		{Completed, "object_key = null, size = null, sha256 = null, uploaded_at = null", "triggered_has_file_and_start"},
		{Pending, "finished_at = created_at", "final_has_end"},
		{Started, "finished_at = created_at", "final_has_end"},
		{Completed, "finished_at = null", "final_has_end"},
		{Failed, "finished_at = null", "final_has_end"},
		{Pending, "due_at = created_at", "due_until_final"},
		{InProgress, "due_at = null", "due_until_final"},
		{Scheduled, "due_at = null", "due_until_final"},
		{Started, "due_at = null", "due_until_final"},
		{Completed, "due_at = created_at", "due_until_final"},
		{Failed, "due_at = created_at", "due_until_final"},
		{Completed, "c_report_id = null, l_report_id = null", "completed_has_reports"},
		{Completed, "l_report_id = null", "completed_has_reports"},
		{Failed, "c_report_id = 'CUS1', l_report_id = 'LUS1'", "completed_has_reports"},
		{Started, "l_report_id = 'LUS1'", "completed_has_reports"},
		{Failed, "failure = null", "failed_has_reason"},
		{Completed, "failure = 'unreadable'", "failed_has_reason"},
		{Pending, "failure = 'unreadable'", "failed_has_reason"},
	} {
		id := submissionIn(t, db, tenantID, c.state)
		_, err := db.Exec(t.Context(), "update submissions set "+c.set+" where tx_id = $1", id)
		if got := violated(err); got != c.constraint {
			t.Errorf("%s row, %s: violates %q (%v), want %s", c.state, c.set, got, err, c.constraint)
		}
	}
	id := submissionIn(t, db, tenantID, Pending)
	note := fmt.Sprintf("insert into submission_timeline (tx_id, status, at) values ('%s', 'Started', now())", id)
	if _, err := db.Exec(t.Context(), note); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), note); violated(err) != "submission_timeline_pkey" {
		t.Errorf("a state reached twice: %v", err)
	}
}

// TestSchemaRefusesElsewhere: the tables that submissions lean on.
func TestSchemaRefusesElsewhere(t *testing.T) {
	t.Parallel()
	db, tenantID := tenant(t)
	const hash = `'\x0000000000000000000000000000000000000000000000000000000000000000'`
	report := func(company, location string) string {
		return "insert into reports values ('" + company + "', '" + location + "', $1, 'tx', '{}', '[]', now())"
	}
	for _, c := range []struct{ sql, constraint string }{
		{"insert into tenants (id, name, created_at) values ($1, 'other', now())", "tenants_pkey"},
		{"insert into tenants (id, name, created_at) select gen_random_uuid(), name, now() from tenants where id = $1", "tenants_name_key"},
		{"update tenants set name = 'Not a/path' where id = $1", "tenants_name_check"},
		{"update tenants set name = '' where id = $1", "tenants_name_check"},
		{"insert into api_keys values ('short', $1, now())", "api_keys_hash_check"},
		{"insert into api_keys select " + hash + ", gen_random_uuid(), now() where $1::uuid is not null", "api_keys_tenant_id_fkey"},
		{"insert into clients values ('', $1, $1, " + hash + ", '', '', '{}', now())", "clients_id_check"},
		{"insert into clients values ('c', $1, $1, 'short', '', '', '{}', now())", "clients_secret_hash_check"},
		{"insert into data_packages values ($1, 'p', 'other')", "data_packages_kind_check"},
		{"insert into data_packages values ($1, '', 'company')", "data_packages_id_check"},
		{"insert into data_packages values ($1, 'p-c0001', 'company'), ($1, 'p-c0001', 'company')", "data_packages_pkey"},
		{"insert into data_packages values ($1, 'p-c0001', 'location')", "id_tells_kind"},
		{"insert into data_packages values ($1, 'p', 'company')", "id_tells_kind"},
		{"insert into data_packages values ($1, 'p-c0001', 'company', '{}')", "data_packages_fields_check"},
		{report("LUS1", "LUS1"), "reports_c_report_id_check"},
		{report("cus1", "LUS1"), "reports_c_report_id_check"},
		{report("CUS1", "CUS1"), "reports_l_report_id_check"},
		{report("CUS1", "LUS1") + ", ('CUS2', 'LUS2', $1, 'tx', '{}', '[]', now())", "reports_tenant_id_tx_id_key"},
		{report("CUS1", "LUS1") + ", ('CUS2', 'LUS1', $1, 'tx2', '{}', '[]', now())", "reports_l_report_id_key"},
	} {
		_, err := db.Exec(t.Context(), c.sql, tenantID)
		if got := violated(err); got != c.constraint {
			t.Errorf("%s: violates %q (%v), want %s", c.sql, got, err, c.constraint)
		}
	}
}
