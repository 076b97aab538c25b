package control_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestCallsOfALockedTenantUseNoConnections makes calls that change a tenant while its row is
// locked, as by a long reset. They wait without a connection, which other tenants need.
func TestCallsOfALockedTenantUseNoConnections(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	lock := s.Lock("select from tenants for update")
	calls := slices.Repeat([]struct{ line, body string }{
		{"POST /faults", `{"route":"*","times":1}`},
		{"PUT /outcomes", `{"match":{"filename":"a.txt"},"status":"Failed"}`},
		{"PATCH /settings", `{"rate_limit":5}`},
		{"POST /clients/" + tenant.Credentials.ClientID + "/rotate", ``},
		{"POST /api-keys", ``},
	}, 2)
	var calling sync.WaitGroup
	for _, call := range calls {
		calling.Go(func() {
			if got := tenant.Control(call.line, call.body); got.Status != http.StatusOK && got.Status != http.StatusCreated {
				t.Errorf("%s: %d %s", call.line, got.Status, got.Body)
			}
		})
	}
	waiting := func() []string {
		return strings.Split(servertest.Value[string](s, `
			select coalesce(string_agg(query, ';'), '')
			from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`), ";")
	}
	servertest.Until(t, "a call waits", func() bool { return waiting()[0] != "" })
	for range 500 {
		if found := waiting(); len(found) > 1 {
			t.Fatalf("%d calls use a connection while they wait, want at most one: %q", len(found), found)
		}
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	calling.Wait()
}
