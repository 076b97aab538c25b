package control

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"understudy.example/internal/api"
)

// APIURL is `GET /control/v1`: it returns the URL of the emulated API, for callers who
// know only this listener. The URL is publicURL, if that is set, and otherwise
// listenerURL. If the API listens on a loopback address and the call was made to
// another host, listenerURL gets the host of the call.
func APIURL(publicURL string, listenerURL *url.URL) api.Handler {
	type response struct {
		APIURL string `json:"api_url"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if publicURL != "" {
			return api.Write(w, http.StatusOK, response{strings.TrimSuffix(publicURL, "/")})
		}
		apiURL := *listenerURL
		if called := hostOf(r.Host); isLoopback(apiURL.Hostname()) && !isLoopback(called) {
			apiURL.Host = net.JoinHostPort(called, apiURL.Port())
		}
		return api.Write(w, http.StatusOK, response{apiURL.String()})
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
