package control

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Access defines which calls the control API accepts.
type Access struct {
	Token string   // bearer token; "" if none is needed
	Hosts []string // allowed host names, besides those of this machine
}

// Guard is middleware that rejects calls that are not meant for the control API: calls
// to a host other than this machine or an allowed one, which prevents DNS rebinding;
// calls from web pages of other sites; calls without the token, if there is one; and
// calls with a body that is not JSON. There are no CORS headers, so no page of another
// site can read a response.
func Guard(access Access) func(http.Handler) http.Handler {
	sameSite := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return api.Serve(api.MessageErrors, storage.UnavailableReason, func(w http.ResponseWriter, r *http.Request) error {
			switch {
			case !access.allowsHost(r):
				return hostNotAllowed(hostOf(r.Host))
			case sameSite.Check(r) != nil:
				return crossSite()
			case !access.hasToken(r.Header.Values("Authorization")):
				return unauthorized()
			case hasBody(r) && !isJSON(r.Header.Get("Content-Type")):
				return contentTypeNotJSON()
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}

// allowsHost reports whether the host of the call is allowed: a loopback name, the
// address on which the call arrived, or one of Hosts.
func (a Access) allowsHost(r *http.Request) bool {
	host := hostOf(r.Host)
	if host == "localhost" || slices.ContainsFunc(a.Hosts, func(h string) bool { return hostOf(strings.TrimSpace(h)) == host }) {
		return host != ""
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || local != nil && local.IP.Equal(ip)
}

// hostOf returns the host of an address without its port, in lower case and without a
// trailing dot.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// hasToken reports whether the only Authorization header has the token.
func (a Access) hasToken(given []string) bool {
	if a.Token == "" {
		return true
	}
	if len(given) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	// digests have the same length, so the comparison does not reveal the length of
	// the token
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// UnknownPath responds with 404 to a path that the control listener does not have.
func UnknownPath(http.ResponseWriter, *http.Request) error { return notFound() }

// WrongMethod responds with 405 to a method that a path of the control API does not
// support.
func WrongMethod(_ http.ResponseWriter, r *http.Request) error {
	path := cmp.Or(strings.TrimPrefix(r.URL.Path, route.ControlBase), "/")
	return methodNotAllowed(route.Methods(route.Control, path))
}
