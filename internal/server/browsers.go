package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/cors"
	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// corsOrigins returns CORSOrigins, or an error if an entry is neither * nor an origin
// as browsers send it.
func (c *Config) corsOrigins() ([]string, error) {
	var origins []string
	for _, text := range c.CORSOrigins {
		origin := strings.TrimSpace(text)
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			return nil, fmt.Errorf("CORS_ORIGINS %q: want origins such as https://app.example, without a path, or *", origin)
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// allowOrigins returns middleware that lets pages of the origins call the API from
// browsers. If there are no origins, calls pass unchanged: an OPTIONS call is an
// unknown route.
func allowOrigins(origins []string) func(http.Handler) http.Handler {
	if len(origins) == 0 { // package cors would allow any origin
		return func(next http.Handler) http.Handler { return next }
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"X-Request-Id", "X-Understudy-Hint", "Www-Authenticate", "Retry-After", "Allow"},
	}).Handler
}

// refuseRebinding returns middleware that refuses calls that a web page makes to its own
// host, if that is a name other than localhost and the known ones. Anybody can make a
// name resolve to this machine (DNS rebinding). A browser then treats the API as part of
// the page, and the page could use the demo credentials, which everybody knows. Clients
// other than browsers send no Origin and can use any name.
func refuseRebinding(known []string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		refuse := serveAPI(route.Message, func(_ http.ResponseWriter, r *http.Request) error {
			return api.NewError(http.StatusForbidden, "Forbidden", "a web page makes this call to its own host "+api.Quote(hostName(r.Host))+", which is not known: add it to CONTROL_HOSTS")
		})
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isOwnPage(r.Header.Get("Origin"), r.Host) && !isKnownHost(hostName(r.Host), known) {
				refuse.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// isOwnPage reports whether the call can come from a page of the host. A page can hide
// its origin.
func isOwnPage(origin, host string) bool {
	u, err := url.Parse(origin)
	return origin == "null" || origin != "" && err == nil && strings.EqualFold(u.Host, host)
}

// isKnownHost reports whether the host is an IP address, localhost, or one of the known
// names.
func isKnownHost(host string, known []string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "" || slices.Contains(known, host)
}

// hostName returns the name or IP address in a Host header, in lower case and without a
// trailing dot.
func hostName(host string) string {
	return strings.ToLower(strings.TrimSuffix((&url.URL{Host: host}).Hostname(), "."))
}

// pageHosts returns the names under which pages of this server are opened.
func (o *Options) pageHosts() []string {
	names := []string{}
	for _, host := range o.Access.Hosts {
		names = append(names, hostName(strings.TrimSpace(host)))
	}
	if u, err := url.Parse(o.PublicURL); err == nil {
		names = append(names, hostName(u.Host))
	}
	return names
}
