package fault

import (
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		route, method, path string
		want                bool
	}{
		{"*", "GET", "/a", true},
		{"/a/b", "GET", "/a/b", true},
		{"GET /a/b", "GET", "/a/b", true},
		{"POST /a/b", "GET", "/a/b", false},
		{"/a/{id}/c", "GET", "/a/b/c", true},
		{"/a/{id}/c", "GET", "/a//c", true},
		{"/a/{id}/c", "GET", "/a/b/d", false},
		{"/a/{id}", "GET", "/a", false},
		{"/a/{id}", "GET", "/a/b/", false},
		{"/a/{id}", "GET", "/a/b/c", false},
		{"/a/b/{id}", "GET", "/a/b", false},
		{"/a/*", "GET", "/a/b/c", true},
		{"/a/*", "GET", "/a/", true},
		{"/a/*", "GET", "/a", false},
		{"/a/*", "GET", "/ab", false},
		{"/a*", "GET", "/ab", false},
		{"/a*", "GET", "/a*", true},
	} {
		if got := matches(test.route, test.method, test.path); got != test.want {
			t.Errorf("%s matches %s %s: %t, want %t", test.route, test.method, test.path, got, test.want)
		}
	}
}

// TestMatchesDoesNotSplitThePath checks that a path is not copied for each of the tenant's faults:
// it can have thousands of segments.
func TestMatchesDoesNotSplitThePath(t *testing.T) {
	path := "/audit/v1/report/" + strings.Repeat("/", 15_000)
	for _, route := range []string{"GET /data/v1/{dp_id}/{report_id}", "/audit/v1/report/{id}", "/audit/*"} {
		if n := testing.AllocsPerRun(10, func() { matches(route, "GET", path) }); n > 0 {
			t.Errorf("%s: %v allocations, want 0", route, n)
		}
	}
}
