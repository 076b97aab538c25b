package api_test

import (
	"strings"
	"testing"

	"understudy.example/internal/api"
)

// TestMask checks that secrets are recognised by their form, and other texts are kept.
func TestMask(t *testing.T) {
	const generated = "MaAAY4XYNFkHsyE2F1t6gw4Okw_9l4dmjsz_oXEQrgw"
	for text, want := range map[string]string{
		"":                                "",
		"/hooks/eyJhbGciOiJIUzI1NiJ9.e.s": "/hooks/***",
		"/upload-file?data=AAAAAAAAAAAAAAAAAA&x=1":                                   "/upload-file?data=***&x=1",
		"http://user:password@host/":                                                 "http://***@host/",
		`{"apikey":"` + generated + `"}`:                                             `{"apikey":"***"}`,
		generated + "/" + generated + generated:                                      "***/***",
		"name-" + generated + ".pdf":                                                 "***.pdf",
		"Statement_of_Values_2025_Acme_Manufacturing_Holdings.xlsx":                  "Statement_of_Values_2025_Acme_Manufacturing_Holdings.xlsx",
		strings.Repeat("0123456789abcdef", 4):                                        strings.Repeat("0123456789abcdef", 4), // a digest
		"/universal/v2/universal-submit/status/01a1fc02-6c63-7e62-899d-76dbc92c035e": "/universal/v2/universal-submit/status/01a1fc02-6c63-7e62-899d-76dbc92c035e",
	} {
		if got := api.Mask(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if quoted := api.Quote("/a path before it/" + generated); strings.Contains(quoted, generated[:20]) {
		t.Errorf("a hint would show %s", quoted)
	}
}

// TestMaskFindsSecretsAnywhere checks that a secret is recognised wherever it is among runs
// of other lengths.
func TestMaskFindsSecretsAnywhere(t *testing.T) {
	const generated = "MaAAY4XYNFkHsyE2F1t6gw4Okw_9l4dmjsz_oXEQrgw"
	for before := range 100 {
		for _, run := range []string{"", "a", strings.Repeat("b", 42), strings.Repeat("c", 44)} {
			lead := strings.Repeat("/", before) + run + "/"
			if got, want := api.Mask(lead+generated+"/"+run), lead+"***/"+run; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	for _, words := range []string{"backup-of-submission-documents-and-other-attachments-for-acme-insurance-", strings.Repeat("a", 60), strings.Repeat("a-", 60)} {
		for _, run := range []string{words + generated, generated + words, words + "-" + generated + "-" + words} {
			if got := api.Mask(run); got != api.Masked {
				t.Errorf("%q becomes %q", run, got)
			}
		}
		if got := api.Mask(words); got != words {
			t.Errorf("%q becomes %q", words, got)
		}
	}
}
