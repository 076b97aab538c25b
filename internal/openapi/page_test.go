package openapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// TestDocsPage: the page loads nothing but its own files, all of them are
// there, and nothing in it is inline.
func TestDocsPage(t *testing.T) {
	w := servertest.New(t)
	index := w.Do(servertest.Call{Line: "GET /docs"}).Want(t, http.StatusOK)
	if policy := index.Header.Get("Content-Security-Policy"); policy != pagePolicy || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	var loaded []string
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(index.Body, -1) {
		loaded = append(loaded, match[1])
	}
	want := []string{"data:,", "/docs/swagger-ui.css", "/docs/docs.css", "/docs/swagger-ui-bundle.js", "/docs/docs.js", "/openapi.yaml"}
	if diff := cmp.Diff(want, loaded); diff != "" {
		t.Errorf("what the page loads:\n%s", diff)
	}
	if inline := regexp.MustCompile(`<style|style=|<script>| on[a-z]+=`).FindString(index.Body); inline != "" {
		t.Errorf("%s is inline", inline)
	}
	for _, file := range want[1:] {
		packed := w.Do(servertest.Call{Line: "GET " + file}).Want(t, http.StatusOK) // the client unpacks
		plain := w.Do(servertest.Call{Line: "GET " + file, Header: map[string]string{"Accept-Encoding": "identity"}}).Want(t, http.StatusOK)
		if packed.Body != plain.Body || len(plain.Body) < 400 {
			t.Errorf("%s: %d bytes packed, %d plain", file, len(packed.Body), len(plain.Body))
		}
	}
	if !strings.Contains(index.Body, `value="acme-client"`) || !strings.Contains(index.Body, `value="acme-secret"`) {
		t.Error("the seeded credentials are not filled in")
	}
}

// TestDocsPageChangesNoOtherPath: what is no file of the page is an unknown
// route.
func TestDocsPageChangesNoOtherPath(t *testing.T) {
	w := servertest.New(t)
	for _, line := range []string{
		"GET /docs/", "GET /docs/index.html", "GET /docs/swagger-ui-bundle.js.gz", "GET /docs/swagger-ui-LICENSES.txt",
		"GET /docs/a/b", "POST /docs", "GET /doc", "GET /",
	} {
		w.Do(servertest.Call{Line: line}).Want(t, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
	}
}
