package auth_test

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestUnknownClientsCostTheSame checks that a token call runs the same SQL statements
// whether the client id is known, unknown, revoked or cannot be stored, also when the
// call names an API key by which the journal can attribute it. Otherwise the time of the
// response would reveal which clients exist.
func TestUnknownClientsCostTheSame(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, shared, statements.Record(t))
	s.Exec("update clients set revoked_at = created_at where id = 'globex-client'")
	for name, header := range map[string]map[string]string{
		"no API key":      {},
		"an API key":      {"X-Api-Key": "acme-api-key"},
		"a wrong API key": {"X-Api-Key": "nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(id string) []string {
				s.Pass(time.Second) // no client is cached
				call := tokenCall(grant, servertest.Basic(id, "wrong"), "", "")
				maps.Copy(call.Header, header)
				statements.Take()
				s.Do(call).Want(t, http.StatusUnauthorized)
				return statements.Take()
			}
			want := run("acme-client")
			if len(want) == 0 {
				t.Fatal("no statements were recorded")
			}
			for _, id := range []string{"nobody", "globex-client", "not\xffUTF-8", "NUL\x00"} {
				if diff := cmp.Diff(want, run(id)); diff != "" {
					t.Errorf("%q (- acme-client, + this one):\n%s", id, diff)
				}
			}
		})
	}
}

// TestUnknownClientsShareQueries checks that concurrent token calls for unknown clients share
// queries. With a query for each, calls of known clients would wait.
func TestUnknownClientsShareQueries(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	lock := s.Lock("lock table clients in access exclusive mode")
	const calls = 40
	var calling sync.WaitGroup
	for i := range calls {
		calling.Go(func() {
			s.Do(tokenCall(grant, servertest.Basic(fmt.Sprintf("nobody-%d", i), "wrong"), "", "")).Want(t, http.StatusUnauthorized)
		})
	}
	servertest.Until(t, "all calls are in progress", func() bool { return s.App.Requests.InFlight() == calls })
	statements.Take()
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	calling.Wait()
	if n := len(statements.Take()); n > calls/2 {
		t.Errorf("%d statements for %d calls, want at most %d", n, calls, calls/2)
	}
}
