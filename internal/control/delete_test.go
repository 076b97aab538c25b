package control_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
)

// TestNothingLeft: a deleted tenant has no rows in any table, though not every
// table has a foreign key; another's stay.
func TestNothingLeft(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x, other := w.NewTenant(`{"pacing":{"mode":"immediate"}}`), w.NewTenant(`{}`)
	id := w.Control("GET /tenants/"+x.name, "").Want(t, http.StatusOK).Text(t, "tenant_uuid")
	x.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["*"]}`).Want(t, http.StatusCreated)
	x.Control("POST /faults", `{"route":"/hooks","status":503,"times":1}`).Want(t, http.StatusCreated)
	x.AwaitEnd(x.SubmitFile("servertest.Letter.fail.txt", "hello"))
	x.Control("GET /await?event=delivery", "").Want(t, http.StatusOK)
	rows := func() (in map[string]int) {
		x.Control("GET /tenants/"+other.name+"/requests", "").Want(t, http.StatusOK) // writes the journal
		in = map[string]int{}
		tables, err := w.DB.Query(t.Context(), `
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
			var count int
			if err := w.DB.QueryRow(t.Context(), "select count(*) from "+name+" where tenant_id = $1", id).Scan(&count); err != nil {
				t.Fatal(err)
			}
			if count > 0 {
				in[name] = count
			}
		}
		return in
	}
	before := rows()
	for _, name := range []string{"requests", "feed", "attempted", "events", "deliveries", "faults", "submissions", "clients"} {
		if before[name] == 0 {
			t.Errorf("the test leaves %s empty: %v", name, before)
		}
	}
	w.Control("DELETE /tenants/"+x.name, "").Want(t, http.StatusNoContent)
	if left := rows(); len(left) > 0 {
		t.Errorf("rows left: %v", left)
	}
	if list := other.Control("GET /requests", "").Want(t, http.StatusOK).Get(t, "requests").([]any); len(list) == 0 {
		t.Error("another tenant's journal went too")
	}
}

// TestFeedBound: the newest 10,000 entries of a tenant stay, whether or not
// anybody calls.
func TestFeedBound(t *testing.T) {
	w := servertest.New(t)
	if _, err := w.DB.Exec(t.Context(), `
		insert into feed (tenant_id, at, kind, event, data)
		select id, now() + n * interval '1 second', 'state', 'test:written', '{}'
		from tenants, generate_series(1, case name when 'acme' then 10300 else 5 end) n
		where name in ('acme', 'globex')`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := feed.Bound(t.Context(), w.DB); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{"acme": 10_000, "globex": 5} {
			var kept int
			var oldest, newest time.Duration
			if err := w.DB.QueryRow(t.Context(), `
				select count(*), min(at) - now(), max(at) - now()
				from feed
				where tenant_id = (select id from tenants where name = $1)`, name).Scan(&kept, &oldest, &newest); err != nil {
				t.Fatal(err)
			}
			if kept != want || newest < oldest {
				t.Errorf("%s keeps %d entries, want %d", name, kept, want)
			}
			if name == "acme" && newest-oldest != 9_999*time.Second {
				t.Errorf("the newest are not those kept: %s to %s", oldest, newest)
			}
		}
	}
}
