package hooks_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/hooks"
)

// count counts the rows of a table.
func (w *world) count(table string) (n int) {
	w.t.Helper()
	if err := w.db.QueryRow(w.t.Context(), "select count(*) from "+table).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) trim(ahead time.Duration) {
	w.t.Helper()
	if err := hooks.Trim(w.t.Context(), w.db, time.Now().Add(ahead)); err != nil {
		w.t.Fatal(err)
	}
}

func TestOldDeliveriesAreDropped(t *testing.T) {
	w := newWorld(t)
	w.deliver()
	good, bad := newReceiver(t), newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	w.subscribe(good.URL, `"events":["a:one","a:both"]`)
	failing := w.subscribe(bad.URL, `"events":["a:both"]`)
	w.publish("a:one", "a:both", "a:nobody")
	eventually(t, "all is recorded", func() bool { return w.count("attempts") == 3 })
	if n := w.count("events"); n != 2 {
		t.Errorf("%d events are kept, want the 2 that somebody wants", n)
	}
	const month = 30 * 24 * time.Hour
	w.trim(month - time.Hour)
	if n := w.count("deliveries"); n != 3 {
		t.Errorf("%d deliveries are kept within the month, want 3", n)
	}
	w.trim(month + time.Hour)
	if deliveries, attempts, events := w.count("deliveries"), w.count("attempts"), w.count("events"); deliveries != 1 || attempts != 1 || events != 1 {
		t.Errorf("%d deliveries, %d attempts, %d events are kept, want the pending one", deliveries, attempts, events)
	}
	w.exec("update deliveries set state = 'dead'")
	w.trim(month + time.Hour)
	if deliveries, attempts, events := w.count("deliveries"), w.count("attempts"), w.count("events"); deliveries+attempts+events != 0 {
		t.Errorf("%d deliveries, %d attempts, %d events are kept, want none", deliveries, attempts, events)
	}
	if list := w.requests(failing); len(list) != 0 {
		t.Errorf("requests are %v", list)
	}
}

// TestFormerDeliveriesAreFound: an event stays for deliveries whose ids were
// made in the way of former releases, with the same first half.
func TestFormerDeliveriesAreFound(t *testing.T) {
	w := newWorld(t)
	good, bad := newReceiver(t), newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	w.subscribe(good.URL, `"events":["a:both"]`)
	w.subscribe(bad.URL, `"events":["a:both"]`)
	w.publish("a:both")
	w.exec("update deliveries set id = (left(event_id::text, 18) || '8' || left(md5(event_id::text || hook_id::text), 15))::uuid")
	w.deliver()
	eventually(t, "both are tried", func() bool { return w.count("attempts") == 2 })
	w.trim(31 * 24 * time.Hour)
	if deliveries, events := w.count("deliveries"), w.count("events"); deliveries != 1 || events != 1 {
		t.Errorf("%d deliveries and %d events are kept, want the pending one with its event", deliveries, events)
	}
}

// TestFeedsOfAttemptsAreBounded: of what a feed tells of attempts, the newest
// 10,000 stay.
func TestFeedsOfAttemptsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.exec(`
		insert into attempted (tenant_id, xid, entries, attempts)
		select id, n::text::xid8, 4000, array_fill(row(now(), id, id, id, 'a:b', 'http://x', 1, 200, '', 3)::told, '{4000}')
		from tenants
		cross join generate_series(1, case name when 'acme' then 5 else 2 end) n
		where name in ('acme', 'globex')`)
	for range 2 {
		w.trim(0)
		if n := w.count("attempted where tenant_id = '" + w.tenants["acme"].String() + "' and xid >= '3'"); n != 3 {
			t.Errorf("%d of the newest records are kept, want 3", n)
		}
		if n := w.count("attempted"); n != 5 {
			t.Errorf("%d records are kept, want 3 and the other tenant's 2", n)
		}
	}
	if n := w.count("happened where kind = 'delivery' and shown(attempt) ->> 'duration_ms' = '3'"); n != 20_000 {
		t.Errorf("the feeds tell of %d attempts, want 20,000", n)
	}
}

func TestTheNewestDeliveriesAreKept(t *testing.T) {
	w := newWorld(t)
	first := w.subscribe("http://127.0.0.1:1/", `"events":["a:many"]`)
	second := w.subscribe("http://127.0.0.1:1/", `"events":["a:many"]`)
	w.publishMany(10_100)
	var oldest string
	if err := w.db.QueryRow(t.Context(), "select id from deliveries where hook_id = $1 order by id limit 1", first).Scan(&oldest); err != nil {
		t.Fatal(err)
	}
	w.want(201, "POST /hooks/"+first+"/requests/"+oldest+"/redeliver", "") // the 10,101st, and pending
	if list := w.requests(first); len(list) != 100 || list[0]["redelivery"] != true || list[1]["id"].(string) < list[99]["id"].(string) {
		t.Errorf("%d requests are shown, want the 100 newest, newest first", len(list))
	}
	w.exec("update deliveries set state = 'dropped' where hook_id = $1 and not redelivery", first)
	w.trim(0)
	if n := w.count("deliveries where hook_id = '" + first + "'"); n != 10_000 {
		t.Errorf("%d deliveries are kept, want 10,000", n)
	}
	if n := w.count("events"); n != 10_100 {
		t.Errorf("%d events are kept, want all, since another subscription's wait", n)
	}
	w.exec("update deliveries set state = 'dropped' where hook_id = $1", second)
	w.trim(0)
	if n := w.count("deliveries where hook_id = '" + second + "'"); n != 10_000 {
		t.Errorf("%d deliveries are kept, want 10,000", n)
	}
	if n := w.count("events"); n != 10_001 {
		t.Errorf("%d events are kept, want 10,000 and the one to be redelivered", n)
	}
	w.want(204, "DELETE /hooks/"+first, "")
	w.want(204, "DELETE /hooks/"+second, "")
	if n := w.count("deliveries"); n != 0 {
		t.Errorf("%d deliveries have outlived their subscriptions", n)
	}
}

func TestLimitOfSubscriptions(t *testing.T) {
	w := newWorld(t)
	w.want(201, "POST /hooks", `{"url":"http://example.com"}`)
	w.exec(`
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		select gen_random_uuid(), tenant_id, owner_id, active, events, url, created_at, updated_at
		from hooks
		cross join generate_series(2, 999)`)
	last := w.want(201, "POST /hooks", `{"url":"http://example.com"}`)["id"].(string)
	const want = `{"base":["limit of 1000 subscriptions reached"]}`
	if status, body := w.call("POST /hooks", `{"url":"http://example.com"}`); status != 422 || body != want {
		t.Errorf("the 1,001st answered %d %s", status, body)
	}
	w.want(201, "POST /hooks", `{"url":"http://example.com"}`, "globex-client")
	w.want(200, "PATCH /hooks/"+last, `{"url":"http://other.example"}`)
	w.want(204, "DELETE /hooks/"+last, "")
	w.want(201, "POST /hooks", `{"url":"http://example.com"}`)
}
