package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocsPage: the page loads nothing but its own files, all of them are
// there, and nothing in it is inline.
func TestDocsPage(t *testing.T) {
	w := newWorld(t)
	index := w.do(call{line: "GET /docs"}).want(t, http.StatusOK)
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
		packed := w.do(call{line: "GET " + file}).want(t, http.StatusOK) // the client unpacks
		plain := w.do(call{line: "GET " + file, header: map[string]string{"Accept-Encoding": "identity"}}).want(t, http.StatusOK)
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
	w := newWorld(t)
	for _, line := range []string{
		"GET /docs/", "GET /docs/index.html", "GET /docs/swagger-ui-bundle.js.gz", "GET /docs/swagger-ui-LICENSES.txt",
		"GET /docs/a/b", "POST /docs", "GET /doc", "GET /",
	} {
		w.do(call{line: line}).want(t, http.StatusForbidden, `{"message":"Missing Authentication Token"}`)
	}
}
