package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/auth"
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
		all = append(all, part{name: namesAndValues[i], content: []byte(namesAndValues[i+1])})
	}
	return form(t, all...)
}

func TestTokenForms(t *testing.T) {
	w := newWorld(t)
	basic := basicAuth("acme-client", "acme-secret")
	kind, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client",
		"client_secret", "acme-secret", "api_key", "acme-api-key")
	grantKind, grantOnly := fields(t, "grant_type", "client_credentials")
	const all = "grant_type=client_credentials&client_id=acme-client&client_secret=acme-secret"
	for name, c := range map[string]call{
		"Basic, grant in the query":        {line: granting, header: header(basic, "")},
		"scheme in lower case":             {line: granting, header: header("basic"+strings.TrimPrefix(basic, "Basic"), "")},
		"scheme in upper case":             {line: granting, header: header("BASIC"+strings.TrimPrefix(basic, "Basic"), "")},
		"Basic, unknown query parameters":  {line: granting + "&scope=all&api_key=k", header: header(basic, "")},
		"Basic, grant in a form":           {line: "POST /auth/token", header: header(basic, urlencoded), body: "grant_type=client_credentials"},
		"Basic, grant in a multipart form": {line: "POST /auth/token", header: header(basic, grantKind), body: grantOnly},
		"Basic, form id without a value":   {line: granting, header: header(basic, urlencoded), body: "client_id=&client_secret="},
		"form":                             {line: "POST /auth/token", header: header("", urlencoded), body: all},
		"form with a charset":              {line: "POST /auth/token", header: header("", urlencoded+"; charset=utf-8"), body: all},
		"form, unknown fields":             {line: "POST /auth/token", header: header("", urlencoded), body: all + "&api_key=acme-api-key&scope=&x=1&x=2"},
		"form, grant in the query":         {line: granting, header: header("", urlencoded), body: "client_id=acme-client&client_secret=acme-secret"},
		"multipart, unknown fields":        {line: "POST /auth/token", header: header("", kind), body: multipart},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.do(c).want(t, http.StatusOK)
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
			}
			if got.text(t, "extra", "raw_info", "tenant_name") != "acme" {
				t.Errorf("token of %s", got.Body)
			}
			w.status401(t, got.text(t, "access_token"), false)
		})
	}
}

// status401 asks for a status with the access token, and wants it to be
// refused or not.
func (w *world) status401(t *testing.T, token string, refused bool) {
	t.Helper()
	got := w.do(call{line: "GET /universal/v2/universal-submit/status/" + uuid.NewString(), token: token, key: "acme-api-key"})
	want := http.StatusNotFound
	if refused {
		want = http.StatusUnauthorized
	}
	if got.Status != want {
		t.Errorf("status with the token answers %d %s, want %d", got.Status, got.Body, want)
	}
}

