package control

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"understudy.example/internal/api"
)

// Address is `GET /control/v1`: where the emulated API is, for those who
// know only this listener. publicURL is where clients reach it; when that is
// empty, it is where it listens, under the name that this call was made to if
// that is not this machine's own.
func Address(publicURL string, listens *url.URL) api.Handler {
	type answer struct {
		APIURL string `json:"api_url"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if publicURL != "" {
			return api.Write(w, http.StatusOK, answer{strings.TrimSuffix(publicURL, "/")})
		}
		at := *listens
		if called := hostOf(r.Host); isLoopback(at.Hostname()) && !isLoopback(called) {
			at.Host = net.JoinHostPort(called, at.Port())
		}
		return api.Write(w, http.StatusOK, answer{at.String()})
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
