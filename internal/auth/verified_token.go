package auth

import (
	"sync"
	"time"
)

// maxVerified is the maximum number of tokens, and of API keys, in verifiedTokens.
const maxVerified = 4096

// verifiedTokens caches the hashes of API keys, and the access tokens whose signature was
// checked, so that it is checked once. The client, its API keys and the expiry are still checked
// in each call.
type verifiedTokens struct {
	mu     sync.Mutex
	claims map[string]*verifiedClaims
	hashes map[string][]byte // of the API keys that belong to tenants
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

// hashOf returns the hash of an API key, and whether it was remembered.
func (v *verifiedTokens) hashOf(keys *Keys, key string) (hash []byte, known bool) {
	v.mu.Lock()
	hash = v.hashes[key]
	v.mu.Unlock()
	if hash != nil {
		return hash, true
	}
	return keys.hash(apiKey, key), false
}

// remember makes hashOf return the hash of the API key from now on.
func (v *verifiedTokens) remember(key string, hash []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.hashes == nil || len(v.hashes) >= maxVerified {
		v.hashes = map[string][]byte{}
	}
	v.hashes[key] = hash
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
