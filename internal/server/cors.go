package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
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
