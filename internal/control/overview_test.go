package control_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestOverview checks the numbers of a tenant before and after traffic, and that
// another tenant's traffic does not count.
func TestOverview(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, overview: counts, history and findings")
	s := servertest.New(t, servertest.Background)
	tenant, other := s.NewTenant(`{"pacing":{"mode":"immediate"},"webhooks":"collect"}`), s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	other.AwaitEnd(other.Submit("letter.txt", []byte("Insured: Foxglove Bakery LLC\n")))

	fresh := tenant.Control("GET /overview", "").Want(t, http.StatusOK)
	if got := fresh.Get(t, "submissions", "total"); got != 0.0 || fresh.Get(t, "deliveries", "success_share") != nil || len(fresh.Get(t, "history", "periods").([]any)) != 60 {
		t.Errorf("a fresh tenant: %s", fresh.Body)
	}
	tenant.Subscribe("http://127.0.0.1:9")
	for _, filename := range []string{"letter.txt", "letter.fail.txt", "list.txt"} {
		tenant.AwaitEnd(tenant.Submit(filename, []byte("Insured: Foxglove Bakery LLC\n")))
	}
	tenant.Announce("never.txt")
	s.Pass(2 * time.Minute)

	for window, periods := range map[string]int{"1h": 60, "24h": 48, "7d": 56} {
		shown := tenant.Control("GET /overview?window="+window, "").Want(t, http.StatusOK)
		all := shown.Get(t, "history", "periods").([]any)
		completed, failed := 0.0, 0.0
		for _, period := range all {
			completed += period.(map[string]any)["completed"].(float64)
			failed += period.(map[string]any)["failed"].(float64)
		}
		if len(all) != periods || completed != 2 || failed != 1 {
			t.Errorf("%s: %d periods, %v completed, %v failed, want %d, 2, 1", window, len(all), completed, failed, periods)
		}
	}
	shown := tenant.Control("GET /overview", "").Want(t, http.StatusOK)
	got := fmt.Sprint(shown.Get(t, "submissions"), shown.Get(t, "deliveries"))
	want := "map[states:map[Completed:2 Failed:1 Pending:1 Scheduled:0 Started:0 Submission_in_progress:0] stored_bytes:87 total:4] " +
		"map[retrying:0 states:map[collected:12 dead:0 delivered:0 dropped:0 pending:0] success_share:<nil> total:12]"
	if got != want {
		t.Errorf("numbers %s\nwant %s", got, want)
	}
	if shown.Get(t, "calls").(float64) < 10 || shown.Text(t, "last_activity") == "" {
		t.Errorf("overview %s", shown.Body)
	}
	// A finding appears although the rules were checked before.
	tenant.Do("POST /hooks", `{"url":"http://127.0.0.1:9","events":["nothing"]}`).Want(t, http.StatusCreated)
	if shown = tenant.Control("GET /overview", ""); !strings.Contains(shown.Body, `"rule":"webhook-unknown-event"`) {
		t.Errorf("findings %v", shown.Get(t, "findings"))
	}
	tenant.Control("GET /overview?window=2h", "").Want(t, http.StatusBadRequest, `{"message":"window: invalid value \"2h\""}`)
}

// TestDeliveryHealth checks the share of deliveries that succeed.
func TestDeliveryHealth(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, overview: deliveries by state, and the share that succeeded")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	hook := s.Acme().Subscribe("http://127.0.0.1:9")
	for range 10 {
		s.Publish("acme", "claim:opened")
	}
	s.Exec(`
		update deliveries d
		set state = made.state, attempt = made.attempt, delivered_at = $2, address = '', response = ''
		from (
			select id, case when n <= 6 then 'delivered' when n = 7 then 'dead' when n = 8 then 'dropped' else 'pending' end as state, (n <> 10)::int as attempt
			from (select id, row_number() over (order by id) as n from deliveries where hook_id = $1) numbered
		) made
		where d.id = made.id`, hook, s.Now())
	shown := tenant.Control("GET /overview", "").Want(t, http.StatusOK)
	want := "map[retrying:1 states:map[collected:0 dead:1 delivered:6 dropped:1 pending:2] success_share:0.75 total:10]"
	if got := fmt.Sprint(shown.Get(t, "deliveries")); got != want {
		t.Errorf("deliveries %s, want %s", got, want)
	}
}

// seenIn returns the count of an operation's status, or of a state or an event, in the
// tenant's coverage; -1 if it is not listed.
func seenIn(tenant *servertest.Tenant, list, name string, status ...float64) float64 {
	tenant.T.Helper()
	coverage := tenant.Control("GET /coverage", "").Want(tenant.T, http.StatusOK)
	for _, item := range coverage.Get(tenant.T, list).([]any) {
		object := item.(map[string]any)
		if object[strings.TrimSuffix(list, "s")] != name {
			continue
		}
		if len(status) == 0 {
			return object["count"].(float64)
		}
		for _, one := range object["statuses"].([]any) {
			if one.(map[string]any)["status"] == status[0] {
				return one.(map[string]any)["count"].(float64)
			}
		}
	}
	return -1
}

