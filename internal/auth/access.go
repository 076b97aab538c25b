package auth

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// lifetime is how long an access token is good (service.md, "Limits").
const lifetime = 12 * time.Hour

// expiry is when a token of the given time expires: in whole seconds, as the
// token says it.
func expiry(at time.Time) time.Time { return at.Add(lifetime).Truncate(time.Second) }

// issueAccess makes the access token of a client. The same client, id and time
// give the same token. at is the tenant's time.
func (k *Keys) issueAccess(clientID string, id uuid.UUID, at time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer:    k.issuer(),
		Audience:  jwt.ClaimStrings{k.Environment},
		Subject:   clientID,
		ID:        id.String(),
		IssuedAt:  jwt.NewNumericDate(at),
		ExpiresAt: jwt.NewNumericDate(expiry(at)),
	}).SignedString(k.access)
}

// parseAccess checks the signature alone: whose clock judges the rest, the
// token has yet to tell.
func (k *Keys) parseAccess(token string) (*jwt.RegisteredClaims, error) {
	claims := &jwt.RegisteredClaims{}
	_, err := jwt.ParseWithClaims(token, claims,
		func(*jwt.Token) (any, error) { return k.access, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithoutClaimsValidation())
	return claims, err
}

// checkAccess checks environment and expiry by the tenant's time.
func (k *Keys) checkAccess(claims *jwt.RegisteredClaims, now time.Time) error {
	return jwt.NewValidator(
		jwt.WithIssuer(k.issuer()),
		jwt.WithAudience(k.Environment),
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now }),
	).Validate(claims)
}

func (k *Keys) issuer() string { return "understudy/" + k.Environment }
