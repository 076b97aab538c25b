package delivery

import (
	"testing"

	"github.com/google/uuid"
)

func TestSealedValueIsBoundToItsColumn(t *testing.T) {
	t.Parallel()
	seal, otherKey := NewSeal(make([]byte, 32)), NewSeal(append(make([]byte, 31), 1))
	row := uuid.New()
	sealed := seal.Seal("whisper", row, SecretColumn)
	if text, err := seal.Open(sealed, row, SecretColumn); err != nil || text != "whisper" {
		t.Errorf("opened %q, %v", text, err)
	}
	if again := seal.Seal("whisper", row, SecretColumn); string(again) == string(sealed) {
		t.Error("sealing twice returns the same bytes")
	}
	if _, err := seal.Open(sealed, row, HeaderColumn); err == nil {
		t.Error("it opens in another column")
	}
	if _, err := seal.Open(sealed, uuid.New(), SecretColumn); err == nil {
		t.Error("it opens in another row")
	}
	if _, err := otherKey.Open(sealed, row, SecretColumn); err == nil {
		t.Error("it opens with another key")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := seal.Open(sealed, row, SecretColumn); err == nil {
		t.Error("it opens after a bit was changed")
	}
}
