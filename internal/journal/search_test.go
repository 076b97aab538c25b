package journal

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy.example/internal/call"
)

// TestSearchIsCheap checks that only few texts of a call are compared with the client's secrets, and
// that the search does not allocate for each word.
func TestSearchIsCheap(t *testing.T) {
	for name, body := range map[string]string{
		"one word":       strings.Repeat("a", MaxBody),
		"parts":          strings.Repeat("secret-part:", MaxBody/12),
		"tiny parts":     strings.Repeat(":", MaxBody),
		"long parts":     strings.Repeat(strings.Repeat("a", 300)+"/", MaxBody/301),
		"mixed":          strings.Repeat("=:@/ab", MaxBody/6),
		"words":          strings.Repeat("longer-word ", MaxBody/12),
		"tiny words":     strings.Repeat(" a", MaxBody/2),
		"fields":         strings.Repeat("name-of-a-field=value-of-a-field&", MaxBody/33),
		"tiny fields":    strings.Repeat("%&", MaxBody/2),
		"words of parts": strings.Repeat("a:b/c@d=e ", MaxBody/10),
	} {
		for _, kind := range []string{"text/plain", formType} {
			compared := 0
			is := IsSecret(func(_, _ string) bool { compared++; return false })
			request := httptest.NewRequest(http.MethodPost, "/hooks", nil)
			request.Header.Set("Content-Type", kind)
			e := exchange{Record: &call.Record{ClientID: "c"}, request: request, requestBody: []byte(body)}
			if is.findMisplaced(e); compared > maxWords+maxParts {
				t.Errorf("%s: %d texts are compared", name, compared)
			}
			if allocated := testing.AllocsPerRun(1, func() { is.findMisplaced(e) }); allocated > 1000 && name != "tiny fields" {
				t.Errorf("%s: the search allocates %.0f times", name, allocated)
			}
		}
	}
}

// TestSearchFindsParts checks which parts of a word are compared.
func TestSearchFindsParts(t *testing.T) {
	const secret = "a-chosen/secret"
	is := IsSecret(func(_, text string) bool { return text == secret })
	for _, text := range []string{"", "id:", "user=id:", "https://id:", "note=", "x/", strings.Repeat("y/", 50)} {
		for _, after := range []string{"", "@example.com/", "/more:than=one@part/of/it", " and more"} {
			s := search{is: is}
			if s.text(text + secret + after); len(s.found) != 1 {
				t.Errorf("%s%s%s: not found", text, secret, after)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	is := IsSecret(func(_, _ string) bool { return false })
	for name, text := range map[string]string{"parts": ":", "words": " a", "word": "a", "long": "aaaaaaaaa:"} {
		b.Run(name, func(b *testing.B) {
			body := strings.Repeat(text, MaxBody/len(text))
			for b.Loop() {
				s := search{is: is}
				s.text(body)
			}
		})
	}
}
