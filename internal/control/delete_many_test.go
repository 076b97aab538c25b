package control_test

import (
	"fmt"
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestTenantWithManyRows deletes and resets a tenant that has more rows than one
// transaction deletes. No statement deletes more than a batch, a call that is interrupted
// between two batches is finished by the next one, and other tenants keep their rows.
func TestTenantWithManyRows(t *testing.T) {
	for name, test := range map[string]struct {
		line   string
		status int
	}{
		"deletion": {"DELETE /tenants/%s", http.StatusNoContent},
		"reset":    {"POST /tenants/%s/reset", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			tenant, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
			for _, of := range []*servertest.Tenant{tenant, other} {
				former, hookID := of.Subscribe("http://127.0.0.1:1/"), of.Subscribe("http://127.0.0.1:1/")
				txID, uploadURL := of.Announce("letter.txt")
				s.Upload(uploadURL, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
				s.Publish(of.Name, "a:first")
				s.MultiplyDeliveries(former, 3000)
				s.MultiplyDeliveries(hookID, 9000)
				of.Do("DELETE /hooks/"+former, "").Want(t, http.StatusNoContent)
				s.Exec(`
					insert into submissions
					select (jsonb_populate_record(s, jsonb_build_object('tx_id', gen_random_uuid(), 'object_key', object_key || n))).*
					from submissions s
					cross join generate_series(1, 1999) n
					where tx_id = $1`, txID)
				s.Exec(`
					insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at, saved_at)
					select 'CUS' || upper(replace(tx_id::text, '-', '')), 'LUS' || upper(replace(tx_id::text, '-', '')), tenant_id, tx_id, '{}', '[]', created_at, created_at
					from submissions
					where tenant_id = (select id from tenants where name = $1)`, of.Name)
			}
			id, otherID := s.TenantID(tenant.Name), s.TenantID(other.Name)
			before := map[string]int{"deliveries": 12_002, "events": 12_001, "submissions": 2000, "reports": 2000}
			limits := map[string]int{"deliveries": 5000, "events": 5000, "submissions": 500, "reports": 500}
			check := func(when string, tenantID any, want map[string]int) {
				t.Helper()
				for table, n := range want {
					if got := servertest.Value[int](s, "select count(*) from "+table+" where tenant_id = $1", tenantID); got != n {
						t.Errorf("%s, %d rows in %s, want %d", when, got, table, n)
					}
				}
			}
			check("before", id, before)
			for table := range limits {
				s.CountDeletes(table)
			}
			s.FailDeletes("events", 1)
			call := fmt.Sprintf(test.line, tenant.Name)
			s.Control(call, "").Want(t, http.StatusInternalServerError)
			check("after an interruption", id, map[string]int{"deliveries": 7002, "events": 7001, "submissions": 0, "reports": 2000})
			s.FailDeletes("events", -1)
			s.Control(call, "").Want(t, test.status)
			check("at the end", id, map[string]int{"deliveries": 0, "events": 0, "submissions": 0, "reports": 0, "hooks": 0, "deleted_hooks": 0})
			check("at the end, of another tenant", otherID, before)
			for table, limit := range limits {
				statements := s.Deletes(table)
				for _, n := range statements {
					if n > limit {
						t.Errorf("a statement deleted %d rows of %s", n, table)
					}
				}
				if len(statements) < before[table]/limit {
					t.Errorf("%s: %v", table, statements)
				}
			}
			if files := s.StoredFiles(); len(files) != 1 {
				t.Errorf("%d files are left, want that of the other tenant", len(files))
			}
		})
	}
}
