package route

import (
	"strings"
	"testing"
)

func TestAccepts(t *testing.T) {
	for _, test := range []struct {
		route, path string
		want        bool
	}{
		{"/hooks", "/hooks", true},
		{"/hooks", "/hooks/", false},
		{"/hooks/{hook_id}", "/hooks/1", true},
		{"/hooks/{hook_id}", "/hooks/{hook_id}", true},
		{"/hooks/{hook_id}", "/hooks/", false},
		{"/hooks/{hook_id}", "/hooks/1/requests", false},
		{"/audit/v1/report/*", "/audit/v1/report/2026/1", true},
		{"/audit/v1/report/*", "/audit/v1/report/*", true},
		{"/audit/v1/report/*", "/audit/v1/report", false},
		{"/", "/", true},
		{"/", "", false},
	} {
		if got := (Route{Path: test.route}).Accepts(test.path); got != test.want {
			t.Errorf("%s accepts %q: got %v, want %v", test.route, test.path, got, test.want)
		}
	}
}

// TestLongPathsNeedNoMemory checks that comparing a path of thousands of segments with all
// routes allocates nothing.
func TestLongPathsNeedNoMemory(t *testing.T) {
	path := strings.Repeat("/a", 7000)
	if n := testing.AllocsPerRun(10, func() { Find(API, "", path) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		method, path string
		want         Operation
	}{
		{"GET", "/universal/v4/universal-submit/status/x", ReadStatus},
		{"", "/auth/token", CreateToken},
		{"POST", "/universal/v1/universal-submit/file", ""}, // direct submission came with version 3
		{"PUT", "/auth/token", ""},
	} {
		if got, _ := Find(API, test.method, test.path); got.Operation != test.want {
			t.Errorf("%s %s: got %q, want %q", test.method, test.path, got.Operation, test.want)
		}
	}
}

// TestFamilyOf checks that the family of a route is that of its path.
func TestFamilyOf(t *testing.T) {
	for _, r := range API {
		if got := FamilyOf(r.Path); got != r.Family {
			t.Errorf("%s: family %d from the path, want %d from the route", r.Path, got, r.Family)
		}
	}
}

// TestRoutesAreDistinct checks that no two routes of a list have the same method
// and matching paths, so that Find has one result.
func TestRoutesAreDistinct(t *testing.T) {
	for _, list := range [][]Route{append(append([]Route(nil), API...), Own...), Control} {
		for i, r := range list {
			if found, _ := Find(list, r.Method, r.Path); found != list[i] {
				t.Errorf("%s: Find returns %s", r.Pattern(), found.Pattern())
			}
		}
	}
}
