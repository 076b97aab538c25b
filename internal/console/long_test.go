package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestLongListsAndValues checks the lists of a busy tenant among hundreds of tenants,
// with values as long as clients can send them.
func TestLongListsAndValues(t *testing.T) {
	s := servertest.New(t)
	s.SeedConsole(1000, 1000, 1000)
	acme := s.Tenant("acme")
	for _, sql := range []string{
		`insert into tenants (id, name, created_at) select gen_random_uuid(), 'team-' || n || repeat('-with-a-long-name', n % 4), '2026-01-01' from generate_series(1, 300) n`,
		`update submissions set filename = repeat('Schedule of values ', 12) || '.xlsx' where created_at in (select created_at from submissions order by created_at desc limit 3)`,
		`update submissions set filename = repeat('x', 240) || '.xlsx' where created_at = (select max(created_at) from submissions)`,
		`update call_batches set paths = array[paths[1] || repeat('/segment', 60)], reasons = array[repeat('The reason is long. ', 20)], client_ids = array[repeat('client-', 20)] where statuses = array[404]`,
	} {
		if _, err := s.DB.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("long-", 40)
	acme.Control("POST /hooks", `{"name":"`+long+`","url":"http://127.0.0.1:9/`+long+`","events":["universal_submit","company_submit","quote_request","application_form","question_set","carrier"],"active":false}`).Want(t, http.StatusCreated)
	acme.Control("POST /faults", `{"route":"GET /hooks","status":503,"body":{"message":"`+long+`"}}`).Want(t, http.StatusCreated)
	acme.Control("PUT /outcomes", `{"match":{"filename":"`+long+`"},"status":"Failed"}`).Want(t, http.StatusOK)
	acme.Control("POST /events", `{"event":"quote_request:`+strings.Repeat("x", 60)+`","data":{}}`).Want(t, http.StatusOK)
	tab := consoletest.Open(t, s)
	for name, page := range map[string]string{
		"overview": "/?tenant=acme", "submissions": "/tenants/acme/submissions", "webhooks": "/tenants/acme/webhooks", "requests": "/tenants/acme/requests",
		"faults": "/tenants/acme/control?view=faults", "outcomes": "/tenants/acme/control?view=outcomes", "clients": "/tenants/acme/control?view=clients",
	} {
		tab.Go(page)
		tab.Inspect(name)
	}
	tab.Go("/tenants/acme/requests")
	tab.AwaitText("#calls", "/segment/segment")
	tab.Go("/tenants/acme/submissions")
	for range 2 {
		tab.Click(".older a:last-child")
		tab.AwaitText(".older", "Newest")
	}
	tab.Click(".older a")
	tab.AwaitTrue(`() => !location.search.includes('before')`)
	tab.Go(fmt.Sprintf("/tenants/acme/submissions/%s", servertest.Value[string](s, "select tx_id::text from submissions order by created_at desc limit 1")))
	tab.Inspect("submission")
}
