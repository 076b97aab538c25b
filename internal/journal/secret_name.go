package journal

import "strings"

// secretEndings are the endings of names of fields and headers that hold a secret, in
// lower case and without separators. Some are not in any call, but clients send secrets
// in them.
var secretEndings = []string{"secret", "token", "password", "apikey", "authorization", "clientassertion", "credential", "credentials"}

// publicKeys end in the word key, but hold no secret.
var publicKeys = []string{"idempotencykey", "publickey"}

// isSecretName reports whether a field or a header of the name holds a secret. Case,
// hyphens and underscores do not matter. It does not allocate, since one call can have
// tens of thousands of names.
func isSecretName(name string) bool {
	var buffer [32]byte // the end of the name, in lower case and without separators
	from := len(buffer)
	wordLength, wordEnded := 0, false // of the last word
	for i := len(name) - 1; i >= 0 && from > 0; i-- {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '-' || c == '_' || c == '.' || c == ' ' || c == '\t':
			wordEnded = wordEnded || wordLength > 0
			continue
		case from == len(buffer) && !('a' <= c && c <= 'z'):
			continue // such as the index in secret[0]
		}
		from--
		buffer[from] = c
		if wordEnded {
			continue
		}
		wordLength++
		// in camel case, a capital letter begins a word
		wordEnded = c != name[i] && i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z'
	}
	end := string(buffer[from:])
	for _, secret := range secretEndings {
		if strings.HasSuffix(end, secret) {
			return true
		}
	}
	if wordLength != len("key") || !strings.HasSuffix(end, "key") {
		return false
	}
	for _, public := range publicKeys {
		if strings.HasSuffix(end, public) {
			return false
		}
	}
	return true
}

// isHeaderName reports whether a field of the name holds HTTP headers. The static header
// of a subscription has a credential.
func isHeaderName(name string) bool {
	name, _, _ = strings.Cut(name, "[") // as in headers[X-Mine]
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, "header") || strings.EqualFold(name, "headers")
}
