package audit_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

type entry struct {
	ID                                                        int64
	At, Token, RemoteAddress, RequestID, Method, Path, Tenant string
	Remote                                                    string `json:"remote_address"`
	Request                                                   string `json:"request_id"`
	Status                                                    *int
}

// entries returns the entries that the query selects, and where the next page begins.
func entries(s *servertest.Server, header map[string]string, query string) (list []entry, before int64) {
	s.T.Helper()
	response := s.ControlWith(s.T, s.ControlClient, "GET /audit"+query, "", header).Want(s.T, http.StatusOK)
	var page struct {
		Entries []entry
		Before  int64
	}
	if err := json.Unmarshal([]byte(response.Body), &page); err != nil {
		s.T.Fatal(err)
	}
	return page.Entries, page.Before
}

// TestChangesAreAudited checks the entries of calls with two tokens: calls that change
// something or are refused for their content have one, and calls that read, or have no
// valid token, have none.
func TestChangesAreAudited(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, documents: every change is in the audit log")
	s := servertest.New(t, func(o *servertest.Options) {
		o.Access = control.Access{Tokens: []control.Token{{Name: "default", Value: "sesame"}, {Name: "ci", Value: "open=sesame"}}}
	})
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	call := func(line, body, token string, status int) string {
		t.Helper()
		return s.ControlWith(t, s.ControlClient, line, body, bearer(token)).Want(t, status).Header.Get("X-Request-Id")
	}
	created := call("POST /tenants", `{"name":"newcomer"}`, "sesame", http.StatusCreated)
	call("GET /tenants", "", "ci", http.StatusUnauthorized)
	call("GET /tenants", "", "open=sesame", http.StatusOK)
	call("POST /tenants", `{"name":"other"}`, "wrong", http.StatusUnauthorized)
	refused := call("PATCH /tenants/newcomer/settings", `{"unknown":1}`, "open=sesame", http.StatusBadRequest)
	deleted := call("DELETE /tenants/newcomer", "", "open=sesame", http.StatusNoContent)

	all, before := entries(s, bearer("sesame"), "")
	var got []string
	for _, e := range all {
		if e.Remote != "127.0.0.1" || e.At == "" || e.Status == nil {
			t.Errorf("entry %+v", e)
			continue
		}
		got = append(got, fmt.Sprintf("%s %s %s %q %d %s", e.Token, e.Method, e.Path, e.Tenant, *e.Status, e.Request))
	}
	want := []string{
		`ci DELETE /control/v1/tenants/newcomer "newcomer" 204 ` + deleted,
		`ci PATCH /control/v1/tenants/newcomer/settings "newcomer" 400 ` + refused,
		`default POST /control/v1/tenants "" 201 ` + created,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || before != 0 {
		t.Errorf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	for query, want := range map[string]int{
		"?tenant=newcomer": 2, "?tenant=": 1, "?token=ci": 2, "?token=nobody": 0, "?since=2026-03-02T09:00:00Z": 3, "?until=2026-03-02T09:00:00Z": 0,
	} {
		if list, _ := entries(s, bearer("sesame"), query); len(list) != want {
			t.Errorf("%s: %d entries, want %d", query, len(list), want)
		}
	}
	first, before := entries(s, bearer("sesame"), "?limit=2")
	rest, end := entries(s, bearer("sesame"), fmt.Sprintf("?limit=2&before=%d", before))
	if len(first) != 2 || len(rest) != 1 || end != 0 || rest[0].ID >= first[1].ID {
		t.Errorf("pages of %d and %d entries, then %d", len(first), len(rest), end)
	}
	for _, query := range []string{"?limit=0", "?before=x", "?since=yesterday", "?who=me"} {
		s.ControlWith(t, s.ControlClient, "GET /audit"+query, "", bearer("sesame")).Want(t, http.StatusBadRequest)
	}
}

// TestLongNamesAreCut checks that an unknown tenant with a long name is an unknown tenant,
// and that the entries of such calls are small.
func TestLongNamesAreCut(t *testing.T) {
	s := servertest.New(t)
	random := make([]byte, 4500) // so that an index cannot compress the name
	rand.NewChaCha8([32]byte{}).Read(random)
	name := hex.EncodeToString(random)
	s.ControlWith(t, s.ControlClient, "DELETE /tenants/"+name, "", nil).Want(t, http.StatusNotFound)
	list, _ := entries(s, nil, "")
	if len(list) != 1 || list[0].Tenant != name[:255] || len(list[0].Path) != 2<<10 {
		t.Errorf("%d entries: %+v", len(list), list)
	}
}

// TestNoChangeWithoutAnEntry checks that a call is not made if its entry cannot be
// written, and that an entry remains of a call whose end was not recorded.
func TestNoChangeWithoutAnEntry(t *testing.T) {
	s := servertest.New(t)
	s.Exec("alter table audit_entries rename to away")
	s.ControlWith(t, &http.Client{}, "POST /tenants", `{"name":"newcomer"}`, nil).Want(t, http.StatusInternalServerError)
	s.Exec("alter table away rename to audit_entries")
	s.Control("GET /tenants/newcomer", "").Want(t, http.StatusNotFound)

	s.Exec(`
		create function forget() returns trigger language plpgsql as 'begin return null; end';
		create trigger forget before update on audit_entries for each row execute function forget()`)
	s.Control("POST /tenants", `{"name":"newcomer"}`).Want(t, http.StatusCreated)
	if list, _ := entries(s, nil, ""); len(list) != 1 || list[0].Status != nil || list[0].Token != "" {
		t.Errorf("entries %+v, want one without a status", list)
	}
}

// TestOldEntriesAreDeleted checks that the newest 100,000 entries are kept.
func TestOldEntriesAreDeleted(t *testing.T) {
	s := servertest.New(t)
	s.Exec(`
		insert into audit_entries (at, token, remote_address, request_id, method, path, tenant)
		select now(), '', '', '', 'POST', '/', 'old'
		from generate_series(1, 1001)`)
	s.Exec("alter table audit_entries alter column id restart with 101000")
	s.Control("POST /tenants", "{}").Want(t, http.StatusCreated)
	if old := servertest.Value[int](s, "select count(*) from audit_entries where tenant = 'old'"); old != 1 {
		t.Errorf("%d old entries remain, want 1", old)
	}
}
