package journal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestCallDetails checks that a call shows its hint and whether an outcome acted,
// that its mistakes are listed, and that lists can be searched and leave bodies out.
func TestCallDetails(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, journal: a call with its hint, and whether an outcome acted")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tenant.Control("PUT /outcomes", `{"match":{"company_name":"Foxglove Bakery LLC"},"facts":{"website":"https://foxglove.example"}}`).Want(t, http.StatusOK)
	company := tenant.Do(servertest.SubmitCompany, `{"company_name":"FOXGLOVE BAKERY LLC","address":"12 Mill Street"}`).Want(t, http.StatusOK)
	other := tenant.Do(servertest.SubmitCompany, `{"company_name":"Quayside Marine LLC","address":"12 Mill Street"}`).Want(t, http.StatusOK)
	untyped := s.Do(servertest.Call{
		Line: servertest.SubmitCompany, Token: tenant.Token, Key: tenant.Key, Header: map[string]string{"Content-Type": "text/plain"}, Body: `{"company_name":1}`,
	}).Want(t, http.StatusBadRequest)
	read := func(of servertest.Response) servertest.Response {
		t.Helper()
		return tenant.Control("GET /requests/"+of.Header.Get("X-Request-Id"), "").Want(t, http.StatusOK)
	}
	if got := read(company); got.Get(t, "outcome") != true || !strings.Contains(got.Body, `"outcome_match":{"company_name":"Foxglove Bakery LLC"}`) || strings.Contains(got.Body, `"hint"`) {
		t.Errorf("call on which an outcome acted %s", got.Body)
	}
	if got := read(other); strings.Contains(got.Body, `"outcome"`) {
		t.Errorf("call without an outcome %s", got.Body)
	}
	if got := read(untyped); got.Text(t, "hint") != untyped.Header.Get("X-Understudy-Hint") {
		t.Errorf("refused call %s", got.Body)
	}
	about := func(call servertest.Response) string {
		t.Helper()
		return fmt.Sprint(tenant.Control("GET /findings?request_id="+call.Header.Get("X-Request-Id"), "").Want(t, http.StatusOK).Get(t, "findings"))
	}
	if got := about(untyped); !strings.Contains(got, "rule:json-content-type") || !strings.Contains(got, "evidence:["+untyped.Header.Get("X-Request-Id")+"]") {
		t.Errorf("findings about the refused call %s", got)
	}
	if got := about(company); got != "[]" {
		t.Errorf("findings about another call %s", got)
	}
	for query, want := range map[string]int{"q=COMPANY_sub": 3, "q=nothing": 0, "q=%25": 0, "client_id=" + tenant.Credentials.ClientID: 4, "client_id=nobody": 0} {
		if calls := tenant.Journal(query); len(calls) != want {
			t.Errorf("%s: %d calls, want %d", query, len(calls), want)
		}
	}
	full, brief := tenant.Journal("limit=1")[0], tenant.Journal("limit=1&bodies=false")[0]
	if full.Request.Body == "" || brief.Request.Body != "" || brief.Response.Body != "" || brief.Request.Size != full.Request.Size || brief.ID != full.ID {
		t.Errorf("with bodies %+v, without %+v", full, brief)
	}
	if list := tenant.Control("GET /requests?bodies=false&limit=1", ""); !strings.Contains(list.Body, `"hint":"`) {
		t.Errorf("list without hints %s", list.Body)
	}
}
