package uploadurl

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// FuzzVerify checks that only data signed with the key is accepted.
func FuzzVerify(f *testing.F) {
	key := bytes.Repeat([]byte("k"), 32)
	target := Target{
		uuid.MustParse("01a1fc02-6c63-7e62-899d-76dbc92c035e"), bytes.Repeat([]byte("n"), NonceSize),
		time.UnixMicro(1_800_000_000_123_456),
	}
	data := Sign(key, target)
	if verified, ok := Verify(key, data); !ok || !cmp.Equal(verified, target) {
		f.Errorf("verified %v, want %v", verified, target)
	}
	f.Add(data)
	f.Add(Sign(bytes.Repeat([]byte("o"), 32), target))
	f.Add("")
	f.Add(strings.Repeat("A", 96))
	f.Fuzz(func(t *testing.T, data string) {
		if verified, ok := Verify(key, data); ok && !cmp.Equal(verified, target) {
			t.Errorf("%q has the target %v, want %v", data, verified, target)
		}
		if _, ok := Verify(bytes.Repeat([]byte("x"), 32), data); ok {
			t.Errorf("%q was accepted under a key that signed nothing", data)
		}
	})
}
