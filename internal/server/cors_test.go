package server_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// preflight makes the call with which a browser asks whether a page may call the API.
func preflight(s *servertest.Server, origin string) servertest.Response {
	s.T.Helper()
	return s.DoWith(http.DefaultClient, servertest.Call{Line: "OPTIONS /company/v1/company_submit", Header: map[string]string{
		"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type,x-api-key",
	}})
}

// TestPagesOfAllowedOriginsCanCallTheAPI checks the headers that browsers ask for.
func TestPagesOfAllowedOriginsCanCallTheAPI(t *testing.T) {
	const origin = "https://app.example"
	s := servertest.New(t, func(o *servertest.Options) { o.CORSOrigins = []string{origin, "http://localhost:3000"} })
	allowed := preflight(s, origin).Want(t, http.StatusNoContent, "")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "authorization,content-type,x-api-key", "Access-Control-Allow-Credentials": "",
	} {
		if got := allowed.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := preflight(s, "https://other.example").Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("another origin is allowed: %s", got)
	}
	acme := s.Acme()
	call := servertest.Call{
		Line: servertest.SubmitCompany, Token: acme.Token, Key: acme.Key, Body: `{"company_name":"A","address":"B"}`,
		Header: map[string]string{"Origin": "http://localhost:3000"},
	}
	submitted := s.Do(call).Want(t, http.StatusOK)
	if submitted.Header.Get("Access-Control-Allow-Origin") != "http://localhost:3000" || submitted.Header.Get("Access-Control-Expose-Headers") == "" {
		t.Errorf("header %v", submitted.Header)
	}
	call.Token = ""
	if refused := s.Do(call).Want(t, http.StatusUnauthorized); refused.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Error("a page cannot read why a call was refused")
	}
	// An OPTIONS call that is no preflight is an unknown route.
	s.Do(servertest.Call{Line: "OPTIONS /company/v1/company_submit"}).Want(t, http.StatusForbidden, servertest.UnknownRoute)
}

// TestWithoutOriginsNothingIsAllowed checks that a preflight call is an unknown route, and
// that no response has a CORS header.
func TestWithoutOriginsNothingIsAllowed(t *testing.T) {
	s := servertest.New(t)
	refused := preflight(s, "https://app.example").Want(t, http.StatusForbidden, servertest.UnknownRoute)
	acme := s.Acme()
	read := s.Do(servertest.Call{
		Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token, Key: acme.Key,
		Header: map[string]string{"Origin": "https://app.example"},
	}).Want(t, http.StatusNotFound)
	for _, response := range []servertest.Response{refused, read} {
		for _, name := range []string{"Access-Control-Allow-Origin", "Vary"} {
			if got := response.Header.Get(name); got != "" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}
