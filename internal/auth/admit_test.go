package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// endpoints are those that ask for a token and an API key, each with the
// permission that it needs.
var endpoints = []struct{ line, body, permission string }{
	{"POST /universal/v2/universal-submit/file-upload-url", `{"filename":"a.txt"}`, "::universal/v2/universal-submit:post"},
	{"POST /universal/v2/universal-submit/file/" + absent, "", "::universal/v2/universal-submit:post"},
	{"GET /universal/v2/universal-submit/status/" + absent, "", "::universal/v2/universal-submit:get"},
	{"GET /data/v2/acme-us-c0001/" + absent + "?idType=transaction", "", "::data/v2:get"},
	{"GET /data/v1/acme-us-c0001/CUS1187A2AAE214E4540", "", "::data/v1:get"},
	{"POST /company/v1/company_submit", `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`, "::company/v1/company_submit:post"},

	{"POST /universal/v1/universal-submit/file-upload-url", `{"filename":"a.txt"}`, "::universal/v1/universal-submit:post"},
	{"POST /universal/v4/universal-submit/file/" + absent, "", "::universal/v3/universal-submit:post"},
	{"GET /universal/v4/universal-submit/status/" + absent, "", "::universal/v3/universal-submit:get"},
	{"GET /data/v5/acme-us-c0001/" + absent, "", "::data/v2:get"},
	{"POST /company/v1/quick_submit?dpid=acme-us-c0001", `{"company_name":"A","address":"B"}`, "::company/v1/quick_submit:post"},
}

// absent is a transaction that nobody has.
const absent = "01a1fc02-6c63-7e62-899d-76dbc92c035e"

const (
	unauthorized = `{"message":"Unauthorized"}`
	notPermitted = `{"message":"User is not authorized to access this resource"}`
	forbidden    = `{"message":"Forbidden"}`
	badToken     = `Bearer realm="sandbox", error="invalid_token"`
)

// refused makes the call and wants this refusal, which changes nothing.
func (w *servertest.Server) refused(t *testing.T, c call, status int, body string) servertest.Response {
	t.Helper()
	var got servertest.Response
	w.Unchanged(t, func() { got = w.Do(c).Want(t, status, body) })
	return got
}

func TestAccessToken(t *testing.T) {
	w := servertest.New(t)
	good := w.Acme().Token
	staging := w.Environment("staging").Acme().Token
	signed, _, _ := strings.Cut(good[strings.LastIndex(good, ".")+1:], ".")
	claims, _, err := jwt.NewParser().ParseUnverified(good, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	forge := func(method jwt.SigningMethod, key any) string {
		t.Helper()
		token, err := jwt.NewWithClaims(method, claims.Claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	none := forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType)
	relabelled := func(header string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + good[strings.Index(good, "."):]
	}
	cases := []struct{ name, authorization, challenge string }{
		{"no Authorization", "", `Bearer realm="sandbox"`},
		{"another scheme", servertest.Basic("acme-client", "acme-secret"), badToken},
		{"token without a scheme", good, badToken},
		{"scheme without a token", "Bearer", badToken},
		{"scheme and a space", "Bearer ", badToken},
		{"garbage", "Bearer garbage", badToken},
		{"garbage of three parts", "Bearer a.b.c", badToken},
		{"two tokens", "Bearer " + good + " " + good, badToken},
		{"a byte more", "Bearer " + good + "x", badToken},
		{"a byte less", "Bearer " + good[:len(good)-1], badToken},
		{"padding", "Bearer " + good + "=", badToken},
		{"another claim", "Bearer " + strings.Replace(good, ".eyJ", ".eyK", 1), badToken},
		{"alg none", "Bearer " + none, badToken},
		{"alg none with the signature", "Bearer " + none + signed, badToken},
		{"header says none", "Bearer " + relabelled(`{"alg":"none","typ":"JWT"}`), badToken},
		{"header says None", "Bearer " + relabelled(`{"alg":"None","typ":"JWT"}`), badToken},
		{"header says RS256", "Bearer " + relabelled(`{"alg":"RS256","typ":"JWT"}`), badToken},
		{"header says HS512", "Bearer " + relabelled(`{"alg":"HS512","typ":"JWT"}`), badToken},
		{"HS256 with another key", "Bearer " + forge(jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32))), badToken},
		{"HS256 with an empty key", "Bearer " + forge(jwt.SigningMethodHS256, []byte{}), badToken},
		{"HS256 with the client's secret", "Bearer " + forge(jwt.SigningMethodHS256, []byte("acme-secret")), badToken},
		{"RS256", "Bearer " + forge(jwt.SigningMethodRS256, private), badToken},
		{"ES256", "Bearer " + forge(jwt.SigningMethodES256, curve), badToken},
		{"refresh token", "Bearer " + w.NewToken(auth.Demos[0]).Text(t, "refresh_token"), badToken},
		{"another environment's token", "Bearer " + staging, badToken},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range endpoints {
				got := w.refused(t, servertest.Call{Line: e.line, Body: e.body, Key: "acme-api-key", Header: header(c.authorization, "")}, http.StatusUnauthorized, unauthorized)
				if challenge := got.Header.Get("WWW-Authenticate"); challenge != c.challenge {
					t.Errorf("%s: WWW-Authenticate %s, want %s", e.line, challenge, c.challenge)
				}
			}
		})
	}
	// The scheme's case does not matter (RFC 9110 section 11.1).
	w.Do(servertest.Call{Line: endpoints[2].line, Key: "acme-api-key", Header: header("bearer "+good, "")}).Want(t, http.StatusNotFound)
}

