package api

import (
	"strings"
	"testing"
)

// TestLongMediaTypesAreRefused checks that a media type with thousands of parameters is rejected without allocations, and
// that one with the longest boundary is accepted.
func TestLongMediaTypesAreRefused(t *testing.T) {
	boundary := strings.Repeat("b", 70)
	if kind, params, err := ParseMediaType(`multipart/form-data; charset=utf-8; boundary="` + boundary + `"`); err != nil || kind != "multipart/form-data" || params["boundary"] != boundary {
		t.Errorf("got %s, %v, %v", kind, params, err)
	}
	long := "multipart/form-data; boundary=b" + strings.Repeat("; a=b", 2000)
	allocated := testing.AllocsPerRun(10, func() {
		if kind, params, err := ParseMediaType(long); kind != "" || params != nil || err == nil {
			t.Errorf("got %s, %v, %v", kind, params, err)
		}
	})
	if allocated > 0 {
		t.Errorf("a long media type takes %v allocations, want none", allocated)
	}
}
