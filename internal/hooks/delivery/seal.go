package delivery

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
)

// Seal encrypts the secrets and headers of subscriptions for storage, with AES-GCM.
// A sealed value is bound to its row and column: it cannot be opened for another
// one.
type Seal struct{ keys *auth.SealingKeys }

// The sealed columns.
const (
	HeaderColumn = "hooks.header"
	SecretColumn = "hooks.secret"
)

// NewSeal returns the seal with the keys.
func NewSeal(keys *auth.SealingKeys) *Seal { return &Seal{keys} }

// Sealer seals values in a transaction.
type Sealer struct{ aead cipher.AEAD }

// Begin returns the sealer for a transaction. In the order of locks, it comes after the
// tenant and before subscriptions.
func (s *Seal) Begin(ctx context.Context, tx pgx.Tx) (*Sealer, error) {
	key, err := s.keys.Newest(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return &Sealer{aeadOf(key)}, nil
}

// Seal returns the text as the column stores it; "" is stored as null.
func (s *Sealer) Seal(text string, row uuid.UUID, column string) []byte {
	if text == "" {
		return nil
	}
	return s.aead.Seal(nil, nil, []byte(text), sealedFor(row, column))
}

var errSealed = errors.New("sealed value cannot be opened: it was sealed for another row or with another master key")

// Open returns the text of a sealed value.
func (s *Seal) Open(ctx context.Context, sealed []byte, row uuid.UUID, column string) (string, error) {
	if sealed == nil {
		return "", nil
	}
	if text, _, err := open(s.keys.Known(), sealed, row, column); err == nil {
		return text, nil
	}
	// Another server may have sealed it with a newer key.
	if err := s.keys.Reload(ctx); err != nil {
		return "", err
	}
	text, _, err := open(s.keys.Known(), sealed, row, column)
	return text, err
}

// open returns the text of a sealed value and the index of its key.
func open(keys [][]byte, sealed []byte, row uuid.UUID, column string) (text string, key int, err error) {
	for i, key := range keys {
		if plain, err := aeadOf(key).Open(nil, nil, sealed, sealedFor(row, column)); err == nil {
			return string(plain), i, nil
		}
	}
	return "", 0, errSealed
}

// aeadOf returns the cipher with the key, of 32 bytes.
func aeadOf(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has another length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the cipher has another block size
	}
	return aead
}

// sealedFor returns the additional data that binds a value to its row and column.
func sealedFor(row uuid.UUID, column string) []byte {
	return append([]byte(column+"/"), row[:]...)
}
