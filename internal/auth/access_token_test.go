package auth

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// testKeys returns keys that are the same for every environment.
func testKeys(environment string) *Keys {
	return &Keys{Environment: environment, access: bytes.Repeat([]byte("a"), 32), refresh: bytes.Repeat([]byte("r"), 32), pepper: bytes.Repeat([]byte("p"), 32)}
}

// TestAccessTokenClaimsAreChecked checks that the right key is not enough: the
// algorithm is fixed, and issuer, audience and expiry are required.
func TestAccessTokenClaimsAreChecked(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	valid := func() jwt.MapClaims {
		return jwt.MapClaims{"iss": "understudy/sandbox", "aud": "sandbox", "sub": "acme-client", "exp": at.Add(time.Hour).Unix()}
	}
	without := func(claim string) jwt.MapClaims {
		claims := valid()
		delete(claims, claim)
		return claims
	}
	with := func(claim string, value any) jwt.MapClaims {
		claims := valid()
		claims[claim] = value
		return claims
	}
	for name, c := range map[string]struct {
		method jwt.SigningMethod
		claims jwt.MapClaims
		ok     bool
	}{
		"valid":            {jwt.SigningMethodHS256, valid(), true},
		"HS384":            {jwt.SigningMethodHS384, valid(), false},
		"HS512":            {jwt.SigningMethodHS512, valid(), false},
		"no expiry":        {jwt.SigningMethodHS256, without("exp"), false},
		"expires now":      {jwt.SigningMethodHS256, with("exp", at.Unix()), false},
		"expired":          {jwt.SigningMethodHS256, with("exp", at.Add(-time.Second).Unix()), false},
		"expiry is a text": {jwt.SigningMethodHS256, with("exp", "tomorrow"), false},
		"no issuer":        {jwt.SigningMethodHS256, without("iss"), false},
		"another issuer":   {jwt.SigningMethodHS256, with("iss", "understudy/uat"), false},
		"no audience":      {jwt.SigningMethodHS256, without("aud"), false},
		"another audience": {jwt.SigningMethodHS256, with("aud", "uat"), false},
		"not valid yet":    {jwt.SigningMethodHS256, with("nbf", at.Add(time.Minute).Unix()), false},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := jwt.NewWithClaims(c.method, c.claims).SignedString(keys.access)
			if err != nil {
				t.Fatal(err)
			}
			claims, err := keys.parseAccess(token)
			if err == nil {
				err = keys.checkAccess(claims, at)
			}
			if (err == nil) != c.ok {
				t.Errorf("error %v, want valid: %v", err, c.ok)
			}
		})
	}
}

func TestAccessTokenLifetime(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	token, err := keys.issueAccess(Client{ID: "acme-client", UserID: uuid.New()}, uuid.New(), at)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := keys.parseAccess(token)
	if err != nil || claims.Subject != "acme-client" {
		t.Fatalf("%v, %v", claims, err)
	}
	for age, valid := range map[time.Duration]bool{0: true, 12*time.Hour - time.Second: true, 12 * time.Hour: false, 24 * time.Hour: false} {
		if err := keys.checkAccess(claims, at.Add(age)); (err == nil) != valid {
			t.Errorf("after %v: error %v, want valid: %v", age, err, valid)
		}
	}
	if err := testKeys("uat").checkAccess(claims, at); err == nil {
		t.Error("the token is valid in another environment that has the same key")
	}
}

// TestJSONOfUnsignedTokensIsNotDecoded checks that the JSON of a token with an invalid signature is not
// decoded: deeply nested JSON takes thousands of allocations.
func TestJSONOfUnsignedTokensIsNotDecoded(t *testing.T) {
	keys := testKeys("sandbox")
	nested := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`))
	token := nested + "." + nested + ".AAAA"
	allocated := testing.AllocsPerRun(10, func() {
		if _, err := keys.parseAccess(token); err == nil {
			t.Error("the token was accepted")
		}
	})
	if allocated > 30 {
		t.Errorf("%v allocations, want at most 30", allocated)
	}
}
