package control_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/server/servertest"
)

// TestDeleteTenantDeletesItsRows checks that a deleted tenant has no rows left in
// any table, though not every table has a foreign key, and that those of others
// stay.
func TestDeleteTenantDeletesItsRows(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant, other := s.NewTenant(`{"pacing":{"mode":"immediate"}}`), s.NewTenant(`{}`)
	id := s.Control("GET /tenants/"+tenant.Name, "").Want(t, http.StatusOK).Text(t, "tenant_uuid")
	tenant.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["*"]}`).Want(t, http.StatusCreated)
	tenant.Control("POST /faults", `{"route":"/hooks","status":503,"times":1}`).Want(t, http.StatusCreated)
	tenant.AwaitEnd(tenant.SubmitFile("letter.fail.txt", []byte("hello")))
	tenant.Control("GET /await?event=delivery", "").Want(t, http.StatusOK)
	countRows := func() map[string]int {
		other.Journal("") // writes the queued calls of all tenants
		counts := map[string]int{}
		tables, err := s.DB.Query(t.Context(), `
			select c.table_name
			from information_schema.columns c
			join information_schema.tables t using (table_schema, table_name)
			where c.table_schema = current_schema()
			and c.column_name = 'tenant_id'
			and t.table_type = 'BASE TABLE'`)
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(tables, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if n := servertest.Value[int](s, "select count(*) from "+name+" where tenant_id = $1", id); n > 0 {
				counts[name] = n
			}
		}
		return counts
	}
	before := countRows()
	for _, name := range []string{"call_batches", "feed", "attempt_batches", "events", "deliveries", "faults", "submissions", "clients"} {
		if before[name] == 0 {
			t.Errorf("the test leaves %s empty: %v", name, before)
		}
	}
	s.Control("DELETE /tenants/"+tenant.Name, "").Want(t, http.StatusNoContent)
	if left := countRows(); len(left) > 0 {
		t.Errorf("rows left: %v", left)
	}
	if list := other.Control("GET /requests", "").Want(t, http.StatusOK).Get(t, "requests").([]any); len(list) == 0 {
		t.Error("another tenant's journal was deleted too")
	}
}
