package auth

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// FuzzBasic checks that credentials parsed from a header are those that a client
// following RFC 7617 would send.
func FuzzBasic(f *testing.F) {
	f.Add("Basic " + base64.StdEncoding.EncodeToString([]byte("acme-client:acme-secret")))
	f.Add("basic " + base64.StdEncoding.EncodeToString([]byte("id:se:cret")))
	f.Add("Basic !!!")
	f.Add("Bearer abc")
	f.Add("")
	f.Fuzz(func(t *testing.T, header string) {
		id, secret, ok := basic(header)
		if !ok {
			return
		}
		if strings.Contains(id, ":") {
			t.Errorf("%q: id %q contains the separator", header, id)
		}
		again, same, ok := basic("Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret)))
		if !ok || again != id || same != secret {
			t.Errorf("%q: %q and %q do not survive a round trip", header, id, secret)
		}
	})
}

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
