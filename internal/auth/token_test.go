package auth_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

const (
	urlencoded = "application/x-www-form-urlencoded"
	granting   = "POST /auth/token?grant_type=client_credentials"
)

// header is the headers of a token request: authorization and content type,
// either of which may be empty.
func header(authorization, contentType string) map[string]string {
	all := map[string]string{}
	if authorization != "" {
		all["Authorization"] = authorization
	}
	if contentType != "" {
		all["Content-Type"] = contentType
	}
	return all
}

// fields is a multipart form of plain fields, given as name, value, name, value.
func fields(t *testing.T, namesAndValues ...string) (contentType, body string) {
	t.Helper()
	var all []part
	for i := 0; i < len(namesAndValues); i += 2 {
		all = append(all, servertest.Part{name: namesAndValues[i], content: []byte(namesAndValues[i+1])})
	}
	return servertest.Form(t, all...)
}

func TestTokenForms(t *testing.T) {
	w := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	kind, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client",
		"client_secret", "acme-secret", "api_key", "acme-api-key")
	grantKind, grantOnly := fields(t, "grant_type", "client_credentials")
	const all = "grant_type=client_credentials&client_id=acme-client&client_secret=acme-secret"
	for name, c := range map[string]call{
		"Basic, grant in the query":        {Line: granting, Header: header(basic, "")},
		"scheme in lower case":             {Line: granting, Header: header("basic"+strings.TrimPrefix(basic, "Basic"), "")},
		"scheme in upper case":             {Line: granting, Header: header("BASIC"+strings.TrimPrefix(basic, "Basic"), "")},
		"Basic, unknown query parameters":  {Line: granting + "&scope=all&api_key=k", Header: header(basic, "")},
		"Basic, grant in a form":           {Line: "POST /auth/token", Header: header(basic, urlencoded), Body: "grant_type=client_credentials"},
		"Basic, grant in a multipart form": {Line: "POST /auth/token", Header: header(basic, grantKind), Body: grantOnly},
		"Basic, form id without a value":   {Line: granting, Header: header(basic, urlencoded), Body: "client_id=&client_secret="},
		"form":                             {Line: "POST /auth/token", Header: header("", urlencoded), Body: all},
		"form with a charset":              {Line: "POST /auth/token", Header: header("", urlencoded+"; charset=utf-8"), Body: all},
		"form, unknown fields":             {Line: "POST /auth/token", Header: header("", urlencoded), Body: all + "&api_key=acme-api-key&scope=&x=1&x=2"},
		"form, grant in the query":         {Line: granting, Header: header("", urlencoded), Body: "client_id=acme-client&client_secret=acme-secret"},
		"multipart, unknown fields":        {Line: "POST /auth/token", Header: header("", kind), Body: multipart},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Do(c).Want(t, http.StatusOK)
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
			}
			if got.Text(t, "extra", "raw_info", "tenant_name") != "acme" {
				t.Errorf("token of %s", got.Body)
			}
			w.status401(t, got.Text(t, "access_token"), false)
		})
	}
}

// status401 asks for a status with the access token, and wants it to be
// refused or not.
func (w *servertest.Server) status401(t *testing.T, token string, refused bool) {
	t.Helper()
	got := w.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + uuid.NewString(), Token: token, Key: "acme-api-key"})
	want := http.StatusNotFound
	if refused {
		want = http.StatusUnauthorized
	}
	if got.Status != want {
		t.Errorf("status with the token answers %d %s, want %d", got.Status, got.Body, want)
	}
}

