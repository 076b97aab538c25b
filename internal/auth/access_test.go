package auth

import (
	"bytes"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

func testKeys(environment string) *Keys {
	return &Keys{Environment: environment, access: bytes.Repeat([]byte("a"), 32), refresh: bytes.Repeat([]byte("r"), 32), pepper: bytes.Repeat([]byte("p"), 32)}
}

// TestAccessTokenClaims: the right key is not enough. The algorithm is fixed;
// issuer, audience and expiry must be there and be right.
func TestAccessTokenClaims(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	right := func() jwt.MapClaims {
		return jwt.MapClaims{"iss": "understudy/sandbox", "aud": "sandbox", "sub": "acme-client", "exp": at.Add(time.Hour).Unix()}
	}
	without := func(claim string) jwt.MapClaims {
		claims := right()
		delete(claims, claim)
		return claims
	}
	with := func(claim string, value any) jwt.MapClaims {
		claims := right()
		claims[claim] = value
		return claims
	}
	for name, c := range map[string]struct {
		method jwt.SigningMethod
		claims jwt.MapClaims
		good   bool
	}{
		"right":            {jwt.SigningMethodHS256, right(), true},
		"HS384":            {jwt.SigningMethodHS384, right(), false},
		"HS512":            {jwt.SigningMethodHS512, right(), false},
		"no expiry":        {jwt.SigningMethodHS256, without("exp"), false},
		"expiry now":       {jwt.SigningMethodHS256, with("exp", at.Unix()), false},
		"expiry before":    {jwt.SigningMethodHS256, with("exp", at.Add(-time.Second).Unix()), false},
		"expiry a text":    {jwt.SigningMethodHS256, with("exp", "tomorrow"), false},
		"no issuer":        {jwt.SigningMethodHS256, without("iss"), false},
		"another issuer":   {jwt.SigningMethodHS256, with("iss", "understudy/uat"), false},
		"no audience":      {jwt.SigningMethodHS256, without("aud"), false},
		"another audience": {jwt.SigningMethodHS256, with("aud", "uat"), false},
		"not yet":          {jwt.SigningMethodHS256, with("nbf", at.Add(time.Minute).Unix()), false},
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
			if (err == nil) != c.good {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAccessTokenLifetime(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	token, err := keys.issueAccess("acme-client", uuid.New(), at)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := keys.parseAccess(token)
	if err != nil || claims.Subject != "acme-client" {
		t.Fatalf("%v, %v", claims, err)
	}
	for age, good := range map[time.Duration]bool{0: true, 12*time.Hour - time.Second: true, 12 * time.Hour: false, 24 * time.Hour: false} {
		if err := keys.checkAccess(claims, at.Add(age)); (err == nil) != good {
			t.Errorf("after %v: %v", age, err)
		}
	}
	// The same key in another environment's hands is no use.
	if err := testKeys("uat").checkAccess(claims, at); err == nil {
		t.Error("good in another environment")
	}
}

// TestRefreshTokenIsBound: to its client and its place in the family.
func TestRefreshTokenIsBound(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	token := refreshToken{uuid.New(), 7}
	text := keys.writeRefresh("acme-client", token)
	if read, ok := keys.readRefresh("acme-client", text); !ok || read != token {
		t.Errorf("%v, %v", read, ok)
	}
	for _, altered := range []string{"", text[1:], text + "A", text[:len(text)-1], "A" + text, text + "="} {
		if _, ok := keys.readRefresh("acme-client", altered); ok {
			t.Errorf("%q reads", altered)
		}
	}
	for i := range text {
		altered := []byte(text)
		altered[i] = map[bool]byte{true: 'B', false: 'A'}[altered[i] == 'A']
		if _, ok := keys.readRefresh("acme-client", string(altered)); ok {
			t.Errorf("altered at %d it reads", i)
		}
	}
	if _, ok := keys.readRefresh("globex-client", text); ok {
		t.Error("good for another client")
	}
}

// TestHashesOfKinds: a secret is no API key, and another pepper another hash.
func TestHashesOfKinds(t *testing.T) {
	t.Parallel()
	keys, other := testKeys("sandbox"), testKeys("sandbox")
	other.pepper = bytes.Repeat([]byte("q"), 32)
	hash := keys.hash(clientSecret, "secret")
	if bytes.Equal(hash, keys.hash(apiKey, "secret")) || bytes.Equal(hash, other.hash(clientSecret, "secret")) || !bytes.Equal(hash, keys.hash(clientSecret, "secret")) {
		t.Error("hashes meet")
	}
}
