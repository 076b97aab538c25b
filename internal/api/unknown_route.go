package api

import (
	"net/http"
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

// unknownRouteHint returns a hint about the part of the request that matches no route.
func unknownRouteHint(r *http.Request) string {
	path := r.URL.Path
	if methods := route.Methods(route.API, path); len(methods) > 0 {
		if rt, _ := route.Find(route.API, "", path); rt.Operation == route.UploadFile {
			return "the upload URL does not accept " + Quote(r.Method) + ": use PUT"
		}
		return "this path does not accept " + Quote(r.Method) + ": use " + strings.Join(methods, " or ")
	}
	if trimmed := strings.TrimRight(path, "/"); trimmed != path && len(route.Methods(route.API, trimmed)) > 0 {
		return "the path ends with a slash: remove it"
	}
	return "the service has no path " + Quote(path) + ": see /docs for its routes"
}
