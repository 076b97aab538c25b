package auth_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

const (
	urlencoded = "application/x-www-form-urlencoded"
	grant      = "grant_type=client_credentials"
)

// tokenCall returns a token request. Headers that are empty are left out.
func tokenCall(query, authorization, contentType, body string) servertest.Call {
	call := servertest.Call{Line: "POST /auth/token", Header: map[string]string{}, Body: body}
	if query != "" {
		call.Line += "?" + query
	}
	if authorization != "" {
		call.Header["Authorization"] = authorization
	}
	if contentType != "" {
		call.Header["Content-Type"] = contentType
	}
	return call
}

// fields returns a multipart form of plain fields, given as name, value, name,
// value.
func fields(t *testing.T, namesAndValues ...string) (contentType, body string) {
	t.Helper()
	var parts []servertest.Part
	for i := 0; i < len(namesAndValues); i += 2 {
		parts = append(parts, servertest.Part{Name: namesAndValues[i], Content: []byte(namesAndValues[i+1])})
	}
	return servertest.Form(t, parts...)
}

// checkToken reads a status with the access token and wants the response status.
func checkToken(t *testing.T, s *servertest.Server, token string, status int) {
	t.Helper()
	got := s.Do(servertest.Call{Line: readStatus, Token: token, Key: "acme-api-key"})
	if got.Status != status {
		t.Errorf("status with the token: response %d %s, want %d", got.Status, got.Body, status)
	}
}

// TestTokenRequestFormats checks every way to give credentials and grant type.
func TestTokenRequestFormats(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "What the service does: 1 tokens by client credentials", "Endpoint 1, token: method, path, grant_type",
		"Chosen, token endpoint: Basic credentials or a form, urlencoded or multipart",
		"Chosen, token endpoint: unknown fields are ignored",
		"Chosen, token endpoint: equal values and the client's own id are accepted")
	basic := servertest.Basic("acme-client", "acme-secret")
	contentType, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client",
		"client_secret", "acme-secret", "api_key", "acme-api-key")
	grantType, grantOnly := fields(t, "grant_type", "client_credentials")
	const all = "grant_type=client_credentials&client_id=acme-client&client_secret=acme-secret"
	for name, c := range map[string]servertest.Call{
		"Basic, grant in the query":        tokenCall(grant, basic, "", ""),
		"scheme in lower case":             tokenCall(grant, "basic"+strings.TrimPrefix(basic, "Basic"), "", ""),
		"scheme in upper case":             tokenCall(grant, "BASIC"+strings.TrimPrefix(basic, "Basic"), "", ""),
		"Basic, unknown query parameters":  tokenCall(grant+"&scope=all&api_key=k", basic, "", ""),
		"Basic, grant in a form":           tokenCall("", basic, urlencoded, "grant_type=client_credentials"),
		"Basic, grant in a multipart form": tokenCall("", basic, grantType, grantOnly),
		"Basic, its own id in the form":    tokenCall(grant, basic, urlencoded, "client_id=acme-client"),
		"grant in query and form":          tokenCall(grant, basic, urlencoded, grant),
		"grant twice in the query":         tokenCall(grant+"&"+grant, basic, "", ""),
		"JSON type without a body":         tokenCall(grant, basic, "application/json", ""),
		"Basic, form id without a value":   tokenCall(grant, basic, urlencoded, "client_id=&client_secret="),
		"form":                             tokenCall("", "", urlencoded, all),
		"form with a charset":              tokenCall("", "", urlencoded+"; charset=utf-8", all),
		"form, unknown fields":             tokenCall("", "", urlencoded, all+"&api_key=acme-api-key&scope=&x=1&x=2"),
		"form, grant in the query":         tokenCall(grant, "", urlencoded, "client_id=acme-client&client_secret=acme-secret"),
		"multipart, unknown fields":        tokenCall("", "", contentType, multipart),
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Do(c).Want(t, http.StatusOK)
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
			}
			if got.Text(t, "extra", "raw_info", "tenant_name") != "acme" {
				t.Errorf("token of %s", got.Body)
			}
			checkToken(t, s, got.Text(t, "access_token"), http.StatusNotFound)
		})
	}
}

// TestRepeatedGrantTypeIsAccepted checks that equal values of grant_type are accepted,
// although the OpenAPI document does not describe such requests.
func TestRepeatedGrantTypeIsAccepted(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: equal values and the client's own id are accepted")
	s := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	for name, call := range map[string]servertest.Call{
		"twice in the form":          tokenCall("", basic, urlencoded, grant+"&"+grant),
		"without a value in a query": tokenCall("grant_type=", basic, urlencoded, grant),
	} {
		t.Run(name, func(t *testing.T) {
			s.DoWith(http.DefaultClient, call).Want(t, http.StatusOK)
		})
	}
}

