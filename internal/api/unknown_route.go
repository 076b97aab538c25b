package api

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"understudy.example/internal/route"
)

// UnknownRoute is a handler that rejects a method or path that the service does not
// have: paths of the webhook family with its 404, all others with the 403 of the
// service's gateway.
func UnknownRoute(_ http.ResponseWriter, r *http.Request) error {
	if route.FamilyOf(r.URL.Path) == route.Hooks {
		return NewErrorBody(http.StatusNotFound, HookErrors(http.StatusNotFound, "Not Found"), unknownRouteHint(r))
	}
	return NewError(http.StatusForbidden, "Missing Authentication Token", unknownRouteHint(r))
}

// method returns the method of the request for a hint: quoted, unless it is well known.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return Quote(r.Method)
}

// unknownRouteHint returns a hint about the part of the request that matches no route.
func unknownRouteHint(r *http.Request) string {
	path := r.URL.Path
	if methods := route.Methods(route.API, path); len(methods) > 0 {
		if rt, _ := route.Find(route.API, "", path); rt.Operation == route.UploadFile {
			return method(r) + " to the upload URL: use PUT"
		}
		return "this path does not accept " + Quote(r.Method) + ": use " + strings.Join(methods, " or ")
	}
	if methods := route.Methods(route.Own, path); len(methods) > 0 {
		return "this path does not accept " + Quote(r.Method) + ": use " + strings.Join(methods, " or ")
	}
	all := slices.Concat(route.API, route.Own)
	if trimmed := strings.TrimRight(path, "/"); trimmed != path && len(route.Methods(all, trimmed)) > 0 {
		return "the path ends with a slash: remove it"
	}
	if versions := versionsOf(path); len(versions) > 0 {
		return "this path exists in other versions only: " + strings.Join(versions, ", ")
	}
	return "the service has no path " + Quote(path) + ": see /docs for its routes"
}

var versionSegment = regexp.MustCompile(`/v\d+/`)

// mostSegments and longestPath are more than any route has.
const (
	mostSegments = 12
	longestPath  = 1000 // bytes
)

// versionsOf returns the versions in which the API has the path with another version.
func versionsOf(path string) []string {
	var versions []string
	if len(path) > longestPath || strings.Count(path, "/") > mostSegments {
		return nil
	}
	for _, rt := range route.API {
		other := versionSegment.ReplaceAllString(path, "/"+rt.Version+"/")
		if rt.Version != "" && other != path && rt.Accepts(other) && !slices.Contains(versions, rt.Version) {
			versions = append(versions, rt.Version)
		}
	}
	slices.Sort(versions)
	return versions
}
