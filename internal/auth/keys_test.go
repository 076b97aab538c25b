package auth

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
)

// TestRefreshTokenIsBoundToItsClient checks that a refresh token is valid unchanged
// and for its client only.
func TestRefreshTokenIsBoundToItsClient(t *testing.T) {
	t.Parallel()
	keys := testKeys("sandbox")
	token, client := refreshToken{uuid.New(), 7}, uuid.New()
	text := keys.issueRefresh(client, token)
	if parsed, ok := keys.parseRefresh(client, text); !ok || parsed != token {
		t.Errorf("parsed %v, %v, want %v", parsed, ok, token)
	}
	for _, changed := range []string{"", text[1:], text + "A", text[:len(text)-1], "A" + text, text + "="} {
		if _, ok := keys.parseRefresh(client, changed); ok {
			t.Errorf("%q is valid", changed)
		}
	}
	for i := range text {
		changed := []byte(text)
		changed[i] = map[bool]byte{true: 'B', false: 'A'}[changed[i] == 'A']
		if _, ok := keys.parseRefresh(client, string(changed)); ok {
			t.Errorf("valid with byte %d changed", i)
		}
	}
	if _, ok := keys.parseRefresh(uuid.New(), text); ok {
		t.Error("valid for another client")
	}
}

// TestHashDependsOnKindAndPepper checks that a client secret has another hash than
// the same text as an API key, and another one with another pepper.
func TestHashDependsOnKindAndPepper(t *testing.T) {
	t.Parallel()
	keys, other := testKeys("sandbox"), testKeys("sandbox")
	other.pepper = bytes.Repeat([]byte("q"), 32)
	hash := keys.hash(clientSecret, "secret")
	if !bytes.Equal(hash, keys.hash(clientSecret, "secret")) {
		t.Error("the same secret has two hashes")
	}
	if bytes.Equal(hash, keys.hash(apiKey, "secret")) {
		t.Error("a client secret has the hash of an API key")
	}
	if bytes.Equal(hash, other.hash(clientSecret, "secret")) {
		t.Error("the hash does not depend on the pepper")
	}
}
