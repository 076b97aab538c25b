package auth

import (
	"testing"

	"github.com/google/uuid"
)

// FuzzParseRefresh checks that only refresh tokens issued for the client are valid.
func FuzzParseRefresh(f *testing.F) {
	keys := &Keys{Environment: "sandbox", refresh: []byte("key")}
	token := refreshToken{uuid.MustParse("01a1fc02-6c63-7e62-899d-76dbc92c035e"), 3}
	client, other := uuid.MustParse("82d25982-11f6-589f-9ef2-a167ea71802f"), uuid.MustParse("b9a6d1f2-1e5c-4a8e-9d53-0c1f6a3f7e10")
	f.Add(keys.issueRefresh(client, token))
	f.Add(keys.issueRefresh(other, token))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, ok := keys.parseRefresh(client, text)
		if ok && (parsed != token || text != keys.issueRefresh(client, token)) {
			t.Errorf("%q is valid, as %v", text, parsed)
		}
	})
}
