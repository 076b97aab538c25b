package auth

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// TestVerifiedTokens checks that a remembered token expires, that one with another signature
// is not accepted, and that the number of remembered tokens is limited.
func TestVerifiedTokens(t *testing.T) {
	t.Parallel()
	keys := &Keys{Environment: "test", access: []byte("key")}
	var verified verifiedTokens
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	token, err := keys.issueAccess(Client{ID: "client"}, uuid.New(), at)
	if err != nil {
		t.Fatal(err)
	}
	check := func(token string, now time.Time) error {
		claims, err := verified.parse(keys, token)
		if err != nil {
			return err
		}
		if claims.Subject != "client" {
			t.Errorf("subject %q", claims.Subject)
		}
		return verified.check(keys, token, claims, now)
	}
	for range 2 {
		if err := check(token, at.Add(lifetime-time.Second)); err != nil {
			t.Fatal(err)
		}
		if len(verified.claims) != 1 {
			t.Errorf("%d tokens are remembered, want 1", len(verified.claims))
		}
		if err := check(token, at.Add(lifetime)); !errors.Is(err, jwt.ErrTokenExpired) {
			t.Errorf("error %v after the expiry", err)
		}
	}
	if err := check(token[:len(token)-4]+"AAAA", at); err == nil {
		t.Error("a token with another signature was accepted")
	}
	for n := range maxVerified + 10 {
		verified.check(keys, fmt.Sprint(n), &verifiedClaims{accessClaims: accessClaims{RegisteredClaims: jwt.RegisteredClaims{
			Issuer: keys.issuer(), Audience: jwt.ClaimStrings{"test"}, ExpiresAt: jwt.NewNumericDate(at),
		}}}, at.Add(-time.Second))
		if len(verified.claims) > maxVerified {
			t.Fatalf("%d tokens are remembered", len(verified.claims))
		}
	}
}