func TestTokenBadCredentials(t *testing.T) {
	w := servertest.New(t)
	w.Exec("update clients set revoked_at = created_at where id = 'globex-client'")
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	kind, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client", "client_secret", "no")
	for name, c := range map[string]call{
		"none":                   {Line: granting},
		"empty header":           {Line: granting, Header: map[string]string{"Authorization": ""}},
		"scheme only":            {Line: granting, Header: header("Basic", "")},
		"another scheme":         {Line: granting, Header: header("Bearer abc", "")},
		"not base64":             {Line: granting, Header: header("Basic !!!", "")},
		"no colon":               {Line: granting, Header: header(encode("acme-client"), "")},
		"nothing but a colon":    {Line: granting, Header: header(encode(":"), "")},
		"unknown client":         {Line: granting, Header: header(servertest.Basic("nobody", "acme-secret"), "")},
		"client of another case": {Line: granting, Header: header(servertest.Basic("Acme-Client", "acme-secret"), "")},
		"wrong secret":           {Line: granting, Header: header(servertest.Basic("acme-client", "acme-secre"), "")},
		"empty secret":           {Line: granting, Header: header(servertest.Basic("acme-client", ""), "")},
		"another client's":       {Line: granting, Header: header(servertest.Basic("acme-client", "acme-company-secret"), "")},
		"secret and more":        {Line: granting, Header: header(servertest.Basic("acme-client", "acme-secret:x"), "")},
		"revoked client":         {Line: granting, Header: header(servertest.Basic("globex-client", "globex-secret"), "")},
		"NUL":                    {Line: granting, Header: header(encode("acme\x00client:acme-secret"), "")},
		"not UTF-8":              {Line: granting, Header: header(encode("acme\xff:acme-secret"), "")},
		"form without secret":    {Line: granting, Header: header("", urlencoded), Body: "client_id=acme-client"},
		"form without id":        {Line: granting, Header: header("", urlencoded), Body: "client_secret=acme-secret"},
		"form, wrong secret":     {Line: granting, Header: header("", urlencoded), Body: "client_id=acme-client&client_secret=no"},
		"multipart, wrong":       {Line: "POST /auth/token", Header: header("", kind), Body: multipart},
		"id in the query only":   {Line: granting + "&client_id=acme-client"},
		"API key for a secret":   {Line: granting, Header: header(servertest.Basic("acme-client", "acme-api-key"), "")},
	} {
		t.Run(name, func(t *testing.T) {
			w.Unchanged(t, func() {
				got := w.Do(c).Want(t, http.StatusUnauthorized, `{"error":"invalid_client","error_description":"Client authentication failed"}`)
				if diff := cmp.Diff([]string{"Basic"}, got.Header.Values("WWW-Authenticate")); diff != "" {
					t.Error(diff)
				}
				if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Type") != "application/json" {
					t.Errorf("header %v", got.Header)
				}
			})
		})
	}
}

