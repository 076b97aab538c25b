package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// checkPublicURL refuses a URL that upload URLs cannot start with.
func (c *Config) checkPublicURL() error {
	u, err := url.Parse(c.PublicURL)
	if c.PublicURL == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	if err == nil && u.User != nil {
		return fmt.Errorf("PUBLIC_URL %q: want a URL without a user name or password", u.Redacted())
	}
	return fmt.Errorf("PUBLIC_URL %q: want a base URL such as https://host.example", c.PublicURL)
}

// baseURL returns the URL at which the client of the request reaches the API, without a
// final slash: PublicURL or, if that is empty, the scheme and host of the request, as
// the client or a trusted proxy sent them. For a request without a Host it is the
// address of the listener.
func (o *Options) baseURL(r *http.Request) string {
	if o.PublicURL != "" {
		return strings.TrimSuffix(o.PublicURL, "/")
	}
	host := r.Host
	if o.fromTrustedProxy(r) {
		if given := forwarded(r, "X-Forwarded-Host"); isHost(given) {
			host = given
		}
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && host == "" {
		host = local.String()
	}
	return o.scheme(r) + "://" + host
}

// scheme returns the scheme with which the client or a trusted proxy has sent the
// request.
func (o *Options) scheme(r *http.Request) string {
	given := forwarded(r, "X-Forwarded-Proto")
	switch {
	case o.fromTrustedProxy(r) && (given == "http" || given == "https"):
		return given
	case r.TLS != nil:
		return "https"
	}
	return "http"
}

// isEncrypted reports whether the client of the request uses TLS.
func (o *Options) isEncrypted(r *http.Request) bool { return o.scheme(r) == "https" }

func (o *Options) fromTrustedProxy(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && o.trusts(from.Addr())
}

func (o *Options) trusts(proxy netip.Addr) bool {
	return slices.ContainsFunc(o.TrustedProxies, func(network netip.Prefix) bool {
		return network.Contains(proxy.Unmap())
	})
}

// remoteAddress returns the address of the client of the request, without a port. Each
// trusted proxy appends the address of its client to X-Forwarded-For, so the client is
// the last address there that is not a trusted proxy's. Addresses before it are ignored,
// because the client can send any.
func (o *Options) remoteAddress(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	client := from.Addr().Unmap()
	if !o.trusts(client) {
		return client.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !o.trusts(client) {
			break
		}
		previous, err := parseHop(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		client = previous.Unmap()
	}
	return client.String()
}

// parseHop parses an address of X-Forwarded-For, to which some proxies add a port.
func parseHop(hop string) (netip.Addr, error) {
	if withPort, err := netip.ParseAddrPort(hop); err == nil {
		return withPort.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(hop, "[]"))
}

// forwarded returns the first value of a header that proxies may have appended to: the
// one that is closest to the client.
func forwarded(r *http.Request, name string) string {
	first, _, _ := strings.Cut(r.Header.Get(name), ",")
	return strings.ToLower(strings.TrimSpace(first))
}

// isHost reports whether the text is a host with or without a port.
func isHost(text string) bool {
	u, err := url.Parse("http://" + text)
	return err == nil && u.Host == text && u.Hostname() != ""
}
