package data

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestSchemaRefusesInconsistentData checks the constraints on data packages and
// reports.
func TestSchemaRefusesInconsistentData(t *testing.T) {
	t.Parallel()
	db, tenantID := newTenant(t)
	report := func(company, location string) string {
		return "insert into reports values ('" + company + "', '" + location + "', $1, 'tx', '{}', '[]', now(), now())"
	}
	for _, c := range []struct{ sql, constraint string }{
		{"insert into data_packages values ($1, 'p', 'other')", "data_packages_kind_check"},
		{"insert into data_packages values ($1, '', 'company')", "data_packages_id_check"},
		{"insert into data_packages values ($1, 'p-c0001', 'company'), ($1, 'p-c0001', 'company')", "data_packages_pkey"},
		{"insert into data_packages (tenant_id, id, kind, content) values ($1, 'p', 'location', 'auto')", "content_tells_kind"},
		{"insert into data_packages (tenant_id, id, kind, content) values ($1, 'p', 'company', 'property')", "content_tells_kind"},
		{"insert into data_packages (tenant_id, id, kind, content) values ($1, 'p', 'company', 'other')", "data_packages_content_check"},
		{"insert into data_packages (tenant_id, id, kind, content, fields) values ($1, 'p', 'company', 'auto', '{a}')", "content_or_fields"},
		{"insert into data_packages values ($1, 'p-c0001', 'company', '{}')", "data_packages_fields_check"},
		{report("LUS1", "LUS1"), "reports_c_report_id_check"},
		{report("cus1", "LUS1"), "reports_c_report_id_check"},
		{report("CUS1", "CUS1"), "reports_l_report_id_check"},
		{report("CUS1", "LUS1") + ", ('CUS2', 'LUS2', $1, 'tx', '{}', '[]', now(), now())", "reports_tenant_id_tx_id_key"},
		{report("CUS1", "LUS1") + ", ('CUS2', 'LUS1', $1, 'tx2', '{}', '[]', now(), now())", "reports_l_report_id_key"},
	} {
		_, err := db.Exec(t.Context(), c.sql, tenantID)
		var violation *pgconn.PgError
		if !errors.As(err, &violation) || violation.ConstraintName != c.constraint {
			t.Errorf("%s: error %v, want a violation of %s", c.sql, err, c.constraint)
		}
	}
}
