package console_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/control"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestPagesReadFewRows checks that a page of the console does not read more from the
// database as the number of submissions, calls and deliveries grows: with 6,000 more of
// each, it reads hardly more pages of tables and indexes. Rows are counted in indexes,
// which have more than 50 rows on a page.
func TestPagesReadFewRows(t *testing.T) {
	servertest.Slow(t)
	t.Parallel()
	few, many := readPages(t, 2_000), readPages(t, 8_000)
	if len(few) != len(many) || len(few) < 30 {
		t.Fatalf("%d and %d pages", len(few), len(many))
	}
	for i, page := range many {
		total, growth := 2_500, 150
		switch path, query, _ := strings.Cut(page.path, "?"); {
		case strings.Contains(query, "findings=all"): // each of the calls was made alone, and is a row of its own
			total, growth = 4_500, 3_500
		case path == "/": // it counts submissions, deliveries, events and calls
			growth = 800
		case path == "/tenants/acme/requests" && strings.HasPrefix(query, "q="): // it searches all calls
			total, growth = 4_500, 3_500
		case path == "/tenants/acme/control" && query == "": // it lists what is due
			total, growth = 80, 20
		case path == "/tenants/acme/requests":
			total, growth = 120, 20
		case strings.HasPrefix(path, "/tenants/acme/requests/"): // it finds the call among those that were made alone
			total, growth = 3_000, 2_000
		case path == "/tenants/acme/webhooks" && query != "view=test": // some states have fewer rows than are listed
			growth = 1_300
		}
		if page.read > total || page.read > few[i].read+growth {
			t.Errorf("%s reads %d pages of tables and indexes, and %d with a quarter of the rows; want at most %d, and %d more", page.path, page.read, few[i].read, total, growth)
		}
	}
}

// pageRead is how many pages of tables and indexes a page of the console reads.
type pageRead struct {
	path string
	read int
}

// readPages reads all pages of the console when there are that many submissions and
// deliveries.
func readPages(t *testing.T, rows int) (reads []pageRead) {
	statements := &servertest.Statements{}
	s := servertest.Open(t, servertest.Background, statements.Record(t))
	for _, url := range seedPages(s, 300, rows, rows, rows) {
		s.Pass(5 * time.Second) // nothing is remembered
		statements.Take()
		status, size := fetch(t, url)
		if status != http.StatusOK || size > 60_000 {
			t.Errorf("%s: status %d, %d bytes", url, status, size)
		}
		reads = append(reads, pageRead{strings.TrimPrefix(url, origin(s)), explain(s, statements.TakeWithArguments()).Pages})
	}
	return reads
}

