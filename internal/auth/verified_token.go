package auth

import (
	"sync"
	"time"
)

// maxVerified is the maximum number of tokens in verifiedTokens.
const maxVerified = 4096

// verifiedTokens remembers access tokens whose signature was checked, so that it is checked
// once. The client and the expiry are still checked in each call.
type verifiedTokens struct {
	mu     sync.Mutex
	claims map[string]*verifiedClaims
}

// verifiedClaims are the claims of a token with a valid signature.
type verifiedClaims struct {
	accessClaims
	accepted bool // checkAccess accepted them at an earlier time
}

// parse is Keys.parseAccess for tokens that can be remembered.
func (v *verifiedTokens) parse(keys *Keys, token string) (*verifiedClaims, error) {
	v.mu.Lock()
	known := v.claims[token]
	v.mu.Unlock()
	if known != nil {
		return known, nil
	}
	claims, err := keys.parseAccess(token)
	return &verifiedClaims{accessClaims: *claims}, err
}

// check is Keys.checkAccess for claims that parse returned. It remembers the token if it is
// valid now. Only the expiry depends on the time.
func (v *verifiedTokens) check(keys *Keys, token string, claims *verifiedClaims, now time.Time) error {
	if claims.accepted && now.Before(claims.ExpiresAt.Time) {
		return nil
	}
	if err := keys.checkAccess(&claims.accessClaims, now); err != nil || claims.accepted {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.claims == nil || len(v.claims) >= maxVerified {
		v.claims = map[string]*verifiedClaims{}
	}
	v.claims[token] = &verifiedClaims{claims.accessClaims, true}
	return nil
}
