package auth

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// lifetime is the lifetime of an access token (service.md, "Limits").
const lifetime = 12 * time.Hour

// expiry returns the time at which a token expires that is issued at the given time.
// Like the token's exp claim, it is in whole seconds.
func expiry(at time.Time) time.Time { return at.Add(lifetime).Truncate(time.Second) }

// accessClaims are the claims of an access token. The user id and the time at which the client was
// created tell it from an earlier one with the same client id; clients from seeds have the same user id.
type accessClaims struct {
	jwt.RegisteredClaims
	UserID  uuid.UUID `json:"uid"`
	Created int64     `json:"client_created,omitempty"` // microseconds since 1970; 0 in tokens of older servers
}

// areOf reports whether the token was issued to the client.
func (c *accessClaims) areOf(client Client) bool {
	return c.UserID == client.UserID && (c.Created == 0 || c.Created == client.CreatedAt.UnixMicro())
}

// issueAccess returns an access token, which depends only on the client, the id and
// the time. at is the tenant's time.
func (k *Keys) issueAccess(client Client, id uuid.UUID, at time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, accessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    k.issuer(),
			Audience:  jwt.ClaimStrings{k.Environment},
			Subject:   client.ID,
			ID:        id.String(),
			IssuedAt:  jwt.NewNumericDate(at),
			ExpiresAt: jwt.NewNumericDate(expiry(at)),
		},
		UserID:  client.UserID,
		Created: client.CreatedAt.UnixMicro(),
	}).SignedString(k.access)
}

// parseAccess checks only the signature. The caller finds the tenant through the
// claims, and checks the other claims by the tenant's clock.
func (k *Keys) parseAccess(token string) (*accessClaims, error) {
	claims := &accessClaims{}
	if !k.signedAccess(token) {
		return claims, jwt.ErrTokenSignatureInvalid
	}
	_, err := jwt.ParseWithClaims(token, claims,
		func(*jwt.Token) (any, error) { return k.access, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithoutClaimsValidation())
	return claims, err
}

// signedAccess reports whether the signature of a token is valid. It is checked before the JSON is
// decoded, because decoding deeply nested JSON takes milliseconds.
func (k *Keys) signedAccess(token string) bool {
	last := strings.LastIndexByte(token, '.')
	if last < 0 || strings.Count(token, ".") != 2 {
		return false
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(token[last+1:])
	return err == nil && jwt.SigningMethodHS256.Verify(token[:last], signature, k.access) == nil
}

// checkAccess checks the environment and the expiry at the tenant's time now.
func (k *Keys) checkAccess(claims *accessClaims, now time.Time) error {
	return jwt.NewValidator(
		jwt.WithIssuer(k.issuer()),
		jwt.WithAudience(k.Environment),
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now }),
	).Validate(claims)
}

func (k *Keys) issuer() string { return "understudy/" + k.Environment }