func TestBadCredentialsAreRefused(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "Authentication: 2 Basic authentication for tokens",
		"Chosen, hints: one for all of invalid_client",
		"Chosen, token endpoint: errors in the form of RFC 6749, not cached",
		"Chosen, token endpoint: bad credentials: 401 invalid_client, the same bytes in each case")
	s.Exec("update clients set revoked_at = created_at where id = 'globex-client'")
	const hint = "send a known client id and its secret: by Basic authentication, or as the form fields client_id and client_secret"
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	contentType, multipart := fields(t, "grant_type", "client_credentials", "client_id", "acme-client", "client_secret", "no")
	for name, c := range map[string]servertest.Call{
		"none":                    tokenCall(grant, "", "", ""),
		"empty header":            {Line: servertest.GetToken, Header: map[string]string{"Authorization": ""}},
		"scheme only":             tokenCall(grant, "Basic", "", ""),
		"another scheme":          tokenCall(grant, "Bearer abc", "", ""),
		"not base64":              tokenCall(grant, "Basic !!!", "", ""),
		"no colon":                tokenCall(grant, encode("acme-client"), "", ""),
		"only a colon":            tokenCall(grant, encode(":"), "", ""),
		"unknown client":          tokenCall(grant, servertest.Basic("nobody", "acme-secret"), "", ""),
		"client in another case":  tokenCall(grant, servertest.Basic("Acme-Client", "acme-secret"), "", ""),
		"wrong secret":            tokenCall(grant, servertest.Basic("acme-client", "acme-secre"), "", ""),
		"empty secret":            tokenCall(grant, servertest.Basic("acme-client", ""), "", ""),
		"another client's":        tokenCall(grant, servertest.Basic("acme-client", "acme-company-secret"), "", ""),
		"secret with a suffix":    tokenCall(grant, servertest.Basic("acme-client", "acme-secret:x"), "", ""),
		"revoked client":          tokenCall(grant, servertest.Basic("globex-client", "globex-secret"), "", ""),
		"NUL":                     tokenCall(grant, encode("acme\x00client:acme-secret"), "", ""),
		"not UTF-8":               tokenCall(grant, encode("acme\xff:acme-secret"), "", ""),
		"form without secret":     tokenCall(grant, "", urlencoded, "client_id=acme-client"),
		"form without id":         tokenCall(grant, "", urlencoded, "client_secret=acme-secret"),
		"form, wrong secret":      tokenCall(grant, "", urlencoded, "client_id=acme-client&client_secret=no"),
		"multipart, wrong secret": tokenCall("", "", contentType, multipart),
		"id in the query only":    tokenCall(grant+"&client_id=acme-client", "", "", ""),
		"API key as secret":       tokenCall(grant, servertest.Basic("acme-client", "acme-api-key"), "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			s.Unchanged(t, func() {
				got := s.Do(c).Want(t, http.StatusUnauthorized, `{"error":"invalid_client","error_description":"Client authentication failed"}`)
				if diff := cmp.Diff([]string{"Basic"}, got.Header.Values("WWW-Authenticate")); diff != "" {
					t.Error(diff)
				}
				if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Understudy-Hint") != hint {
					t.Errorf("header %v", got.Header)
				}
			})
		})
	}
}

