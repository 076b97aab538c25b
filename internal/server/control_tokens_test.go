package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestNamedControlTokens checks a server with several control tokens, from a file.
func TestNamedControlTokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("ci = one==\n\n ops=two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t), "CONTROL_TOKEN=three", "CONTROL_TOKENS_FILE="+file)
	for token, want := range map[string]int{"one==": 200, "two": 200, "three": 200, "one": 401, "ci": 401, "": 401} {
		request, err := http.NewRequest(http.MethodGet, p.ControlURL+"/control/v1/tenants", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("token %q: got %d, want %d", token, response.StatusCode, want)
		}
	}
}

// TestControlTokensThatAreRefused checks the sentences about tokens that cannot be used.
func TestControlTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[string]string{
		"sesame":          "CONTROL_TOKENS: want entries of the form name=token",
		"CI=sesame":       "CONTROL_TOKENS: want entries of the form name=token",
		"ci=":             `CONTROL_TOKENS: the token "ci" is empty`,
		"ci=one,ci=two":   `CONTROL_TOKENS: two tokens have the name "ci"`,
		"ci=one,ops=one":  `CONTROL_TOKENS: the token "ops" is the same as another one`,
		"default=another": `CONTROL_TOKENS: two tokens have the name "default"`,
	} {
		output := servertest.Refusal(t, "--data-dir", t.TempDir(), "CONTROL_TOKEN=sesame", "CONTROL_TOKENS="+tokens)
		if !strings.Contains(output, want) || strings.Contains(output, "another") && !strings.Contains(want, "another") {
			t.Errorf("%s: got %q, want %q", tokens, output, want)
		}
	}
	output := servertest.Refusal(t, "PROFILE=uat", "--data-dir", t.TempDir(), "CONTROL_TOKENS=ci=short")
	for _, want := range []string{"CONTROL_TOKEN is not set", `the token "ci" of CONTROL_TOKENS has fewer than 32 characters`} {
		if !strings.Contains(output, want) {
			t.Errorf("got %q, want %q", output, want)
		}
	}
}