func TestAccessTokenRunsOut(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	w.Pass(12*time.Hour - time.Second)
	acme.Status(absent).Want(t, http.StatusNotFound)
	w.Pass(time.Second + time.Microsecond)
	for _, e := range endpoints {
		got := w.refused(t, servertest.Call{Line: e.line, Body: e.body, Token: acme.Token, Key: acme.Key}, http.StatusUnauthorized, unauthorized)
		if got.Header.Get("WWW-Authenticate") != badToken {
			t.Errorf("%s: header %v", e.line, got.Header)
		}
	}
}

func TestRevocationActsWithinASecond(t *testing.T) {
	w := servertest.New(t)
	acme, globex := w.Acme(), w.Globex()
	acme.Status(absent).Want(t, http.StatusNotFound)
	w.Exec("update clients set revoked_at = $1 where id = 'acme-client'", w.Now())
	w.Pass(time.Second)
	for _, e := range endpoints {
		got := w.refused(t, servertest.Call{Line: e.line, Body: e.body, Token: acme.Token, Key: acme.Key}, http.StatusUnauthorized, unauthorized)
		if got.Header.Get("WWW-Authenticate") != badToken {
			t.Errorf("%s: header %v", e.line, got.Header)
		}
	}
	globex.Status(absent).Want(t, http.StatusNotFound)
	w.Exec("delete from clients where id = 'globex-client'")
	w.Pass(time.Second)
	globex.Status(absent).Want(t, http.StatusUnauthorized)
}

func TestPermission(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	for _, e := range endpoints {
		c := servertest.Call{Line: e.line, Body: e.body, Token: acme.Token, Key: acme.Key}
		w.Exec("update clients set permissions = array_remove($1::text[], $2) where id = 'acme-client'", auth.AllPermissions, e.permission)
		w.Pass(time.Second)
		w.refused(t, c, http.StatusForbidden, notPermitted)
		// It needs this permission and no other.
		w.Exec("update clients set permissions = array[$1] where id = 'acme-client'", e.permission)
		w.Pass(time.Second)
		if got := w.Do(c); got.Status == http.StatusForbidden {
			t.Errorf("%s with %s: %s", e.line, e.permission, got.Body)
		}
	}
}

func TestCompanyOnlyClient(t *testing.T) {
	w := servertest.New(t)
	company := w.Login(auth.Demos[2])
	for _, e := range endpoints {
		c := servertest.Call{Line: e.line, Body: e.body, Token: company.Token, Key: company.Key}
		if slices.Contains(auth.Demos[2].Permissions, e.permission) {
			if got := w.Do(c); got.Status == http.StatusForbidden {
				t.Errorf("%s: %s", e.line, got.Body)
			}
			continue
		}
		w.refused(t, c, http.StatusForbidden, notPermitted)
	}
}

func TestAPIKey(t *testing.T) {
	w := servertest.New(t)
	token := w.Acme().Token
	for name, keys := range map[string][]string{
		"missing":               nil,
		"empty":                 {""},
		"unknown":               {"nobodys-api-key"},
		"another tenant's":      {"globex-api-key"},
		"of another case":       {"ACME-API-KEY"},
		"a byte more":           {"acme-api-key2"},
		"the client's secret":   {"acme-secret"},
		"twice":                 {"acme-api-key", "acme-api-key"},
		"two":                   {"acme-api-key", "globex-api-key"},
		"two, a comma between":  {"acme-api-key, acme-api-key"},
		"two, the right second": {"", "acme-api-key"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range endpoints {
				method, path, _ := strings.Cut(e.line, " ")
				request, err := http.NewRequest(method, w.URL+path, strings.NewReader(e.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "X-Api-Key": keys}
				w.Unchanged(t, func() { w.send(request).Want(t, http.StatusForbidden, forbidden) })
			}
		})
	}
}

func TestUnknownRoutes(t *testing.T) {
	w := servertest.New(t)
	acme := w.Acme()
	const missing = `{"message":"Missing Authentication Token"}`
	id := uuid.NewString()
	for _, line := range []string{
		"GET /", "POST /", "GET /nothing", "GET /auth", "POST /auth/token/", "GET /universal/v2",
		"GET /universal/v2/universal-submit/file-upload-url", "PUT /universal/v2/universal-submit/file-upload-url",
		"POST /universal/v2/universal-submit/file-upload-url/", "POST /universal/v2/universal-submit",
		"GET /universal/v2/universal-submit/file/" + id, "POST /universal/v2/universal-submit/file/", "POST /universal/v2/universal-submit/file/" + id + "/x",
		"POST /universal/v2/universal-submit/status/" + id, "DELETE /universal/v2/universal-submit/status/" + id, "HEAD /universal/v2/universal-submit/status/" + id,
		"GET /universal/v2/universal-submit/status/", "GET /universal/v2/universal-submit/status", "GET /universal/v9/universal-submit/status/" + id,
		"GET /Universal/v2/universal-submit/status/" + id, "GET //universal/v2/universal-submit/status/" + id,
		"POST /data/v2/acme-us-c0001/" + id, "GET /data/v2/acme-us-c0001", "GET /data/v9/acme-us-c0001/" + id, "DELETE /data/v1/acme-us-c0001/" + id,
		"GET /company/v1/company_submit", "PUT /company/v1/company_submit", "POST /company/v9/company_submit", "PATCH /company/v1/company_submit",
		"GET /file-transfer/upload-file", "POST /file-transfer/upload-file?data=x", "PUT /file-transfer", "OPTIONS /company/v1/company_submit",
	} {
		t.Run(line, func(t *testing.T) {
			want := missing
			if strings.HasPrefix(line, "HEAD ") {
				want = ""
			}
			// With or without credentials: the route is judged first.
			w.refused(t, servertest.Call{Line: line}, http.StatusForbidden, want)
			w.refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}, http.StatusForbidden, want)
		})
	}
}
