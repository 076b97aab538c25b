package delivery_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestLocksDelayNoOtherDelivery locks a tenant, as its deletion does, or the deliveries of a
// subscription, while results of it wait to be recorded. Deliveries of another tenant are
// sent and recorded meanwhile; the results that wait are recorded once the lock is gone.
func TestLocksDelayNoOtherDelivery(t *testing.T) {
	for name, lock := range map[string]string{
		"tenant":       "select from tenants where name = 'acme' for update",
		"subscription": "select from hooks h join deliveries d on d.hook_id = h.id join tenants t on t.id = h.tenant_id where t.name = 'acme' for update of h, d",
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			s.RunDispatcher()
			const events = 100 // more than the tenant can have in flight
			release := make(chan struct{})
			slow := servertest.NewReceiver(t, func(http.ResponseWriter, *http.Request) { <-release })
			quick := servertest.NewReceiver(t)
			s.Acme().Subscribe(slow.URL)
			s.Globex().Subscribe(quick.URL)
			s.Publish("acme", repeated("a:slow", events)...)
			slow.Await(t, 1)
			held := s.Lock(lock)
			close(release)
			slow.Await(t, 8) // those in flight end, and wait to be recorded
			count := func(tenant, state string) int {
				return servertest.Value[int](s, `
					select count(*)
					from deliveries
					where tenant_id = (select id from tenants where name = $1)
					and state = $2`, tenant, state)
			}
			for n := range 3 {
				s.Publish("globex", "a:quick")
				servertest.Until(t, "the delivery of the other tenant is recorded", func() bool { return count("globex", "delivered") == n+1 })
			}
			if n := count("acme", "delivered"); n != 0 {
				t.Errorf("%d deliveries were recorded in spite of the lock", n)
			}
			if err := held.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			servertest.Until(t, "all deliveries are recorded", func() bool { return count("acme", "delivered") == events })
			if n := len(slow.Received()); n != events {
				t.Errorf("%d requests, want %d", n, events)
			}
			if n := s.App.Dispatcher.InFlight(); n != 0 {
				t.Errorf("%d deliveries are in flight", n)
			}
		})
	}
}
