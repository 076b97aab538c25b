package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// uploadBase requests an upload URL with the headers and returns the part of it before
// the path.
func uploadBase(t *testing.T, s *servertest.Server, header map[string]string) string {
	t.Helper()
	request := s.Request(servertest.Call{
		Line: "POST /universal/v2/universal-submit/file-upload-url", Token: s.Acme().Token, Key: "acme-api-key", Body: `{"filename":"a.txt"}`, Header: header,
	})
	if host := header["Host"]; host != "" {
		request.Host = host
	}
	base, _, found := strings.Cut(s.Send(request).Want(t, http.StatusOK).Text(t, "upload_url"), "/file-transfer/upload-file?data=")
	if !found {
		t.Error("the upload URL has another path")
	}
	return base
}

// TestUploadURLStartsWithWhatTheClientCalled checks the start of upload URLs with and
// without a public URL and trusted proxies.
func TestUploadURLStartsWithWhatTheClientCalled(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: upload URLs start with the public URL",
		"Chosen, process: without a public URL, they start with the scheme and Host of the request",
		"Chosen, process: forwarded headers count only from trusted proxies")
	trust := func(network, publicURL string) func(*servertest.Options) {
		return func(o *servertest.Options) {
			o.TrustedProxies, o.PublicURL = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix(network)}, publicURL
		}
	}
	proxied := map[string]string{"Host": "inside:8080", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example"}
	for name, c := range map[string]struct {
		network, publicURL string
		header             map[string]string
		want               string
	}{
		"a host":                             {"192.0.2.0/24", "", map[string]string{"Host": "understudy:8080"}, "http://understudy:8080"},
		"a proxy that is not trusted":        {"10.0.0.0/8", "", proxied, "http://inside:8080"},
		"a trusted proxy":                    {"127.0.0.0/8", "", proxied, "https://api.example"},
		"a trusted proxy and a public URL":   {"127.0.0.0/8", "https://public.example/", proxied, "https://public.example"},
		"a proxy that names only the scheme": {"127.0.0.0/8", "", map[string]string{"Host": "api.example", "X-Forwarded-Proto": "HTTPS"}, "https://api.example"},
		"two proxies":                        {"127.0.0.0/8", "", map[string]string{"X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "api.example:444, inside"}, "https://api.example:444"},
		"a proxy that names nonsense":        {"127.0.0.0/8", "", map[string]string{"Host": "inside", "X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "a/b?c"}, "http://inside"},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, trust(c.network, c.publicURL))
			if got := uploadBase(t, s, c.header); got != c.want {
				t.Errorf("the upload URL starts with %s, want %s", got, c.want)
			}
		})
	}
}

// TestRequestWithoutHostGetsTheListenersURL checks that an HTTP/1.0 request without a
// Host gets an upload URL with the listener's own URL.
func TestRequestWithoutHostGetsTheListenersURL(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a request without a Host gets the listener's URL")
	s := servertest.New(t)
	acme := s.Acme()
	const body = `{"filename":"a.txt"}`
	text, err := io.ReadAll(s.Dial(fmt.Sprintf("POST /universal/v2/universal-submit/file-upload-url HTTP/1.0\r\nAuthorization: Bearer %s\r\n"+
		"X-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", acme.Token, acme.Key, len(body), body)))
	_, rest, found := strings.Cut(string(text), `"upload_url":"`)
	uploadURL, _, _ := strings.Cut(rest, `"`)
	if err != nil || !found || !strings.HasPrefix(uploadURL, s.URL+"/file-transfer/") {
		t.Fatalf("%v, response %s, want an upload URL that starts with %s", err, text, s.URL)
	}
	s.Upload(uploadURL, "a.txt", servertest.Letter).Want(t, http.StatusOK)
}
