package delivery

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Signature is the format of the X-Signature header. The zero value is the default:
// `sha256=` and the HMAC-SHA256 of the body in hexadecimal.
type Signature struct {
	SHA1     bool // HMAC-SHA1 instead
	NoPrefix bool // only the hex digits
}

// Sign returns the X-Signature of a body.
func (s Signature) Sign(secret string, body []byte) string {
	digest, prefix := func() hash.Hash { return sha256.New() }, "sha256="
	if s.SHA1 {
		digest, prefix = func() hash.Hash { return sha1.New() }, "sha1="
	}
	if s.NoPrefix {
		prefix = ""
	}
	mac := hmac.New(digest, []byte(secret))
	mac.Write(body)
	return prefix + hex.EncodeToString(mac.Sum(nil))
}
