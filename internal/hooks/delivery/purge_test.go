package delivery_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/server/servertest"
)

// TestDeletedSubscriptionWithManyDeliveries checks that the deletion of a subscription
// deletes none of its deliveries itself, that nothing shows or sends them from then on, and
// that they are deleted in batches, which continue after an interruption.
func TestDeletedSubscriptionWithManyDeliveries(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	deleted, kept := acme.Subscribe("http://127.0.0.1:1/"), acme.Subscribe("http://127.0.0.1:1/")
	s.Publish("acme", "a:first", "a:second")
	const rows, batch = 12_000, 5000
	s.MultiplyDeliveries(deleted, rows-2)
	s.Exec("insert into failed_attempts (hook_id, delivery_id, number, at, address, duration_ms, response) select hook_id, id, 1, created_at, '', 1, '' from deliveries")
	s.CountDeletes("deliveries")
	acme.Do("DELETE /hooks/"+deleted, "").Want(t, http.StatusNoContent)
	if batches := s.Deletes("deliveries"); len(batches) != 0 {
		t.Errorf("the call deleted deliveries: %v", batches)
	}
	acme.Do("GET /hooks/"+deleted+"/requests", "").Want(t, http.StatusNotFound)
	tenant := s.Tenant("acme")
	list := tenant.Control("GET /deliveries", "").Want(t, http.StatusOK)
	if n := len(list.Get(t, "deliveries").([]any)); n != 2 || strings.Contains(list.Body, deleted) {
		t.Errorf("%d deliveries are listed, want 2: %s", n, list.Body)
	}
	backlog, err := delivery.ReadBacklog(t.Context(), s.DB, s.Now())
	if err != nil || backlog.Pending != 2 {
		t.Errorf("%d deliveries are pending, want 2 (%v)", backlog.Pending, err)
	}
	s.FailDeletes("deliveries", 1)
	if err := delivery.Purge(t.Context(), s.DB); err == nil {
		t.Fatal("the second batch was not interrupted")
	}
	s.FailDeletes("deliveries", -1)
	left := func(table string) int {
		return servertest.Value[int](s, "select count(*) from "+table+" where hook_id <> $1", kept)
	}
	if n := left("deliveries"); n != rows-batch {
		t.Errorf("%d deliveries are left after one batch, want %d", n, rows-batch)
	}
	s.RunDispatcher()
	servertest.Until(t, "all deliveries of the deleted subscription are deleted", func() bool {
		return servertest.Value[int](s, "select count(*) from deleted_hooks") == 0
	})
	if deliveries, attempts := left("deliveries"), left("failed_attempts"); deliveries+attempts != 0 {
		t.Errorf("%d deliveries and %d attempts are left", deliveries, attempts)
	}
	batches := s.Deletes("deliveries")
	for _, n := range batches {
		if n > batch {
			t.Errorf("a statement deleted %d deliveries", n)
		}
	}
	if len(batches) < rows/batch {
		t.Errorf("statements: %v", batches)
	}
	if n := servertest.Value[int](s, "select count(*) from deliveries where hook_id = $1", kept); n != 2 {
		t.Errorf("another subscription has %d deliveries, want 2", n)
	}
}

// TestEventsOfDeletedSubscription checks that an event is deleted with its last delivery,
// and kept while another subscription has a delivery of it, also a redelivery.
func TestEventsOfDeletedSubscription(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	deleted, kept := acme.Subscribe("http://127.0.0.1:1/", `"events":["a:one","a:both"]`), acme.Subscribe("http://127.0.0.1:1/", `"events":["a:both"]`)
	s.Publish("acme", "a:one", "a:both")
	redelivered := servertest.Value[string](s, "select id::text from deliveries where hook_id = $1 and event = 'a:both'", kept)
	s.Publish("acme", "a:both")
	acme.Do("POST /hooks/"+kept+"/requests/"+redelivered+"/redeliver", "").Want(t, http.StatusCreated)
	s.Exec("delete from deliveries where id = $1", redelivered)
	for _, step := range []struct {
		hook string
		want int
	}{{deleted, 2}, {kept, 0}} {
		acme.Do("DELETE /hooks/"+step.hook, "").Want(t, http.StatusNoContent)
		if err := delivery.Purge(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		if n := count(s, "events"); n != step.want {
			t.Errorf("%d events are left, want %d", n, step.want)
		}
	}
}