func TestTokenBadCredentials(t *testing.T) {
	w := newWorld(t)
	w.exec("update clients set revoked_at = created_at where id = 'globex-client'")
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	kind, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client", "client_secret", "no")
	for name, c := range map[string]call{
		"none":                   {line: granting},
		"empty header":           {line: granting, header: map[string]string{"Authorization": ""}},
		"scheme only":            {line: granting, header: header("Basic", "")},
		"another scheme":         {line: granting, header: header("Bearer abc", "")},
		"not base64":             {line: granting, header: header("Basic !!!", "")},
		"no colon":               {line: granting, header: header(encode("acme-client"), "")},
		"nothing but a colon":    {line: granting, header: header(encode(":"), "")},
		"unknown client":         {line: granting, header: header(basicAuth("nobody", "acme-secret"), "")},
		"client of another case": {line: granting, header: header(basicAuth("Acme-Client", "acme-secret"), "")},
		"wrong secret":           {line: granting, header: header(basicAuth("acme-client", "acme-secre"), "")},
		"empty secret":           {line: granting, header: header(basicAuth("acme-client", ""), "")},
		"another client's":       {line: granting, header: header(basicAuth("acme-client", "acme-company-secret"), "")},
		"secret and more":        {line: granting, header: header(basicAuth("acme-client", "acme-secret:x"), "")},
		"revoked client":         {line: granting, header: header(basicAuth("globex-client", "globex-secret"), "")},
		"NUL":                    {line: granting, header: header(encode("acme\x00client:acme-secret"), "")},
		"not UTF-8":              {line: granting, header: header(encode("acme\xff:acme-secret"), "")},
		"form without secret":    {line: granting, header: header("", urlencoded), body: "client_id=acme-client"},
		"form without id":        {line: granting, header: header("", urlencoded), body: "client_secret=acme-secret"},
		"form, wrong secret":     {line: granting, header: header("", urlencoded), body: "client_id=acme-client&client_secret=no"},
		"multipart, wrong":       {line: "POST /auth/token", header: header("", kind), body: multipart},
		"id in the query only":   {line: granting + "&client_id=acme-client"},
		"API key for a secret":   {line: granting, header: header(basicAuth("acme-client", "acme-api-key"), "")},
	} {
		t.Run(name, func(t *testing.T) {
			w.unchanged(t, func() {
				got := w.do(c).want(t, http.StatusUnauthorized, `{"error":"invalid_client","error_description":"Client authentication failed"}`)
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
	w := newWorld(t)
	basic := header(basicAuth("acme-client", "acme-secret"), "")
	basicForm := header(basicAuth("acme-client", "acme-secret"), urlencoded)
	globex := w.token(auth.Demos[1]).text(t, "refresh_token")
	const refreshing = "POST /auth/token?grant_type=refresh_token"
	for name, c := range map[string]struct {
		call
		status int
		code   string
	}{
		"Basic and form credentials":      {call{line: granting, header: basicForm, body: "client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"Basic and a form id":             {call{line: granting, header: basicForm, body: "client_id=acme-client"}, 400, "invalid_request"},
		"Basic and a form secret":         {call{line: granting, header: basicForm, body: "client_secret=acme-secret"}, 400, "invalid_request"},
		"secret in the query":             {call{line: granting + "&client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"secret in the query, and Basic":  {call{line: granting + "&client_secret=acme-secret", header: basic}, 400, "invalid_request"},
		"form secret twice":               {call{line: granting, header: header("", urlencoded), body: "client_id=acme-client&client_secret=acme-secret&client_secret=x"}, 400, "invalid_request"},
		"form id twice":                   {call{line: granting, header: header("", urlencoded), body: "client_id=acme-client&client_id=acme-client&client_secret=acme-secret"}, 400, "invalid_request"},
		"grant missing":                   {call{line: "POST /auth/token", header: basic}, 400, "invalid_request"},
		"grant empty":                     {call{line: "POST /auth/token?grant_type=", header: basic}, 400, "invalid_request"},
		"grant twice in the query":        {call{line: granting + "&grant_type=client_credentials", header: basic}, 400, "invalid_request"},
		"grant twice in the form":         {call{line: "POST /auth/token", header: basicForm, body: "grant_type=client_credentials&grant_type=client_credentials"}, 400, "invalid_request"},
		"grant in query and form":         {call{line: granting, header: basicForm, body: "grant_type=client_credentials"}, 400, "invalid_request"},
		"password grant":                  {call{line: "POST /auth/token?grant_type=password&username=a&password=b", header: basic}, 400, "unsupported_grant_type"},
		"authorization code grant":        {call{line: "POST /auth/token?grant_type=authorization_code&code=a", header: basic}, 400, "unsupported_grant_type"},
		"grant of another case":           {call{line: "POST /auth/token?grant_type=Client_Credentials", header: basic}, 400, "unsupported_grant_type"},
		"malformed query":                 {call{line: granting + "&x=%zz", header: basic}, 400, "invalid_request"},
		"malformed form":                  {call{line: granting, header: basicForm, body: "x=%zz"}, 400, "invalid_request"},
		"malformed multipart":             {call{line: granting, header: header(basic["Authorization"], "multipart/form-data; boundary=b"), body: "--b\r\nx"}, 400, "invalid_request"},
		"multipart without boundary":      {call{line: granting, header: header(basic["Authorization"], "multipart/form-data"), body: "--b--\r\n"}, 400, "invalid_request"},
		"form too large":                  {call{line: granting, header: basicForm, body: "x=" + strings.Repeat("x", 64<<10)}, 413, "invalid_request"},
		"refresh token missing":           {call{line: refreshing, header: basic}, 400, "invalid_request"},
		"refresh token empty":             {call{line: refreshing + "&refresh_token=", header: basic}, 400, "invalid_request"},
		"refresh token twice":             {call{line: refreshing + "&refresh_token=a&refresh_token=b", header: basic}, 400, "invalid_request"},
		"refresh token garbage":           {call{line: refreshing + "&refresh_token=abc", header: basic}, 400, "invalid_grant"},
		"refresh token of another client": {call{line: refreshing + "&refresh_token=" + globex, header: basic}, 400, "invalid_grant"},
		"access token for refresh":        {call{line: refreshing + "&refresh_token=" + w.acme().token, header: basic}, 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			w.unchanged(t, func() {
				got := w.do(c.call).want(t, c.status)
				if got.text(t, "error") != c.code || got.text(t, "error_description") == "" {
					t.Errorf("answer %s, want %s", got.Body, c.code)
				}
				if got.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
				}
			})
		})
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "BREW"} {
		got := w.do(call{line: method + " /auth/token?grant_type=client_credentials", header: basic}).want(t, http.StatusMethodNotAllowed)
		if got.Header.Get("Allow") != "POST" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v", method, got.Header)
		}
	}
}

func TestTokenAnswer(t *testing.T) {
	w := newWorld(t)
	for _, demo := range auth.Demos {
		first := w.token(demo)
		w.pass(3 * time.Hour)
		second := w.token(demo)
		for _, secret := range []string{"access_token", "refresh_token"} {
			if first.text(t, secret) == second.text(t, secret) {
				t.Errorf("%s: %s twice the same", demo.ClientID, secret)
			}
			// What is fresh each time has no place in the expected body.
			first.Body = strings.Replace(first.Body, first.text(t, secret), secret, 1)
			second.Body = strings.Replace(second.Body, second.text(t, secret), secret, 1)
		}
		if diff := cmp.Diff(first.Body, second.Body); diff != "" {
			t.Errorf("%s: two tokens tell different things:\n%s", demo.ClientID, diff)
		}
		golden(t, "token-"+demo.ClientID+".json", first.Body)
	}
}