func TestTokenBadRequests(t *testing.T) {
	w := servertest.New(t)
	basic := header(servertest.Basic("acme-client", "acme-secret"), "")
	basicForm := header(servertest.Basic("acme-client", "acme-secret"), urlencoded)
	globex := w.NewToken(auth.Demos[1]).Text(t, "refresh_token")
	const refreshing = "POST /auth/token?grant_type=refresh_token"
	for name, c := range map[string]struct {
		call
		status int
		code   string
	}{
		"Basic and form credentials":      {servertest.Call{Line: granting, Header: basicForm, Body: "client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"Basic and a form id":             {servertest.Call{Line: granting, Header: basicForm, Body: "client_id=acme-client"}, 400, "invalid_request"},
		"Basic and a form secret":         {servertest.Call{Line: granting, Header: basicForm, Body: "client_secret=acme-secret"}, 400, "invalid_request"},
		"secret in the query":             {servertest.Call{Line: granting + "&client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"secret in the query, and Basic":  {servertest.Call{Line: granting + "&client_secret=acme-secret", Header: basic}, 400, "invalid_request"},
		"form secret twice":               {servertest.Call{Line: granting, Header: header("", urlencoded), Body: "client_id=acme-client&client_secret=acme-secret&client_secret=x"}, 400, "invalid_request"},
		"form id twice":                   {servertest.Call{Line: granting, Header: header("", urlencoded), Body: "client_id=acme-client&client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"grant missing":                   {servertest.Call{Line: "POST /auth/token", Header: basic}, 400, "invalid_request"},
		"grant empty":                     {servertest.Call{Line: "POST /auth/token?grant_type=", Header: basic}, 400, "invalid_request"},
		"grant twice in the query":        {servertest.Call{Line: granting + "&grant_type=client_credentials", Header: basic}, 400, "invalid_request"},
		"grant twice in the form":         {servertest.Call{Line: "POST /auth/token", Header: basicForm, Body: "grant_type=client_credentials&grant_type=client_credentials"}, 400, "invalid_request"},
		"grant in query and form":         {servertest.Call{Line: granting, Header: basicForm, Body: "grant_type=client_credentials"}, 400, "invalid_request"},
		"password grant":                  {servertest.Call{Line: "POST /auth/token?grant_type=password&username=a&password=b", Header: basic}, 400, "unsupported_grant_type"},
		"authorization code grant":        {servertest.Call{Line: "POST /auth/token?grant_type=authorization_code&code=a", Header: basic}, 400, "unsupported_grant_type"},
		"grant of another case":           {servertest.Call{Line: "POST /auth/token?grant_type=Client_Credentials", Header: basic}, 400, "unsupported_grant_type"},
		"malformed query":                 {servertest.Call{Line: granting + "&x=%zz", Header: basic}, 400, "invalid_request"},
		"malformed form":                  {servertest.Call{Line: granting, Header: basicForm, Body: "x=%zz"}, 400, "invalid_request"},
		"malformed multipart":             {servertest.Call{Line: granting, Header: header(basic["Authorization"], "multipart/form-data; boundary=b"), Body: "--b\r\nx"}, 400, "invalid_request"},
		"multipart without boundary":      {servertest.Call{Line: granting, Header: header(basic["Authorization"], "multipart/form-data"), Body: "--b--\r\n"}, 400, "invalid_request"},
		"form too large":                  {servertest.Call{Line: granting, Header: basicForm, Body: "x=" + strings.Repeat("x", 64<<10)}, 413, "invalid_request"},
		"refresh token missing":           {servertest.Call{Line: refreshing, Header: basic}, 400, "invalid_request"},
		"refresh token empty":             {servertest.Call{Line: refreshing + "&refresh_token=", Header: basic}, 400, "invalid_request"},
		"refresh token twice":             {servertest.Call{Line: refreshing + "&refresh_token=a&refresh_token=b", Header: basic}, 400, "invalid_request"},
		"refresh token garbage":           {servertest.Call{Line: refreshing + "&refresh_token=abc", Header: basic}, 400, "invalid_grant"},
		"refresh token of another client": {servertest.Call{Line: refreshing + "&refresh_token=" + globex, Header: basic}, 400, "invalid_grant"},
		"access token for refresh":        {servertest.Call{Line: refreshing + "&refresh_token=" + w.Acme().Token, Header: basic}, 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			w.Unchanged(t, func() {
				got := w.Do(c.call).Want(t, c.status)
				if got.Text(t, "error") != c.code || got.Text(t, "error_description") == "" {
					t.Errorf("answer %s, want %s", got.Body, c.code)
				}
				if got.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
				}
			})
		})
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "BREW"} {
		got := w.Do(servertest.Call{Line: method + " /auth/token?grant_type=client_credentials", Header: basic}).Want(t, http.StatusMethodNotAllowed)
		if got.Header.Get("Allow") != "POST" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v", method, got.Header)
		}
	}
}

func TestTokenAnswer(t *testing.T) {
	w := servertest.New(t)
	for _, demo := range auth.Demos {
		first := w.token(demo)
		w.Pass(3 * time.Hour)
		second := w.token(demo)
		for _, secret := range []string{"access_token", "refresh_token"} {
			if first.Text(t, secret) == second.Text(t, secret) {
				t.Errorf("%s: %s twice the same", demo.ClientID, secret)
			}
			// What is fresh each time has no place in the expected body.
			first.Body = strings.Replace(first.Body, first.Text(t, secret), secret, 1)
			second.Body = strings.Replace(second.Body, second.Text(t, secret), secret, 1)
		}
		if diff := cmp.Diff(first.Body, second.Body); diff != "" {
			t.Errorf("%s: two tokens tell different things:\n%s", demo.ClientID, diff)
		}
		servertest.Golden(t, "token-"+demo.ClientID+".json", first.Body)
	}
}
