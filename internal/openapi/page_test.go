package openapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// TestPageLoadsOnlyItsOwnFiles checks that every file which the page loads is
// there, packed and plain, and that nothing in the page is inline.
func TestPageLoadsOnlyItsOwnFiles(t *testing.T) {
	s := servertest.New(t)
	index := s.Do(servertest.Call{Line: "GET /docs"}).Want(t, http.StatusOK)
	if policy := index.Header.Get("Content-Security-Policy"); policy != openapi.ContentSecurityPolicy || strings.Contains(policy, "unsafe") {
		t.Errorf("Content-Security-Policy %q", policy)
	}
	var loaded []string
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(index.Body, -1) {
		loaded = append(loaded, match[1])
	}
	want := []string{"data:,", "/docs/console.css", "/docs/docs.css", "/docs/docs.js", "#main", "/docs", "/openapi.yaml"}
	if diff := cmp.Diff(want, loaded); diff != "" {
		t.Errorf("files of the page (- want, + got):\n%s", diff)
	}
	if inline := regexp.MustCompile(`<style|style=|<script>| on[a-z]+=`).FindString(index.Body); inline != "" {
		t.Errorf("%s is inline", inline)
	}
	for _, file := range []string{"/docs", "/docs/console.css", "/docs/docs.css", "/docs/docs.js"} {
		packed := s.Do(servertest.Call{Line: "GET " + file}).Want(t, http.StatusOK) // the client unpacks
		plain := s.Do(servertest.Call{Line: "GET " + file, Header: map[string]string{"Accept-Encoding": "identity"}}).Want(t, http.StatusOK)
		if packed.Body != plain.Body || len(plain.Body) < 400 {
			t.Errorf("%s: %d bytes packed, %d plain", file, len(packed.Body), len(plain.Body))
		}
	}
	if !strings.Contains(index.Body, `value="acme-client"`) || !strings.Contains(index.Body, `value="acme-secret"`) {
		t.Error("the seeded credentials are not filled in")
	}
}

// TestOtherPathsNearThePageAreUnknown checks that a path is an unknown route
// unless it is a file that the page loads.
func TestOtherPathsNearThePageAreUnknown(t *testing.T) {
	s := servertest.New(t)
	for _, line := range []string{
		"GET /docs/", "GET /docs/index.html", "GET /docs/reference.html", "GET /docs/swagger-ui.css",
		"GET /docs/a/b", "POST /docs", "GET /doc", "GET /",
	} {
		s.Do(servertest.Call{Line: line}).Want(t, http.StatusForbidden, servertest.UnknownRoute)
	}
}
