// Package route lists the routes of the emulated API and of the control API as
// plain data. Routing, the validation of faults, the fidelity table and the
// checks of the OpenAPI documents all read these lists; package server attaches
// a handler to each entry. It imports no other package of the module.
package route

import "strings"

// Route is one method on one path.
type Route struct {
	Method     string
	Path       string    // with parameters in braces; a final * matches the rest of the path
	Operation  Operation // what the route does; the versions of an endpoint share it
	Version    string    // the version segment of the path, such as v2; "" if it has none
	Permission string    // the permission that a client needs; "" if none is needed
	Family     Family    // the form of the error bodies
	AnyMethod  bool      // the handler refuses other methods itself
	Upload     bool      // the body is a file: it may take longer than other calls, and is not journaled
}

// Operation names what a route does.
type Operation string

// Family is a group of endpoints whose error bodies have the same form.
type Family int

const (
	Message Family = iota // {"message"}: submit, status, data and company
	OAuth                 // RFC 6749 section 5.2: the token endpoint
	Hooks                 // {"status","error"}: the webhook endpoints
)

// Pattern returns the route in the form that the router takes: "GET /hooks/{hook_id}".
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// Documented returns the method and path of the route in the OpenAPI document, in
// which every parameter has a name.
func (r Route) Documented() string { return r.Method + " " + documented.Replace(r.Path) }

var documented = strings.NewReplacer("/report/*", "/report/{report}")

// Accepts reports whether the path matches the route's path. A parameter matches any
// segment that is not empty.
func (r Route) Accepts(path string) bool {
	// Segment by segment, because a path can have thousands of them.
	for pattern := r.Path; ; {
		want, patternRest, patternHasMore := strings.Cut(pattern, "/")
		if want == "*" && !patternHasMore {
			return true
		}
		got, rest, hasMore := strings.Cut(path, "/")
		switch {
		case want != got && (got == "" || !strings.HasPrefix(want, "{")), hasMore != patternHasMore:
			return false
		case !hasMore:
			return true
		}
		pattern, path = patternRest, rest
	}
}

// Find returns the route in the list that has the method and matches the path. The
// method "" matches every method.
func Find(routes []Route, method, path string) (Route, bool) {
	for _, r := range routes {
		if (method == "" || method == r.Method) && r.Accepts(path) {
			return r, true
		}
	}
	return Route{}, false
}

// Methods returns the methods of the routes in the list that match the path.
func Methods(routes []Route, path string) []string {
	var methods []string
	for _, r := range routes {
		if r.Accepts(path) {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// FamilyOf returns the family of a path, even of one that matches no route.
func FamilyOf(path string) Family {
	switch {
	case strings.HasPrefix(path, "/auth/"):
		return OAuth
	case path == "/hooks" || strings.HasPrefix(path, "/hooks/"):
		return Hooks
	}
	return Message
}
