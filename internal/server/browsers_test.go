package server_test

import (
	"net/http"
	"strings"
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

// TestRebindingIsRefused checks that a page whose host name points to this machine cannot
// use the demo credentials, and that everybody else can call the API under any name.
func TestRebindingIsRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, process: local: a web page cannot call the API under a host name of its own: 403")
	s := servertest.New(t, func(o *servertest.Options) {
		o.PublicURL = "https://Public.example"
		o.Access.Hosts = []string{" understudy"}
	})
	body := "grant_type=client_credentials&client_id=acme-client&client_secret=acme-secret"
	token := func(host, origin string) (status int, hint string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/auth/token", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode, response.Header.Get("X-Understudy-Hint")
	}
	ordinary, _ := token("evil.example:8080", "") // no browser
	if ordinary == http.StatusForbidden {
		t.Errorf("a client that is no browser got %d", ordinary)
	}
	for host, want := range map[string]int{
		"evil.example": 403, "evil.example:8080": 403, "EVIL.example.:8080": 403, "127.0.0.1.evil.example": 403,
		"127.0.0.1:8080": ordinary, "[::1]:8080": ordinary, "localhost:8080": ordinary, "a.localhost": ordinary, "public.example": ordinary, "understudy:8080": ordinary,
	} {
		got, hint := token(host, "http://"+host)
		if got != want {
			t.Errorf("own page at %s: %d, want %d", host, got, want)
		}
		if got == 403 && !strings.Contains(hint, "add it to CONTROL_HOSTS") {
			t.Errorf("hint %q", hint)
		}
	}
	if got, _ := token("evil.example:8080", "null"); got != http.StatusForbidden {
		t.Errorf("a page that hides its origin: %d, want 403", got)
	}
	if got, _ := token("understudy.internal:8080", "http://localhost:3000"); got != ordinary {
		t.Errorf("a page of another origin: %d; browsers enforce what it can read", got)
	}
}
