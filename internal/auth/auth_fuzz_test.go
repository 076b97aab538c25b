package auth

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// FuzzBasic: what is read from a header is what a client that follows RFC 7617
// put there.
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
			t.Errorf("%q: id %q holds the separator", header, id)
		}
		again, same, ok := basic("Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret)))
		if !ok || again != id || same != secret {
			t.Errorf("%q: %q and %q do not come back", header, id, secret)
		}
	})
}

// FuzzReadRefresh: nothing but what was written for this client reads.
func FuzzReadRefresh(f *testing.F) {
	keys := &Keys{Environment: "sandbox", refresh: []byte("key")}
	token := refreshToken{uuid.MustParse("01a1fc02-6c63-7e62-899d-76dbc92c035e"), 3}
	f.Add(keys.writeRefresh("acme-client", token))
	f.Add(keys.writeRefresh("globex-client", token))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		read, ok := keys.readRefresh("acme-client", text)
		if ok && (read != token || text != keys.writeRefresh("acme-client", token)) {
			t.Errorf("%q reads as %v", text, read)
		}
	})
}