// TestCoverage checks that everything which a client can exercise is listed, that what
// was exercised is counted although the journal is trimmed, and that a reset starts
// anew.
func TestCoverage(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, overview: operations, statuses, states and events that have occurred, and those that have not")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"},"webhooks":"collect"}`)
	const status = "GET /universal/v2/universal-submit/status/{tx_id}"
	check := func(want float64, list, name string, of ...float64) {
		t.Helper()
		if got := seenIn(tenant, list, name, of...); got != want {
			t.Errorf("%s %v was seen %v times, want %v", name, of, got, want)
		}
	}
	check(0, "operations", status)
	check(0, "operations", status, 404)
	check(0, "states", "Review_required")
	check(0, "events", "universal_submit:completed")

	for range 3 {
		tenant.Status(servertest.Absent).Want(t, http.StatusNotFound)
	}
	tenant.Do("GET /nowhere", "").Want(t, http.StatusForbidden)
	tenant.Fault(`{"route":"*","status":418,"body":{},"times":1}`)
	tenant.DoUnchecked("GET /universal/v2/universal-submit/status/"+servertest.Absent, "").Want(t, http.StatusTeapot)
	tenant.Subscribe("http://127.0.0.1:9")
	for _, filename := range []string{"letter.txt", "letter.fail.txt", "letter.review.txt"} {
		txID := tenant.Submit(filename, []byte("Insured: Foxglove Bakery LLC\n"))
		servertest.Until(t, "the submission ends", func() bool {
			return slices.Contains([]any{"Completed", "Failed"}, tenant.Control("GET /transactions/"+txID, "").Get(t, "status"))
		})
	}
	if err := s.App.Journal.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Exec("delete from call_batches")
	check(4, "operations", status)
	check(3, "operations", status, 404)
	check(1, "operations", status, 418)
	check(-1, "operations", "GET /nowhere")
	for _, state := range []string{"Completed", "Failed", "Review_required"} {
		check(1, "states", state)
	}
	check(2, "events", "universal_submit:completed")
	check(1, "events", "universal_submit:failed")
	check(0, "events", "company_submit:completed")

	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	check(0, "operations", status)
	check(0, "states", "Completed")
}

// TestFeedPages reads the feed newest first, in pages of each size, and by kind.
func TestFeedPages(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, overview: the feed as pages, newest first")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	for range 3 {
		acme.Do("GET /hooks", "").Want(t, http.StatusOK)
		s.RecordAttempt("acme", 200)
	}
	read := func(query string, limit int) (cursors []string) {
		t.Helper()
		for before := ""; ; {
			page := tenant.Control(fmt.Sprintf("GET /feed?limit=%d%s%s", limit, query, before), "").Want(t, http.StatusOK)
			for _, entry := range page.Get(t, "entries").([]any) {
				cursors = append(cursors, entry.(map[string]any)["cursor"].(string))
			}
			if !strings.Contains(page.Body, `"before"`) {
				return cursors
			}
			before = "&before=" + page.Text(t, "before")
		}
	}
	var all []string
	servertest.Until(t, "the feed has all entries", func() bool {
		all = read("", 100)
		return len(all) >= 7
	})
	for limit := 1; limit <= len(all); limit++ {
		if paged := read("", limit); !slices.Equal(paged, all) {
			t.Errorf("pages of %d: %v, want %v", limit, paged, all)
		}
	}
	if calls, deliveries := read("&kind=call", 2), read("&kind=delivery", 2); len(calls) != 4 || len(deliveries) != 3 || len(read("&kind=state", 2)) != 0 {
		t.Errorf("calls %v, deliveries %v", calls, deliveries)
	}
	tenant.Control("GET /feed?kind=expired", "").Want(t, http.StatusBadRequest)
	tenant.Control("GET /feed?before=x", "").Want(t, http.StatusBadRequest)
}

// TestTenantPages lists tenants in pages, and by a part of their names.
func TestTenantPages(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: listed by page and by a part of the name")
	s := servertest.New(t)
	for _, name := range []string{"harbour-1", "harbour-2", "harbour-3"} {
		s.Control("POST /tenants", `{"name":"`+name+`"}`).Want(t, http.StatusCreated)
	}
	names := func(query string) (names string, after string) {
		t.Helper()
		page := s.Control("GET /tenants"+query, "").Want(t, http.StatusOK)
		for _, tenant := range page.Get(t, "tenants").([]any) {
			names += tenant.(map[string]any)["name"].(string) + " "
		}
		if strings.Contains(page.Body, `"after"`) {
			after = page.Text(t, "after")
		}
		return names, after
	}
	for query, want := range map[string]string{
		"":                           "acme globex harbour-1 harbour-2 harbour-3 ",
		"?limit=2":                   "acme globex ",
		"?limit=2&after=globex":      "harbour-1 harbour-2 ",
		"?limit=2&after=harbour-2":   "harbour-3 ",
		"?limit=2&q=bour&after=acme": "harbour-1 harbour-2 ",
		"?limit=5&q=%25":             "",
		"?brief=true&q=acme":         "acme ",
	} {
		if got, _ := names(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if _, after := names("?limit=2"); after != "globex" {
		t.Errorf("after %q", after)
	}
	if _, after := names("?limit=5"); after != "" {
		t.Errorf("the last page has after %q", after)
	}
}
