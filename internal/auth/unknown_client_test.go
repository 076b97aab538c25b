package auth_test

import (
	"maps"
	"net/http"
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
