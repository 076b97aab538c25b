package delivery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/server/servertest"
)

// count returns how many rows a table, or a table with conditions, has.
func count(s *servertest.Server, rows string, args ...any) int {
	s.T.Helper()
	return servertest.Value[int](s, "select count(*) from "+rows, args...)
}

// trim trims the deliveries at a later time than now. The ids of deliveries have the
// machine's time.
func trim(s *servertest.Server, later time.Duration) {
	s.T.Helper()
	if err := delivery.Trim(s.T.Context(), s.DB, time.Now().Add(later)); err != nil {
		s.T.Fatal(err)
	}
}

// respond returns a receiver that responds with the status.
func respond(t *testing.T, status int) *servertest.Receiver {
	return servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

const month = 30 * 24 * time.Hour

// TestTrimByAge checks that finished deliveries are kept for 30 days, with their
// attempts and events, and pending ones for longer.
func TestTrimByAge(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	acme.Subscribe(respond(t, 200).URL, `"events":["a:one","a:both"]`)
	failing := acme.Subscribe(respond(t, 500).URL, `"events":["a:both"]`)
	s.Publish("acme", "a:one", "a:both", "a:unmatched")
	servertest.Until(t, "every attempt is recorded", func() bool { return count(s, "attempts") == 3 })
	for _, step := range []struct {
		name                         string
		before                       func()
		later                        time.Duration
		deliveries, attempts, events int
	}{
		{"before 30 days", func() {}, month - time.Hour, 3, 3, 2},
		{"after 30 days, one pending", func() {}, month + time.Hour, 1, 1, 1},
		{"after 30 days, none pending", func() { s.Exec("update deliveries set state = 'dead'") }, month + time.Hour, 0, 0, 0},
	} {
		step.before()
		trim(s, step.later)
		if deliveries, attempts, events := count(s, "deliveries"), count(s, "attempts"), count(s, "events"); deliveries != step.deliveries ||
			attempts != step.attempts || events != step.events {
			t.Errorf("%s: %d deliveries, %d attempts, %d events kept, want %d, %d, %d", step.name,
				deliveries, attempts, events, step.deliveries, step.attempts, step.events)
		}
	}
	if requests := acme.HookRequests(failing); len(requests) != 0 {
		t.Errorf("requests %v", requests)
	}
}

// TestTrimKeepsEventsOfOldIDs checks that an event is kept for deliveries whose ids
// an earlier release made, in another way but with the same first half.
func TestTrimKeepsEventsOfOldIDs(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	acme.Subscribe(respond(t, 200).URL)
	acme.Subscribe(respond(t, 500).URL)
	s.Publish("acme", "a:both")
	s.Exec("update deliveries set id = (left(event_id::text, 18) || '8' || left(md5(event_id::text || hook_id::text), 15))::uuid")
	s.RunDispatcher()
	servertest.Until(t, "every attempt is recorded", func() bool { return count(s, "attempts") == 2 })
	trim(s, month+time.Hour)
	if deliveries, events := count(s, "deliveries"), count(s, "events"); deliveries != 1 || events != 1 {
		t.Errorf("%d deliveries and %d events kept, want the pending delivery with its event", deliveries, events)
	}
}

// TestTrimByCount checks that the newest 10,000 deliveries of a subscription are
// kept, that an event is kept as long as it has a delivery, and that the requests
// endpoint lists the newest 100.
func TestTrimByCount(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	first, second := acme.Subscribe("http://127.0.0.1:1/"), acme.Subscribe("http://127.0.0.1:1/")
	publishMany(s, 10_100)
	oldest := servertest.Value[string](s, "select id::text from deliveries where hook_id = $1 order by id limit 1", first)
	acme.Do("POST /hooks/"+first+"/requests/"+oldest+"/redeliver", "").Want(t, 201) // the 10,101st, and pending
	if list := acme.HookRequests(first); len(list) != 100 || list[0]["redelivery"] != true || list[1]["id"].(string) < list[99]["id"].(string) {
		t.Errorf("%d requests are listed, want the newest 100, newest first", len(list))
	}
	s.Exec("update deliveries set state = 'dropped' where hook_id = $1 and not redelivery", first)
	trim(s, 0)
	if n := count(s, "deliveries where hook_id = $1", first); n != 10_000 {
		t.Errorf("%d deliveries kept, want 10,000", n)
	}
	if n := count(s, "events"); n != 10_100 {
		t.Errorf("%d events kept, want all 10,100, since the second subscription has pending deliveries of them", n)
	}
	s.Exec("update deliveries set state = 'dropped' where hook_id = $1", second)
	trim(s, 0)
	if n := count(s, "deliveries where hook_id = $1", second); n != 10_000 {
		t.Errorf("%d deliveries of the second subscription kept, want 10,000", n)
	}
	if n := count(s, "events"); n != 10_001 {
		t.Errorf("%d events kept, want 10,000 and the one that is redelivered", n)
	}
	acme.Do("DELETE /hooks/"+first, "").Want(t, 204)
	acme.Do("DELETE /hooks/"+second, "").Want(t, 204)
	if err := delivery.Purge(t.Context(), s.DB); err != nil {
		t.Fatal(err)
	}
	if n := count(s, "deliveries"); n != 0 {
		t.Errorf("%d deliveries of deleted subscriptions kept, want none", n)
	}
}

// TestTrimFeedOfAttempts checks that about the newest 10,000 attempts of a tenant's
// feed are kept: those of whole batches.
func TestTrimFeedOfAttempts(t *testing.T) {
	s := servertest.New(t)
	s.Exec(`
		insert into attempt_batches (tenant_id, xid, attempt_count, attempts)
		select id, n::text::xid8, 4000, array_fill(row(now(), id, id, id, 'a:b', 'http://x', 1, 200, '', 3, null)::recorded_attempt, '{4000}')
		from tenants
		cross join generate_series(1, case name when 'acme' then 5 else 2 end) n
		where name in ('acme', 'globex')`)
	for range 2 {
		trim(s, 0)
		if n := count(s, "attempt_batches where tenant_id = $1 and xid >= '3'", s.TenantID("acme")); n != 3 {
			t.Errorf("%d of the newest batches kept, want 3", n)
		}
		if n := count(s, "attempt_batches"); n != 5 {
			t.Errorf("%d batches kept, want 3 and the other tenant's 2", n)
		}
	}
	if n := count(s, "attempt_batches, unnest(attempts) where duration_ms = 3"); n != 20_000 {
		t.Errorf("%d attempts kept, want 20,000", n)
	}
}

// TestDispatcherTrimsResponses checks that a running dispatcher empties the oldest
// responses of a tenant that stores many, and keeps the attempts.
func TestDispatcherTrimsResponses(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	s.RunDispatcher()
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Repeat("x", delivery.MaxResponseBody), http.StatusInternalServerError)
	})
	hookID := acme.Subscribe(receiver.URL)
	s.Exec(`
		insert into failed_attempts (hook_id, delivery_id, number, at, address, duration_ms, response)
		select $1, gen_random_uuid(), 1, $2, '', 1, convert_to(repeat('x', 1 << 20), 'UTF8')
		from generate_series(1, 60)`, hookID, s.Now().Add(-time.Hour))
	publishMany(s, 400)
	servertest.Until(t, "the tenant has at most 50 MiB of responses", func() bool {
		return count(s, "failed_attempts") == 460 && servertest.Value[int](s, "select sum(octet_length(response)) from failed_attempts") <= 50<<20
	})
	if n := count(s, "failed_attempts where response = ''"); n < 16 {
		t.Errorf("%d responses are empty, want at least 16", n)
	}
	if n := count(s, "failed_attempts where octet_length(response) between 16384 and 32768"); n != 400 {
		t.Errorf("%d of the new responses are kept, want 400", n)
	}
}
