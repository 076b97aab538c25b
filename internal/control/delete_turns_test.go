package control_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestDeletionsLeaveConnectionsToOthers holds up the deletions of several tenants with many rows.
// Meanwhile, another tenant can move its clock.
func TestDeletionsLeaveConnectionsToOthers(t *testing.T) {
	s := servertest.New(t)
	var large []*servertest.Tenant
	for range 3 {
		tenant := s.NewTenant(`{}`)
		hookID := tenant.Subscribe("http://127.0.0.1:1/")
		s.Publish(tenant.Name, "a:first")
		s.MultiplyDeliveries(hookID, 6000)
		large = append(large, tenant)
	}
	other := s.NewTenant(`{}`)
	holder, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback(t.Context())
	if _, err := holder.Exec(t.Context(), "lock table failed_attempts in share mode"); err != nil {
		t.Fatal(err)
	}
	var deletions sync.WaitGroup
	for _, tenant := range large {
		deletions.Go(func() { s.Control("DELETE /tenants/"+tenant.Name, "").Want(t, http.StatusNoContent) })
	}
	defer deletions.Wait()
	for servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 0 {
	}
	moved := make(chan struct{})
	go func() {
		for range 10 {
			other.Advance("1s")
		}
		close(moved)
	}()
	select {
	case <-moved:
	case <-time.After(8 * time.Second):
		t.Error("the clock of another tenant has not moved")
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	<-moved
}
