package fault

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// splitRoute splits "METHOD /path" or "/path"; the method may be "".
func splitRoute(route string) (method, path string) {
	if method, path, ok := strings.Cut(route, " "); ok {
		return method, path
	}
	return "", route
}

// matches reports whether a call is one of the route: "*", or a path whose
// parameters may be in braces and whose last segment may be * for everything
// below, after a method or without one.
func matches(route, method, path string) bool {
	if route == "*" {
		return true
	}
	only, pattern := splitRoute(route)
	if only != "" && only != method {
		return false
	}
	if below, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(path, below+"/")
	}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		parameter := strings.HasPrefix(want[i], "{") && strings.HasSuffix(want[i], "}")
		if want[i] != got[i] && !parameter {
			return false
		}
	}
	return true
}

// actsOn reports whether the fault acts on the matching call of this number,
// from 1, as far as times and every decide.
func (f fault) actsOn(number int64) bool {
	return (f.Times == nil || number <= *f.Times) && (f.Every == nil || number%*f.Every == 0)
}

// drawn reports whether the fault's probability selects the call. The same seed,
// tenant, route and number of the route's call give the same result, in
// whatever order calls of several routes come.
func (f fault) drawn(tenant, route string, number int64) bool {
	if f.Probability == nil {
		return true
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", f.Seed, tenant, route, number))
	return float64(binary.BigEndian.Uint64(digest[:8])>>11)/(1<<53) < *f.Probability
}
