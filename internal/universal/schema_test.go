package universal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// violatedConstraint returns the constraint that err names, or the error code of
// a constraint without a name; "" if err is nil or another error.
func violatedConstraint(err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || !strings.HasPrefix(pg.Code, "23") {
		return ""
	}
	if pg.ConstraintName != "" {
		return pg.ConstraintName
	}
	return "code " + pg.Code
}

// TestSchemaAllowsOnlyKnownTransitions checks that the database itself refuses
// any other order of states.
func TestSchemaAllowsOnlyKnownTransitions(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	allowed := []string{
		Pending + InProgress, InProgress + Scheduled, Scheduled + Started, Started + Completed, Started + Failed,
		Pending + Scheduled, Pending + Started, InProgress + Started, // states in between are reached at the same time
	}
	for _, from := range States {
		for _, to := range States {
			id := insertSubmission(t, db, tenantID, from)
			var set []string
			for name, value := range columns(to) {
				set = append(set, name+" = "+value)
			}
			_, err := db.Exec(t.Context(), "update submissions set "+strings.Join(set, ", ")+" where tx_id = $1", id)
			want := from
			if from == to || slices.Contains(allowed, from+to) {
				want = to
				if err != nil {
					t.Errorf("%s to %s: %v", from, to, err)
				}
			} else if violatedConstraint(err) != "code 23514" {
				t.Errorf("%s to %s: error %v, want a check violation", from, to, err)
			}
			if got := statusOf(t, db, id); !strings.HasPrefix(got, want) {
				t.Errorf("%s to %s: status %s, want %s", from, to, got, want)
			}
		}
	}
}

// TestSchemaRefusesInconsistentSubmissions checks the constraints on a
// submission's row and timeline.
func TestSchemaRefusesInconsistentSubmissions(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
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
		id := insertSubmission(t, db, tenantID, c.state)
		_, err := db.Exec(t.Context(), "update submissions set "+c.set+" where tx_id = $1", id)
		if got := violatedConstraint(err); got != c.constraint {
			t.Errorf("%s submission, set %s: violated constraint %q (%v), want %q", c.state, c.set, got, err, c.constraint)
		}
	}
	id := insertSubmission(t, db, tenantID, Pending)
	insert := fmt.Sprintf("insert into submission_timeline (tx_id, status, at, real_at) values ('%s', 'Started', now(), now())", id)
	if _, err := db.Exec(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), insert); violatedConstraint(err) != "submission_timeline_pkey" {
		t.Errorf("state reached twice: %v", err)
	}
}

// TestSchemaRefusesInconsistentTenants checks the constraints on the tables that
// submissions refer to, directly or by their caller.
func TestSchemaRefusesInconsistentTenants(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	const hash = `'\x0000000000000000000000000000000000000000000000000000000000000000'`
	for _, c := range []struct{ sql, constraint string }{
		{"insert into tenants (id, name, created_at) values ($1, 'other', now())", "tenants_pkey"},
		{"insert into tenants (id, name, created_at) select gen_random_uuid(), name, now() from tenants where id = $1", "tenants_name_key"},
		{"update tenants set name = 'Not a/path' where id = $1", "tenants_name_check"},
		{"update tenants set name = '' where id = $1", "tenants_name_check"},
		{"insert into api_keys (hash, tenant_id, created_at) values ('short', $1, now())", "api_keys_hash_check"},
		{"insert into api_keys (hash, tenant_id, created_at) select " + hash + ", gen_random_uuid(), now() where $1::uuid is not null", "api_keys_tenant_id_fkey"},
		{"insert into clients values ('', $1, $1, " + hash + ", '', '', '{}', now())", "clients_id_check"},
		{"insert into clients values ('c', $1, $1, 'short', '', '', '{}', now())", "clients_secret_hash_check"},
	} {
		_, err := db.Exec(t.Context(), c.sql, tenantID)
		if got := violatedConstraint(err); got != c.constraint {
			t.Errorf("%s: violated constraint %q (%v), want %q", c.sql, got, err, c.constraint)
		}
	}
}
