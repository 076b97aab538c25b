package journal_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestJournalLimits checks that a tenant's journal keeps the newest 10,000 calls
// and 50 MB, and 64 KB of each body.
func TestJournalLimits(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: bodies up to 64 KB, and a bounded number of calls")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	large := `{"company_name":"` + strings.Repeat("x", 100_000)
	acme.DoUnchecked(servertest.SubmitCompany, large)
	if request := tenant.Journal("limit=1")[0].Request; len(request.Body) != 64<<10 || !request.Truncated || request.Size != int64(len(large)) {
		t.Errorf("%d bytes kept of a body of %d, truncated %t", len(request.Body), request.Size, request.Truncated)
	}
	kept := func() (calls, size int) {
		tenant.Journal("limit=1") // writes what is queued, and trims
		calls = servertest.Value[int](s, "select count(*) from calls")
		return calls, servertest.Value[int](s, "select sum(size) from calls")
	}
	insertCalls(s, 12_000, 1)
	for range 10 {
		acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	}
	if calls, _ := kept(); calls != 10_000 {
		t.Errorf("%d calls kept, want 10,000", calls)
	}
	if newest := tenant.Journal("limit=1")[0]; newest.Route != "GET /universal/v2/universal-submit/status/{tx_id}" {
		t.Errorf("the newest call is %+v", newest)
	}
	insertCalls(s, 600, 100<<10)
	for range 10 {
		acme.DoUnchecked(servertest.SubmitCompany, large)
	}
	if _, size := kept(); size < 49<<20 || size > 50<<20 {
		t.Errorf("%d bytes kept, want 49 to 50 MB", size)
	}
}

// TestJournalIsTrimmedOnWrite checks that a journal which nobody reads is trimmed
// too, at the latest by the first write of a server that did not know its size.
func TestJournalIsTrimmedOnWrite(t *testing.T) {
	s := servertest.New(t)
	insertCalls(s, 12_000, 1)
	s.Acme()
	if err := s.App.Journal.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if calls := servertest.Value[int](s, "select count(*) from calls"); calls != 10_000 {
		t.Errorf("%d calls kept, want 10,000", calls)
	}
}

// insertCalls adds calls of the tenant acme to the journal, each of the size in
// bytes.
func insertCalls(s *servertest.Server, calls, size int) {
	s.T.Helper()
	s.Exec(`
		insert into calls (
			tenant_id, id, at, begun_at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
			request_headers, request_body, request_size, response_headers, response_body, response_size, size
		)
		select id, gen_random_uuid(), now(), now(), '0', '', 'GET', '/', 'GET /', 200, '', false, '{}', '', '', '{}', '', 0, '{}', '', 0, $2
		from tenants, generate_series(1, $1)
		where name = 'acme'`, calls, size)
}
