package api

import (
	"regexp"
	"strings"
	"testing"
)

// The forms of secrets as regular expressions. Mask does not use them because they take a
// hundred times as long for texts with many secrets.
var (
	uploadData  = regexp.MustCompile(`\bdata=[A-Za-z0-9_%-]{16,}`)
	urlPassword = regexp.MustCompile(`://[^/\s"'@]*@`)
	signedToken = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*){0,2}`)
)

func maskByExpressions(text string) string {
	text = uploadData.ReplaceAllString(text, "data="+Masked)
	text = urlPassword.ReplaceAllString(text, "://"+Masked+"@")
	return maskGenerated(signedToken.ReplaceAllString(text, Masked))
}

// FuzzMaskedForms compares Mask with regular expressions for the same forms.
func FuzzMaskedForms(f *testing.F) {
	for _, text := range []string{
		"", "data=", "data=abcdefghijklmnop", "data=abcdefghijklmno", "xdata=abcdefghijklmnop", "-data=abcdefghijklmnop&data=%41%42%43%44%45%46",
		"http://user:secret@host/", "://@", "://a b@", "://a'@://x@", "http://a/b@c", "é://ü@", "a://b://c@", "://a\x00@", "://a\vb@",
		"eyJhbGciOiJI.eyJz.abc.def", "eyJhbGciOi", "xeyJhbGciOiJIUzI1", "-eyJhbGciOiJIUzI1..", "eyJeyJeyJeyJ.eyJ", "data=eyJhbGciOiJIUzI1NiIs.x://y@",
		strings.Repeat("eyJabcdefgh.", 20), strings.Repeat("://a@", 20), strings.Repeat("data=", 9), "data=data=data=data=data=data=",
		"\xff://\xffdata=\xff@", "\u2028://\u2028@",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Mask(text), maskByExpressions(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// TestMaskingManySecretsAllocatesLittle masks the longest path, full of secrets.
func TestMaskingManySecretsAllocatesLittle(t *testing.T) {
	for _, secret := range []string{"eyJabcdefgh.", "://a@", "data=abcdefghijklmnop&"} {
		text := "/" + strings.Repeat(secret, 15_000/len(secret))
		if n := testing.AllocsPerRun(10, func() { Mask(text) }); n > 40 {
			t.Errorf("%s: %.0f allocations", secret, n)
		}
	}
}