// TestSubmissionReadsShownLocations checks that the page of a submission reads only the
// locations that it shows: for the table, some of those extracted from the document and
// some of those in the report; for the map, the first ones of the report.
func TestSubmissionReadsShownLocations(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	txID := s.Acme().Submit("schedule.csv", schedule(200))
	page := origin(s) + "/tenants/acme/submissions/" + txID
	location := servertest.Value[string](s, "select data_packages.id from data_packages join tenants on tenants.id = tenant_id where tenants.name = 'acme' and kind = 'location' limit 1")
	for query, want := range map[string][]string{
		"?loc=100":                       {"100 to 125", "0 to 149"},
		"?loc=175":                       {"175 to 200", "0 to 149", "175 to 199"},
		"?version=2&package=" + location: {"0 to 25", "0 to 49", "0 to 149"},
	} {
		statements.Take()
		if status, _ := fetch(t, page+query); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		var windows []string
		for _, statement := range statements.TakeWithArguments() {
			if strings.Contains(statement.SQL, "ocations[$from to $until]'") || strings.Contains(statement.SQL, "'$[$from to $until]'") {
				arguments := statement.Args[0].(pgx.StrictNamedArgs)
				windows = append(windows, fmt.Sprint(arguments["from"], " to ", arguments["until"]))
			}
		}
		if !slices.Equal(windows, want) {
			t.Errorf("%s: locations %v are read, want %v", query, windows, want)
		}
	}
	text := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + page + "?loc=175"}).Body
	for _, want := range []string{"Only the first 150 of 200 locations are on the map.", "176", "199 Mill Street"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

// seedPages gives the tenant acme the data of a busy server, including a submission with
// that many locations, and returns the URLs of all pages.
func seedPages(s *servertest.Server, locations, submissions, calls, deliveries int) []string {
	s.T.Helper()
	large := s.Acme().SubmitFile("schedule.csv", schedule(locations))
	servertest.Until(s.T, "the schedule is processed", func() bool {
		s.Pass(time.Second)
		return servertest.Value[string](s, "select status from submissions where tx_id = $1", large) == "Completed"
	})
	s.SeedConsole(submissions, calls, deliveries)
	id := func(sql string) string { return servertest.Value[string](s, sql) }
	list := "/tenants/acme/submissions"
	middle := id("select (1000000 * extract(epoch from created_at))::bigint || '-' || tx_id from submissions order by created_at desc offset 1000 limit 1")
	olderCall := id("select xid || '-' || seq from calls order by xid desc, seq desc offset 1000 limit 1")
	olderDelivery := id("select id::text from deliveries order by id desc offset 1000 limit 1")
	hook := id("select id::text from hooks limit 1")
	call := id("select id::text from calls order by xid desc, seq desc offset 100 limit 1")
	guarded := s.App.Options
	guarded.Access = control.Access{Tokens: []control.Token{{Name: "ops", Value: "a-control-token-of-32-characters"}}}
	urls := []string{origin(s.ReplicaWith(guarded)) + "/sign-in"}
	for _, path := range []string{
		"/", "/?tenant=acme&window=24h", "/?tenant=acme&window=7d", "/?tenant=acme&findings=all", "/?part=numbers&tenant=acme", "/?part=feed&tenant=acme", "/?tenant=acme&kind=call",
		list, list + "?before=" + middle, list + "?status=Completed", list + "?status=Failed", list + "?status=Scheduled", list + "?q=99", list + "?q=rare-word",
		list + "/" + large, list + "/" + large + fmt.Sprint("?loc=", locations/2), list + "/" + large + "?edit=1",
		list + "/" + id("select tx_id::text from submissions where status = 'Failed' order by tx_id limit 1"),
		"/tenants/acme/webhooks", "/tenants/acme/webhooks?before=" + olderDelivery, "/tenants/acme/webhooks?state=dead", "/tenants/acme/webhooks?state=delivered", "/tenants/acme/webhooks?view=test",
		"/tenants/acme/webhooks/" + hook,
		"/tenants/acme/deliveries/" + olderDelivery,
		"/tenants/acme/requests", "/tenants/acme/requests?before=" + olderCall, "/tenants/acme/requests?q=company&status=4xx", "/tenants/acme/requests/" + call, "/requests",
		"/tenants/acme/control", "/tenants/acme/control?view=settings", "/tenants/acme/control?view=outcomes", "/tenants/acme/control?view=faults",
		"/tenants/acme/control?view=clients", "/tenants/acme/control?view=tenant",
		"/docs", "/docs/control",
	} {
		urls = append(urls, origin(s)+path)
	}
	return urls
}

// schedule returns a statement of values with that many locations.
func schedule(locations int) []byte {
	var csv strings.Builder
	csv.WriteString("Loc #,Street Address,City,State,Zip,Occupancy,Construction,Building Value,Contents Value,Year Built\n")
	for n := range locations {
		fmt.Fprintf(&csv, "%d,%d Mill Street,Springfield,IL,62701,Bakery,Frame,%d,%d,1987\n", n+1, n+1, 500_000+n, 20_000+n)
	}
	return []byte(csv.String())
}

// explain returns the cost of the statements together. With CONSOLE_SPEED=statements, it
// prints the cost of each.
func explain(s *servertest.Server, statements []servertest.Statement) (sum servertest.Cost) {
	for _, statement := range statements {
		one := s.Explain(statement)
		sum = servertest.Cost{Pages: sum.Pages + one.Pages, Ms: sum.Ms + one.Ms}
		if os.Getenv("CONSOLE_SPEED") == "statements" {
			fmt.Printf("%7d pages %6.1f ms  %.300s\n", one.Pages, one.Ms, strings.Join(strings.Fields(statement.SQL), " "))
		}
	}
	return sum
}

// fetch returns the status of a page and the bytes of its body as transferred.
func fetch(t *testing.T, url string) (status, size int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Accept", "text/html")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		if _, err := gzip.NewReader(strings.NewReader(string(body))); err != nil {
			t.Fatal(err)
		}
	}
	return response.StatusCode, len(body)
}

// TestSubmissionPageReadsOutcomesOnce checks that the page of a submission reads the tenant's
// outcomes only once: all together can have many megabytes.
func TestSubmissionPageReadsOutcomesOnce(t *testing.T) {
	t.Parallel()
	statements := &servertest.Statements{}
	s := servertest.Open(t, servertest.Background, statements.Record(t))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("sov.csv", []byte("Location Address,City,State,Zip,Building Value\n1 Long Street,Springfield,IL,62701,1000000\n"))
	tenant.AwaitStatus(txID, "Completed")
	statements.Take()
	if status, size := fetch(t, strings.TrimSuffix(s.ControlURL, route.ControlBase)+"/tenants/"+tenant.Name+"/submissions/"+txID); status != http.StatusOK {
		t.Fatalf("status %d, %d bytes", status, size)
	}
	reads := 0
	for _, statement := range statements.Take() {
		if strings.Contains(statement, "order by id desc") && strings.Contains(statement, "from outcomes") {
			reads++
		}
	}
	if reads != 1 {
		t.Errorf("the outcomes were read %d times, want once", reads)
	}
}
