package journal

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestMaskMalformedJSONIsASearch compares maskMalformedJSON with a search for its pattern,
// on random texts of what the pattern is made of.
func TestMaskMalformedJSONIsASearch(t *testing.T) {
	t.Parallel()
	search := regexp.MustCompile(strings.Replace(secretInMalformedJSON.String(), "(?i)^", "(?i)", 1))
	pieces := []string{
		"secret", "TOKEN", "key", "keys", "Authorization", "password", "assertion", "credential", "headers", "a", "s", "t", "k", "se",
		":", "=", " ", "\"", "'", "\\", ",", "&", "{", "}", "[", "]", "<", "\n", "x", "é", "123",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		want := search.ReplaceAllString(text.String(), "$1$2"+mask)
		if got := maskMalformedJSON(text.String()); got != want {
			t.Fatalf("%q: %q, want %q", text.String(), got, want)
		}
	}
}
