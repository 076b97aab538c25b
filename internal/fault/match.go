package fault

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// splitRoute splits "METHOD /path" or "/path"; the method of the latter is "".
func splitRoute(route string) (method, path string) {
	if method, path, ok := strings.Cut(route, " "); ok {
		return method, path
	}
	return "", route
}

// matches reports whether a call matches the route: "*", or a path with or without a
// method before it. Parameters of the path may be in braces, and its last segment may
// be *, which matches everything below.
func matches(route, method, path string) bool {
	if route == "*" {
		return true
	}
	only, pattern := splitRoute(route)
	if only != "" && only != method {
		return false
	}
	if below, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasSuffix(below, "/") {
		return strings.HasPrefix(path, below)
	}
	// A path can have thousands of segments, and a tenant as many faults. The comparison ends at
	// the first segment that differs, and splits nothing beyond it.
	for more := true; more; {
		want, wanted, patternGoesOn := strings.Cut(pattern, "/")
		got, rest, pathGoesOn := strings.Cut(path, "/")
		parameter := strings.HasPrefix(want, "{") && strings.HasSuffix(want, "}")
		if want != got && !parameter || patternGoesOn != pathGoesOn {
			return false
		}
		pattern, path, more = wanted, rest, patternGoesOn
	}
	return true
}

// selectsNumber reports whether times and every select the matching call with the
// number, counted from 1.
func (f fault) selectsNumber(number int64) bool {
	return (f.Times == nil || number <= *f.Times) && (f.Every == nil || number%*f.Every == 0)
}

// selectsByChance reports whether the fault's probability selects the call, or the
// delivery, whose route is its event. The result depends only on the seed, the route
// and the position of the call among the calls of the route. So it does not depend on
// the tenant, nor on the order in which calls of other routes arrive.
func (f fault) selectsByChance(route string, number int64) bool {
	if f.Probability == nil {
		return true
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", f.Seed, route, number))
	return float64(binary.BigEndian.Uint64(digest[:8])>>11)/(1<<53) < *f.Probability
}
