package delivery

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"

	"github.com/google/uuid"
)

// Seal encrypts the secrets and headers of subscriptions for storage, with AES-GCM.
// A sealed value is bound to its row and column: it cannot be opened for another
// one.
type Seal struct{ aead cipher.AEAD }

// The sealed columns.
const (
	HeaderColumn = "hooks.header"
	SecretColumn = "hooks.secret"
)

// NewSeal returns the seal with the key, of 32 bytes.
func NewSeal(key []byte) *Seal {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has another length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the cipher has another block size
	}
	return &Seal{aead}
}

// Seal returns the text as the column stores it; "" is stored as null.
func (s *Seal) Seal(text string, row uuid.UUID, column string) []byte {
	if text == "" {
		return nil
	}
	return s.aead.Seal(nil, nil, []byte(text), sealedFor(row, column))
}

var errSealed = errors.New("sealed value cannot be opened: it was sealed for another row or with another master key")

// Open returns the text of a sealed value.
func (s *Seal) Open(sealed []byte, row uuid.UUID, column string) (string, error) {
	if sealed == nil {
		return "", nil
	}
	text, err := s.aead.Open(nil, nil, sealed, sealedFor(row, column))
	if err != nil {
		return "", errSealed
	}
	return string(text), nil
}

// sealedFor returns the additional data that binds a value to its row and column.
func sealedFor(row uuid.UUID, column string) []byte {
	return append([]byte(column+"/"), row[:]...)
}
