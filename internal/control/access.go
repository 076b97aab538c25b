package control

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Access defines which calls the control API accepts.
type Access struct {
	Tokens []Token  // bearer tokens; none if calls need none
	Hosts  []string // allowed host names, besides those of this machine
}

// Token is a bearer token. The audit log shows its name.
type Token struct{ Name, Value string }

// Guard is middleware that rejects calls that are not meant for the control API: calls
// to a host other than this machine or an allowed one, which prevents DNS rebinding;
// calls from web pages of other sites, except links to this one; calls without the token, if there is one; and
// calls with a body that is not JSON, except uploads. There are no CORS headers, so no page of another
// site can read a response.
func Guard(access Access) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return api.Serve(api.MessageErrors, storage.UnavailableReason, func(w http.ResponseWriter, r *http.Request) error {
			name, known := access.tokenIn(r.Header.Values("Authorization"))
			switch {
			case !access.allowsHost(r):
				return hostNotAllowed(hostOf(r.Host))
			case isCrossSite(r):
				return crossSite()
			case !known:
				return unauthorized()
			case hasBody(r) && !isJSON(r.Header.Get("Content-Type")) && !isUpload(r):
				return contentTypeNotJSON()
			}
			call.From(r.Context()).ControlToken = name
			next.ServeHTTP(w, r)
			return nil
		})
	}
}

// RefuseDeliveries is middleware that rejects the deliveries of webhooks. A client of the API
// chooses the URL and a part of the content of its deliveries, and could make the server call its
// own control listener, often without a token. Clients cannot remove the header by which a
// delivery is recognized.
func RefuseDeliveries(next http.Handler) http.Handler {
	return api.Serve(api.MessageErrors, storage.UnavailableReason, func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("X-Emperor-Event") != "" {
			return isDelivery()
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// isCrossSite reports whether a web page of another site or origin makes the call. A
// browser that follows a link does not count, since the page cannot read the response.
func isCrossSite(r *http.Request) bool {
	followsLink := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	if followsLink {
		return false
	}
	unsafe := *r
	unsafe.Method = http.MethodPost // since the check lets GET pass
	return new(http.CrossOriginProtection).Check(&unsafe) != nil
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

// tokenIn returns the name of the token in the only Authorization header, and whether
// the call is allowed: it has one of the tokens, or none is needed.
func (a Access) tokenIn(given []string) (name string, allowed bool) {
	if len(a.Tokens) == 0 {
		return "", true
	}
	if len(given) != 1 {
		return "", false
	}
	scheme, value, _ := strings.Cut(given[0], " ")
	name, allowed = a.TokenName(strings.TrimSpace(value))
	return name, allowed && strings.EqualFold(scheme, "bearer")
}

// TokenName returns the name of the token with the given value, and whether there is
// one.
func (a Access) TokenName(value string) (name string, known bool) {
	got := sha256.Sum256([]byte(value))
	for _, token := range a.Tokens {
		// digests have the same length, so the comparison does not reveal the length
		// of the token
		want := sha256.Sum256([]byte(token.Value))
		if subtle.ConstantTimeCompare(want[:], got[:]) == 1 {
			name, known = token.Name, true
		}
	}
	return name, known
}

// isUpload reports whether the call is one whose body is a file.
func isUpload(r *http.Request) bool {
	rt, found := route.Find(route.Control, r.Method, strings.TrimPrefix(r.URL.Path, route.ControlBase))
	return found && rt.Upload
}

func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

func isJSON(contentType string) bool {
	kind, _, err := api.ParseMediaType(contentType)
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
