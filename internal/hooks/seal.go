package hooks

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"

	"github.com/google/uuid"
)

// Seal keeps secrets and headers unreadable in the database. What it seals is
// bound to its row and column: it does not open anywhere else.
type Seal struct{ aead cipher.AEAD }

// The columns that are sealed.
const (
	headerColumn = "hooks.header"
	secretColumn = "hooks.secret"
)

// NewSeal returns the seal with the given key of 32 bytes.
func NewSeal(key []byte) *Seal {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // only for keys of another length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for ciphers of another block size
	}
	return &Seal{aead}
}

// seal returns the text as its column holds it; no text is null.
func (s *Seal) seal(text string, row uuid.UUID, column string) []byte {
	if text == "" {
		return nil
	}
	return s.aead.Seal(nil, nil, []byte(text), place(row, column))
}

var errSealed = errors.New("sealed value does not open: it is of another row, or was sealed under another master key")

func (s *Seal) open(sealed []byte, row uuid.UUID, column string) (string, error) {
	if sealed == nil {
		return "", nil
	}
	text, err := s.aead.Open(nil, nil, sealed, place(row, column))
	if err != nil {
		return "", errSealed
	}
	return string(text), nil
}

func place(row uuid.UUID, column string) []byte {
	return append([]byte(column+"/"), row[:]...)
}
