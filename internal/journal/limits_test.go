package journal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

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
	kept := func(s *servertest.Server) (calls, size int) {
		s.Pass(time.Minute) // the journal may exceed its limits until then
		s.Acme()
		flush(s)
		calls = servertest.Value[int](s, "select count(*) from calls")
		return calls, servertest.Value[int](s, "select sum(size) from calls")
	}
	insertCalls(s, 12_000, 1, false)
	tenant.Journal("limit=1")
	if calls := servertest.Value[int](s, "select count(*) from calls"); calls < 12_000 {
		t.Errorf("%d calls are left after the journal was read, want all", calls)
	}
	other := s.Replica() // its first write trims the journal, whose size it does not know
	for range 10 {
		other.Acme()
	}
	flush(other)
	if calls := servertest.Value[int](s, "select count(*) from calls"); calls > 10_010 {
		t.Errorf("%d calls kept, want 10,000 and the newest ones", calls)
	}
	if calls, _ := kept(other); calls != 10_000 {
		t.Errorf("%d calls kept, want 10,000", calls)
	}
	acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	if newest := tenant.Journal("limit=1")[0]; newest.Route != "GET /universal/v2/universal-submit/status/{tx_id}" {
		t.Errorf("the newest call is %+v", newest)
	}
	insertCalls(s, 600, 100<<10, false)
	for range 10 {
		acme.DoUnchecked(servertest.SubmitCompany, large)
	}
	flush(s)
	if _, size := kept(s.Replica()); size < 49<<20 || size > 50<<20 {
		t.Errorf("%d bytes kept, want 49 to 50 MB", size)
	}
}

// TestJournalIsTrimmedOnWrite checks that a journal which nobody reads is trimmed
// too, at the latest by the first write of a server that did not know its size.
func TestJournalIsTrimmedOnWrite(t *testing.T) {
	s := servertest.New(t)
	insertCalls(s, 12_000, 1, false)
	s.Acme()
	flush(s)
	if calls := servertest.Value[int](s, "select count(*) from calls"); calls != 10_000 {
		t.Errorf("%d calls kept, want 10,000", calls)
	}
}

// TestStrangersRemoveNoCalls checks that calls without a valid credential, such as those
// with a wrong secret for the tenant's client id, displace only each other. Neither their
// number nor their bytes displace a call of the tenant's client.
func TestStrangersRemoveNoCalls(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: calls without a valid credential displace only each other")
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	const own = 20
	for range own {
		acme.Do(unknownStatus, "").Want(t, http.StatusNotFound)
	}
	flush(s)
	wrongSecret := servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("acme-client", "x")}}
	for _, test := range []struct{ calls, size, kept int }{{12_000, 1, 1000}, {200, 100 << 10, 0}} {
		insertCalls(s, test.calls, test.size, true)
		other := s.Replica() // its first write trims the journal
		newest := other.Do(wrongSecret).Want(t, http.StatusUnauthorized).Header.Get("X-Request-Id")
		flush(other)
		if listed := tenant.Journal("status=404"); len(listed) != own {
			t.Errorf("%d calls of the tenant's client are left, want %d", len(listed), own)
		}
		if first := tenant.Journal("limit=1")[0].ID; first != newest {
			t.Errorf("the newest call is %s, want that with the wrong secret, %s", first, newest)
		}
		kept := servertest.Value[int](s, "select count(*) from calls where unauthenticated")
		size := servertest.Value[int](s, "select sum(size) from calls where unauthenticated")
		if test.kept > 0 && kept != test.kept || size > 5<<20 {
			t.Errorf("%d calls without a valid credential and %d bytes are left", kept, size)
		}
	}
}

