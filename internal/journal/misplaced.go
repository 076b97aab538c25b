package journal

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// IsSecret reports whether the text is a secret or an API key of the client. It executes
// no SQL statement.
type IsSecret func(clientID, text string) bool

// Limits of the search for misplaced secrets. A text that is shorter than minSecret could
// be an ordinary word.
const (
	minSecret = 8   // bytes
	maxSecret = 200 // bytes
	maxWords  = 200 // of one call, because each one costs about a microsecond
)

// misplaced are the secrets that a client has sent in places where none belongs. Secrets
// that somebody has chosen cannot be recognised by their form, so the words of the request
// are compared with those of the client.
type misplaced []string

// findMisplaced returns the client's secrets among the words of the path, the query, the
// headers and the body.
func (is IsSecret) findMisplaced(e exchange) (found misplaced) {
	if is == nil || e.ClientID == "" {
		return nil
	}
	left := maxWords
	try := func(word string) {
		if len(word) < minSecret || len(word) > maxSecret || left == 0 || slices.Contains(found, word) {
			return
		}
		if _, err := uuid.Parse(word); err == nil {
			return
		}
		if left--; is(e.ClientID, word) {
			found = append(found, word)
		}
	}
	fixed := strings.Split(e.request.Pattern, "/")
	for segment := range strings.SplitSeq(e.request.URL.EscapedPath(), "/") {
		if plain, err := url.PathUnescape(segment); err == nil && !slices.Contains(fixed, segment) {
			eachWord(plain, try)
		}
	}
	for field := range strings.SplitSeq(e.request.URL.RawQuery, "&") {
		_, value, _ := strings.Cut(field, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			eachWord(plain, try)
		}
	}
	for name, values := range e.request.Header {
		if !slices.Contains(ordinaryHeaders, name) && !isSecretHeader(name) {
			for _, value := range values {
				eachWord(value, try)
			}
		}
	}
	eachWord(string(e.requestBody), try)
	return found
}

// ordinaryHeaders are headers that nearly every call has, and that are not searched.
var ordinaryHeaders = []string{"Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "Traceparent", "User-Agent"}

// eachWord calls try for the text and for each of its words. For a word with an equals
// sign, it also calls try for the part after it.
func eachWord(text string, try func(word string)) {
	try(text)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'&?,;{}[]()<>|", r) }) {
		if word != text {
			try(word)
		}
		if _, value, named := strings.Cut(word, "="); named {
			try(value)
		}
	}
}

// mask replaces the secrets in the text, also those that are escaped.
func (m misplaced) mask(text string) string {
	for _, secret := range m {
		quoted := quote(secret)
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, form, api.Masked)
		}
	}
	return text
}

// maskBytes is mask for bytes.
func (m misplaced) maskBytes(text []byte) []byte {
	if len(m) == 0 {
		return text
	}
	return []byte(m.mask(string(text)))
}
