// Package uploadurl signs and verifies the `data` parameter of upload URLs.
package uploadurl

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// NonceSize is the size in bytes of the random part of an upload URL.
const NonceSize = 16

const signedSize = len(uuid.UUID{}) + NonceSize + 8

// Target is the submission that an upload URL belongs to. Its tx_id is not enough: after a reset, a
// tenant with an id seed gets the same ids again, at the same time if its clock is frozen.
type Target struct {
	TxID      uuid.UUID
	Nonce     []byte // NonceSize bytes
	CreatedAt time.Time
}

// Sign returns the `data` of the target's upload URL: the tx_id, the nonce, the time at which the
// submission was created, and their HMAC under the environment's upload key.
func Sign(key []byte, t Target) string {
	b := make([]byte, 0, signedSize+sha256.Size)
	b = append(append(b, t.TxID[:]...), t.Nonce...)
	b = binary.BigEndian.AppendUint64(b, uint64(t.CreatedAt.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(append(b, mac(key, b)...))
}

// Verify returns the target of the `data` of an upload URL, or false if the data was not signed with the key.
func Verify(key []byte, data string) (Target, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(data)
	if err != nil || len(b) != signedSize+sha256.Size {
		return Target{}, false
	}
	signed := b[:signedSize]
	if !hmac.Equal(b[signedSize:], mac(key, signed)) {
		return Target{}, false
	}
	createdAt := time.UnixMicro(int64(binary.BigEndian.Uint64(signed[16+NonceSize:])))
	return Target{uuid.UUID(signed[:16]), signed[16 : 16+NonceSize], createdAt}, true
}

func mac(key, b []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(b)
	return mac.Sum(nil)
}
