package delivery

import (
	"testing"

	"github.com/google/uuid"
)

func TestSealedValueIsBoundToItsColumn(t *testing.T) {
	t.Parallel()
	key, other := make([]byte, 32), append(make([]byte, 31), 1)
	sealer, row := &Sealer{aeadOf(key)}, uuid.New()
	openWith := func(sealed []byte, row uuid.UUID, column string, keys ...[]byte) (string, error) {
		text, _, err := open(keys, sealed, row, column)
		return text, err
	}
	sealed := sealer.Seal("whisper", row, SecretColumn)
	if text, err := openWith(sealed, row, SecretColumn, other, key); err != nil || text != "whisper" {
		t.Errorf("opened %q, %v", text, err)
	}
	if again := sealer.Seal("whisper", row, SecretColumn); string(again) == string(sealed) {
		t.Error("sealing twice returns the same bytes")
	}
	if _, err := openWith(sealed, row, HeaderColumn, key); err == nil {
		t.Error("it opens in another column")
	}
	if _, err := openWith(sealed, uuid.New(), SecretColumn, key); err == nil {
		t.Error("it opens in another row")
	}
	if _, err := openWith(sealed, row, SecretColumn, other); err == nil {
		t.Error("it opens with another key")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := openWith(sealed, row, SecretColumn, other, key); err == nil {
		t.Error("it opens after a bit was changed")
	}
}
