package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

const (
	readStatus       = "GET /universal/v2/universal-submit/status/" + servertest.Absent
	invalidChallenge = `Bearer realm="sandbox", error="invalid_token"`
)

// gatedCalls returns a call of every route of the {"message"} family that needs a
// permission. The calls have no credentials.
func gatedCalls(t *testing.T) []servertest.Call {
	var calls []servertest.Call
	for _, rt := range servertest.Gated(route.Message) {
		calls = append(calls, servertest.Sample(t, rt))
	}
	return calls
}

// unauthorized wants each gated call, as changed by change, to be refused with the
// challenge and to have no effect.
func unauthorized(t *testing.T, s *servertest.Server, challenge string, change func(*servertest.Call)) {
	t.Helper()
	s.Unchanged(t, func() {
		for _, call := range gatedCalls(t) {
			change(&call)
			response := s.Do(call).Want(t, http.StatusUnauthorized, servertest.Unauthorized)
			if got := response.Header.Get("WWW-Authenticate"); got != challenge {
				t.Errorf("%s: WWW-Authenticate %q, want %q", call.Line, got, challenge)
			}
		}
	})
}

// withAuthorization returns a change that adds acme's API key to a call and the
// Authorization header, unless that is empty.
func withAuthorization(authorization string) func(*servertest.Call) {
	return func(call *servertest.Call) {
		call.Key = "acme-api-key"
		header := map[string]string{}
		maps.Copy(header, call.Header)
		if authorization != "" {
			header["Authorization"] = authorization
		}
		call.Header = header
	}
}

func TestBadAccessTokensAreRefused(t *testing.T) {
	servertest.Proves(t,
		"Chosen, bearer token and API key: no Authorization: 401 with a challenge",
		"Chosen, bearer token and API key: bad, expired, revoked or foreign token: 401 invalid_token")
	s := servertest.New(t)
	good := s.Acme().Token
	staging := s.Environment("staging").Acme().Token
	signature := good[strings.LastIndex(good, ".")+1:]
	parsed, _, err := jwt.NewParser().ParseUnverified(good, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	signed := func(method jwt.SigningMethod, key any) string {
		t.Helper()
		token, err := jwt.NewWithClaims(method, parsed.Claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecdsaKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	unsigned := signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType)
	withHeader := func(header string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + good[strings.Index(good, "."):]
	}
	for name, authorization := range map[string]string{
		"another scheme":                 servertest.Basic("acme-client", "acme-secret"),
		"token without a scheme":         good,
		"scheme without a token":         "Bearer",
		"scheme and a space":             "Bearer ",
		"garbage":                        "Bearer garbage",
		"garbage of three parts":         "Bearer a.b.c",
		"two tokens":                     "Bearer " + good + " " + good,
		"one byte too many":              "Bearer " + good + "x",
		"one byte too few":               "Bearer " + good[:len(good)-1],
		"padding":                        "Bearer " + good + "=",
		"changed claims":                 "Bearer " + strings.Replace(good, ".eyJ", ".eyK", 1),
		"alg none":                       "Bearer " + unsigned,
		"alg none with the signature":    "Bearer " + unsigned + signature,
		"header says none":               "Bearer " + withHeader(`{"alg":"none","typ":"JWT"}`),
		"header says None":               "Bearer " + withHeader(`{"alg":"None","typ":"JWT"}`),
		"header says RS256":              "Bearer " + withHeader(`{"alg":"RS256","typ":"JWT"}`),
		"header says HS512":              "Bearer " + withHeader(`{"alg":"HS512","typ":"JWT"}`),
		"HS256 with another key":         "Bearer " + signed(jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32))),
		"HS256 with an empty key":        "Bearer " + signed(jwt.SigningMethodHS256, []byte{}),
		"HS256 with the client's secret": "Bearer " + signed(jwt.SigningMethodHS256, []byte("acme-secret")),
		"RS256":                          "Bearer " + signed(jwt.SigningMethodRS256, rsaKey),
		"ES256":                          "Bearer " + signed(jwt.SigningMethodES256, ecdsaKey),
		"refresh token":                  "Bearer " + s.NewToken(seed.Demos()[0]).Text(t, "refresh_token"),
		"token of another environment":   "Bearer " + staging,
	} {
		t.Run(name, func(t *testing.T) {
			unauthorized(t, s, invalidChallenge, withAuthorization(authorization))
		})
	}
	t.Run("no Authorization", func(t *testing.T) {
		unauthorized(t, s, `Bearer realm="sandbox"`, withAuthorization(""))
	})
	t.Run("scheme in lower case", func(t *testing.T) { // RFC 9110 section 11.1
		call := servertest.Call{Line: readStatus}
		withAuthorization("bearer " + good)(&call)
		s.Do(call).Want(t, http.StatusNotFound)
	})
}

func TestAccessTokenExpiresAfterTwelveHours(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "Authentication: 3 bearer, 12 hours, then refresh or a new token",
		"Chosen, token endpoint: a JWT that expires after 43200 seconds",
		"Chosen, bearer token and API key: bad, expired, revoked or foreign token: 401 invalid_token")
	acme := s.Acme()
	s.Pass(12*time.Hour - time.Second)
	acme.Do(readStatus, "").Want(t, http.StatusNotFound)
	s.Pass(time.Second + time.Microsecond)
	unauthorized(t, s, invalidChallenge, withAuthorization("Bearer "+acme.Token))
}

func TestRevocationActsWithinOneSecond(t *testing.T) {
	servertest.Proves(t,
		"Chosen, bearer token and API key: bad, expired, revoked or foreign token: 401 invalid_token",
		"Chosen, bearer token and API key: a revocation or a changed permission takes effect within a second")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	acme.Do(readStatus, "").Want(t, http.StatusNotFound)
	s.Exec("update clients set revoked_at = $1 where id = 'acme-client'", s.Now())
	s.Pass(time.Second)
	unauthorized(t, s, invalidChallenge, withAuthorization("Bearer "+acme.Token))
	globex.Do(readStatus, "").Want(t, http.StatusNotFound)

	s.Exec("delete from clients where id = 'globex-client'")
	s.Pass(time.Second)
	globex.Do(readStatus, "").Want(t, http.StatusUnauthorized)
}