func TestBadTokenRequestsAreRefused(t *testing.T) {
	servertest.Proves(t,
		"Chosen, token endpoint: errors in the form of RFC 6749, not cached",
		"Chosen, token endpoint: credentials given twice, a secret in the query, no grant type or two: 400 invalid_request",
		"Chosen, token endpoint: another grant: 400 unsupported_grant_type",
		"Chosen, token endpoint: a bad refresh token: 400 invalid_grant")
	s := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	globex := s.NewToken(seed.Demos()[1]).Text(t, "refresh_token")
	const refresh = "grant_type=refresh_token"
	for name, c := range map[string]struct {
		call   servertest.Call
		status int
		code   string
	}{
		"Basic and form credentials":      {tokenCall(grant, basic, urlencoded, "client_id=acme-client&client_secret=acme-secret"), 400, "invalid_request"},
		"Basic and another id":            {tokenCall(grant, basic, urlencoded, "client_id=globex-client"), 400, "invalid_request"},
		"Basic, its own id and another":   {tokenCall(grant, basic, urlencoded, "client_id=acme-client&client_id=x"), 400, "invalid_request"},
		"Basic and a form secret":         {tokenCall(grant, basic, urlencoded, "client_secret=acme-secret"), 400, "invalid_request"},
		"secret in the query":             {tokenCall(grant+"&client_id=acme-client&client_secret=acme-secret", "", "", ""), 400, "invalid_request"},
		"secret in the query, and Basic":  {tokenCall(grant+"&client_secret=acme-secret", basic, "", ""), 400, "invalid_request"},
		"form secret twice":               {tokenCall(grant, "", urlencoded, "client_id=acme-client&client_secret=acme-secret&client_secret=x"), 400, "invalid_request"},
		"form id twice":                   {tokenCall(grant, "", urlencoded, "client_id=acme-client&client_id=acme-client&client_secret=acme-secret"), 400, "invalid_request"},
		"grant missing":                   {tokenCall("", basic, "", ""), 400, "invalid_request"},
		"grant empty":                     {tokenCall("grant_type=", basic, "", ""), 400, "invalid_request"},
		"grant of two values":             {tokenCall(grant+"&grant_type=refresh_token", basic, "", ""), 400, "invalid_request"},
		"grant differs in query and form": {tokenCall(grant, basic, urlencoded, "grant_type=refresh_token"), 400, "invalid_request"},
		"password grant":                  {tokenCall("grant_type=password&username=a&password=b", basic, "", ""), 400, "unsupported_grant_type"},
		"authorization code grant":        {tokenCall("grant_type=authorization_code&code=a", basic, "", ""), 400, "unsupported_grant_type"},
		"grant in another case":           {tokenCall("grant_type=Client_Credentials", basic, "", ""), 400, "unsupported_grant_type"},
		"malformed query":                 {tokenCall(grant+"&x=%zz", basic, "", ""), 400, "invalid_request"},
		"malformed form":                  {tokenCall(grant, basic, urlencoded, "x=%zz"), 400, "invalid_request"},
		"malformed multipart":             {tokenCall(grant, basic, "multipart/form-data; boundary=b", "--b\r\nx"), 400, "invalid_request"},
		"multipart without boundary":      {tokenCall(grant, basic, "multipart/form-data", "--b--\r\n"), 400, "invalid_request"},
		"form too large":                  {tokenCall(grant, basic, urlencoded, "x="+strings.Repeat("x", 64<<10)), 413, "invalid_request"},
		"refresh token missing":           {tokenCall(refresh, basic, "", ""), 400, "invalid_request"},
		"refresh token empty":             {tokenCall(refresh+"&refresh_token=", basic, "", ""), 400, "invalid_request"},
		"refresh token twice":             {tokenCall(refresh+"&refresh_token=a&refresh_token=b", basic, "", ""), 400, "invalid_request"},
		"refresh token garbage":           {tokenCall(refresh+"&refresh_token=abc", basic, "", ""), 400, "invalid_grant"},
		"refresh token of another client": {tokenCall(refresh+"&refresh_token="+globex, basic, "", ""), 400, "invalid_grant"},
		"access token for refresh":        {tokenCall(refresh+"&refresh_token="+s.Acme().Token, basic, "", ""), 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Unchanged(t, func() {
				got := s.Do(c.call).Want(t, c.status)
				if got.Text(t, "error") != c.code || got.Text(t, "error_description") == "" {
					t.Errorf("response %s, want error %s", got.Body, c.code)
				}
				if got.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("Cache-Control %q", got.Header.Get("Cache-Control"))
				}
			})
		})
	}
}

func TestTokenEndpointTakesOnlyPost(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: another method: 405 with Allow")
	s := servertest.New(t)
	basic := servertest.Basic("acme-client", "acme-secret")
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "BREW"} {
		call := tokenCall(grant, basic, "", "")
		call.Line = strings.Replace(call.Line, "POST", method, 1)
		got := s.Do(call).Want(t, http.StatusMethodNotAllowed)
		if got.Header.Get("Allow") != "POST" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v", method, got.Header)
		}
	}
}

// TestTokenResponse checks that two tokens of a client differ only in the access
// token and the refresh token.
func TestTokenResponse(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "Access token response: extra.raw_info", "Endpoint 1, token: response",
		"Chosen, token endpoint: a JWT that expires after 43200 seconds",
		"Chosen, token endpoint: uid, info and raw_info are stable per client")
	for _, demo := range seed.Demos() {
		first := s.NewToken(demo)
		s.Pass(3 * time.Hour)
		second := s.NewToken(demo)
		claims := jwt.RegisteredClaims{}
		if _, _, err := jwt.NewParser().ParseUnverified(second.Text(t, "access_token"), &claims); err != nil {
			t.Errorf("%s: %v", demo.ClientID, err)
		} else if left := claims.ExpiresAt.Sub(s.Now().Truncate(time.Second)); left != 43200*time.Second {
			t.Errorf("%s: the token expires after %v", demo.ClientID, left)
		}
		for _, secret := range []string{"access_token", "refresh_token"} {
			if first.Text(t, secret) == second.Text(t, secret) {
				t.Errorf("%s: the same %s twice", demo.ClientID, secret)
			}
			// The expected body cannot have what is new in every token.
			first.Body = strings.Replace(first.Body, first.Text(t, secret), secret, 1)
			second.Body = strings.Replace(second.Body, second.Text(t, secret), secret, 1)
		}
		if diff := cmp.Diff(first.Body, second.Body); diff != "" {
			t.Errorf("%s: two tokens differ:\n%s", demo.ClientID, diff)
		}
		servertest.Golden(t, "token-"+demo.ClientID+".json", first.Body)
	}
}
