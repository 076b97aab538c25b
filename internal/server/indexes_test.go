package server_test

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// unlimited are the tables that the test fills with as many rows as PLANS_ROWS says. The others
// are small enough that a sequential scan can be the best plan.
var unlimited = []string{"submissions", "reports", "deliveries"}

// TestCallsReadFewRows checks that no statement of a call or of a background step scans one of
// the unlimited tables sequentially, and that calls of the API read hardly more pages of tables
// and indexes than in an almost empty database. The tables have 50,000 rows, or as many as
// PLANS_ROWS says.
func TestCallsReadFewRows(t *testing.T) {
	servertest.Slow(t)
	t.Parallel()
	rows := 50_000
	if text := os.Getenv("PLANS_ROWS"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	statements := &servertest.Statements{Background: true}
	s := servertest.Open(t, statements.Record(t))
	few := costOfCalls(s, statements)
	s.SeedConsole(rows, 2_000, rows)
	seedReports(s)
	s.Exec("vacuum analyze submissions, reports, deliveries") // the first statements would clean the new pages and index entries up
	s.Exec("update hooks set active = false")                 // a tenant has few active subscriptions
	many := costOfCalls(s, statements)
	if len(few) < 25 || len(many) != len(few) {
		t.Fatalf("%d and %d calls", len(few), len(many))
	}
	for _, call := range slices.Sorted(maps.Keys(few)) {
		before, after := few[call], many[call]
		t.Logf("%-50s %3d statements, %4d pages, with few rows %4d", call, after.statements, after.Pages, before.Pages)
		for _, table := range after.Scanned {
			if slices.Contains(unlimited, table) {
				t.Errorf("%s reads all of %s", call, table)
			}
		}
		most := before.Pages*6/5 + 20 // each index is up to two levels deeper
		switch {
		case call == "control: GET /overview", call == "control: GET /hooks": // count in indexes, and cache counts of many rows
			most = 3_000 + rows/20
		case strings.HasPrefix(call, "control: "): // a page of a list has 100 rows with their parts; others read trimmed tables
			most = 5_000
		}
		if after.Pages > most {
			t.Errorf("%s reads %d pages, and %d with few rows; want at most %d; %d of them in:\n%s", call, after.Pages, before.Pages, most, after.mostPages, after.dearest)
		}
	}
}

// callCost is the cost of the statements of a call.
type callCost struct {
	servertest.Cost
	statements int
	mostPages  int    // that one statement reads
	dearest    string // that statement
}

// costOfCalls makes calls of each kind for the tenant acme, and returns the costs of their
// statements, and those of the background steps.
func costOfCalls(s *servertest.Server, statements *servertest.Statements) map[string]callCost {
	costs := map[string]callCost{}
	record := func(name string) {
		sum := costs[name]
		for _, statement := range statements.TakeWithArguments() {
			one := s.Explain(statement)
			sum.statements++
			if one.Pages > sum.mostPages {
				sum.mostPages, sum.dearest = one.Pages, statement.SQL
			}
			sum.Pages, sum.Scanned = sum.Pages+one.Pages, append(sum.Scanned, one.Scanned...)
		}
		costs[name] = sum
	}
	acme, tenant := s.Acme(), s.Tenant("acme")
	hookID := acme.Subscribe(servertest.NewReceiver(s.T).URL)
	s.Pass(5 * time.Second) // the caches have expired
	statements.Take()

	s.NewToken(s.Demo(0)).Want(s.T, http.StatusOK)
	record("token")
	txID, url := acme.Announce("letter.txt")
	record("upload URL")
	s.Upload(url, "letter.txt", servertest.Letter).Want(s.T, http.StatusOK)
	record("upload")
	acme.Trigger(txID).Want(s.T, http.StatusOK)
	record("trigger")
	for range 6 {
		s.Pass(time.Second)
		s.Work()
		record("background steps")
	}
	reportID := acme.Status(txID).Text(s.T, "c_report_id")
	record("status")
	for _, line := range []string{
		"GET /data/v1/acme-us-c0001/" + reportID,
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
		"GET /data/v5/acme-us-c0001/" + reportID,
		"GET /universal/v4/universal-submit/status/" + txID + "/details",
		"GET /hooks", "GET /hooks/" + hookID, "GET /hooks/" + hookID + "/requests",
	} {
		acme.Do(line, "").Want(s.T, http.StatusOK)
		record(strings.NewReplacer(txID, "…", reportID, "…", hookID, "…").Replace(line))
	}
	acme.Do("POST /company/v1/company_submit", `{"company_name":"Foxglove Bakery","address":"12 Mill Street, Springfield, IL"}`).Want(s.T, http.StatusOK)
	record("company submit")
	delivery := servertest.Value[string](s, "select id::text from deliveries where hook_id = $1 limit 1", hookID)
	if err := s.App.Journal.Flush(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	request := tenant.Journal("")[0].ID
	statements.Take()
	for _, line := range []string{
		"GET /transactions", "GET /transactions?status=Completed", "GET /transactions/" + txID, "GET /transactions/" + txID + "/inquiry?version=2&package=acme-us-c0001",
		"GET /hooks", "GET /deliveries", "GET /deliveries?state=dead", "GET /deliveries/" + delivery,
		"GET /requests", "GET /requests?status=404", "GET /requests/" + request, "GET /feed", "GET /clock", "GET /overview", "GET /findings",
	} {
		tenant.Control(line, "").Want(s.T, http.StatusOK)
		record("control: " + strings.NewReplacer(txID, "…", delivery, "…", request, "…").Replace(line))
	}
	tenant.Control("DELETE /transactions/"+txID, "").Want(s.T, http.StatusNoContent)
	record("control: DELETE /transactions/…")
	acme.Do("DELETE /hooks/"+hookID, "")
	statements.Take()
	return costs
}

// seedReports gives the tenant acme a report for each of its completed submissions.
func seedReports(s *servertest.Server) {
	s.Exec(`
		insert into reports (c_report_id, l_report_id, tenant_id, tx_id, company, locations, created_at, saved_at)
		select c_report_id, l_report_id, tenant_id, tx_id::text, '{}', '[]', created_at, created_at
		from submissions
		where status = 'Completed'
		on conflict do nothing`)
}
