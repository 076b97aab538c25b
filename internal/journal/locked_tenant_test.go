package journal_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestLockedTenantDelaysNoOtherJournal locks a tenant, as its deletion does, while it and
// another tenant make calls. Those of the other tenant are written; its own are written, in
// order, once the tenant is free, and are dropped if it was deleted.
func TestLockedTenantDelaysNoOtherJournal(t *testing.T) {
	s := servertest.New(t)
	locked, deleted, other := s.NewTenant(`{}`), s.NewTenant(`{}`), s.NewTenant(`{}`)
	for _, tenant := range []*servertest.Tenant{locked, deleted, other} {
		tenant.Journal("") // writes the calls for its token
	}
	calls := func(tenant *servertest.Tenant) int {
		return servertest.Value[int](s, `
			select count(*)
			from calls
			where tenant_id = (select id from tenants where name = $1)
			and route like '%hooks%'`, tenant.Name)
	}
	lock := s.Lock("select from tenants where name = $1 for update", locked.Name)
	deletion := s.Lock("delete from tenants where name = $1", deleted.Name)
	for n := range 3 {
		for _, tenant := range []*servertest.Tenant{locked, deleted, other} {
			tenant.Do("GET /hooks/"+servertest.Absent, "").Want(t, http.StatusNotFound)
		}
		if listed := other.Journal(""); calls(other) != n+1 || listed[0].Route != "GET /hooks/{hook_id}" {
			t.Fatalf("%d calls of the other tenant are written, want %d", calls(other), n+1)
		}
	}
	if n := calls(locked); n != 0 {
		t.Errorf("%d calls of the locked tenant are written", n)
	}
	if stats := s.App.Journal.Stats(); stats.Queued != 6 || stats.QueuedBytes == 0 || stats.Lost != 0 {
		t.Errorf("while two tenants are locked: %+v, want 6 calls queued", stats)
	}
	locked.Do("GET /hooks", "").Want(t, http.StatusOK)
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := deletion.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	listed := locked.Journal("")
	if n := calls(locked); n != 4 || listed[0].Route != "GET /hooks" || listed[3].Route != "GET /hooks/{hook_id}" {
		t.Errorf("%d calls of the tenant are written once it is free, want 4: %+v", n, listed[0])
	}
	if n := servertest.Value[int](s, "select count(*) from calls where tenant_id not in (select id from tenants) and route <> ''"); n != 0 {
		t.Errorf("%d calls of a deleted tenant are written", n)
	}
	if stats := s.App.Journal.Stats(); stats.Queued > 0 || stats.QueuedBytes > 0 || stats.Lost != 0 {
		t.Errorf("after all was written: %+v", stats)
	}
}
