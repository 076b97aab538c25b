package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Access says who may call the control API.
type Access struct {
	Token string   // bearer token; empty asks for none
	Hosts []string // names that a call may be addressed to, beside those of this machine
}

// Guard lets through only calls that were meant for the control API: addressed
// to a name of this machine's own or an allowed one, so that no foreign name
// can be made to point here; not sent by another site's page; with the token,
// when there is one; in JSON. There are no CORS headers: no page of another
// site may read an answer.
func Guard(access Access) func(http.Handler) http.Handler {
	sameSite := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return api.Serve(api.MessageErrors, storage.Unavailable, func(w http.ResponseWriter, r *http.Request) error {
			switch {
			case !access.allows(r):
				return hostNotAllowed(hostOf(r.Host))
			case sameSite.Check(r) != nil:
				return crossSite()
			case !access.knows(r.Header.Values("Authorization")):
				return unauthorized()
			case hasBody(r) && !isJSON(r.Header.Get("Content-Type")):
				return notJSON()
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}

// allows tells whether the call is addressed to a name that is allowed: a
// loopback name, the address that it came in on, or one of the listed.
func (a Access) allows(r *http.Request) bool {
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

// hostOf is the host of an address without its port, in one spelling.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// knows tells whether the one Authorization header holds the token.
func (a Access) knows(given []string) bool {
	if a.Token == "" {
		return true
	}
	if len(given) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	// Digests have one length, so that the comparison tells nothing of the token's.
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// UnknownPath refuses a path that the control listener does not have.
func UnknownPath(w http.ResponseWriter, _ *http.Request) {
	refusal := notFound()
	api.Write(w, refusal.Status, refusal.Body) // the connection is gone
}
