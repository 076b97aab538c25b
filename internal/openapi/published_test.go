package openapi_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"understudy.example/internal/openapi"
)

var publishTo = flag.String("published", "", "write the document with its examples to this file")

// published returns the document with its examples, as text and as parsed.
func published(t *testing.T) ([]byte, *openapi3.T) {
	t.Helper()
	text, err := openapi.Published()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return text, document
}

func TestEveryJSONResponseHasAnExample(t *testing.T) {
	t.Parallel()
	_, document := published(t)
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				media := response.Value.Content.Get("application/json")
				if media != nil && media.Example == nil && len(media.Examples) == 0 {
					t.Errorf("%s %s %s has no example", method, path, status)
				}
			}
		}
	}
}

// TestPublishedDocumentIsValid checks the document with its examples, and writes it
// to the file that -published names.
func TestPublishedDocumentIsValid(t *testing.T) {
	t.Parallel()
	text, document := published(t)
	if err := document.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(string(text), "openapi: 3.1.") || !strings.Contains(string(text), "Missing Authentication Token") {
		t.Errorf("document %.100s", text)
	}
	if n := strings.Count(string(text), "examples:\n"); n < 40 {
		t.Errorf("%d responses with examples, want at least 40", n)
	}
	if *publishTo == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(*publishTo), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*publishTo, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