// TestUnauthenticatedCalls checks which calls count as unauthenticated.
func TestUnauthenticatedCalls(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	_, uploadURL := acme.Announce("a.txt")
	uploadPath := strings.TrimPrefix(uploadURL, s.URL)
	status := "GET /universal/v2/universal-submit/status/" + servertest.Absent
	basic := func(id, secret string) map[string]string {
		return map[string]string{"Authorization": servertest.Basic(id, secret)}
	}
	for name, test := range map[string]struct {
		call     servertest.Call
		stranger bool
	}{
		"right secret":             {servertest.Call{Line: servertest.GetToken, Header: basic("acme-client", "acme-secret")}, false},
		"wrong secret":             {servertest.Call{Line: servertest.GetToken, Header: basic("acme-client", "x")}, true},
		"client id, unknown route": {servertest.Call{Line: "GET /nothing", Header: basic("acme-client", "acme-secret")}, true},
		"API key alone":            {servertest.Call{Line: status, Key: acme.Key}, true},
		"token and API key":        {servertest.Call{Line: status, Token: acme.Token, Key: acme.Key}, false},
		"token, wrong API key":     {servertest.Call{Line: status, Token: acme.Token, Key: "x"}, false},
		"token, unknown route":     {servertest.Call{Line: "GET /nothing", Token: acme.Token}, false},
		"upload URL":               {servertest.Call{Line: "PUT " + uploadPath}, false},
		"upload URL, wrong method": {servertest.Call{Line: "POST " + uploadPath}, false},
		"nothing":                  {servertest.Call{Line: "GET /nothing"}, false}, // belongs to no tenant
	} {
		checkStranger(s, name, test.call, test.stranger)
	}
	s.Pass(48 * time.Hour)
	checkStranger(s, "expired token", servertest.Call{Line: status, Token: acme.Token, Key: acme.Key}, true)
	checkStranger(s, "expired token, unknown route", servertest.Call{Line: "GET /nothing", Token: acme.Token}, true)
}

func checkStranger(s *servertest.Server, name string, call servertest.Call, want bool) {
	s.T.Helper()
	id := s.Do(call).Header.Get("X-Request-Id")
	flush(s)
	if got := servertest.Value[bool](s, "select unauthenticated from calls where id = $1", id); got != want {
		s.T.Errorf("%s: unauthenticated %t, want %t", name, got, want)
	}
}

// TestSizeOfCall checks that a long method is cut, and that the size of a call includes
// all texts of the client, so that the limits hold.
func TestSizeOfCall(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	method, txID := strings.Repeat("A", 10_000), strings.Repeat("x", 5000)
	acme.DoUnchecked(method+" /hooks", "").Want(t, http.StatusNotFound)
	acme.DoUnchecked("GET /universal/v2/universal-submit/status/"+txID, "").Want(t, http.StatusNotFound)
	calls := s.Tenant("acme").Journal("limit=2")
	if got := calls[1].Method; got != method[:32] {
		t.Errorf("the journal has a method of %d bytes, want its first 32", len(got))
	}
	if missing := servertest.Value[int](s, `select count(*) from calls where size < octet_length(client_id || method || path || route || tx_id
		|| filename || content_type || request_headers::text || response_headers::text || reason)
		+ octet_length(request_body) + octet_length(response_body)`); missing > 0 {
		t.Errorf("the size of %d calls does not include all texts", missing)
	}
}

// flush makes the server write the calls that are queued.
func flush(s *servertest.Server) {
	s.T.Helper()
	if err := s.App.Journal.Flush(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
}

// insertCalls adds calls of the tenant acme to the journal, each of the size in
// bytes.
func insertCalls(s *servertest.Server, calls, size int, unauthenticated bool) {
	s.T.Helper()
	s.Exec(`
		insert into calls (
			tenant_id, id, at, begun_at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
			request_headers, request_body, request_size, response_headers, response_body, response_size, size, unauthenticated
		)
		select id, gen_random_uuid(), now(), now(), '0', '', 'GET', '/', 'GET /', 200, '', false, '{}', '', '', '{}', '', 0, '{}', '', 0, $2, $3
		from tenants, generate_series(1, $1)
		where name = 'acme'`, calls, size, unauthenticated)
}
