package server_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestRebindingIsRefused checks that a page whose host name points to this machine cannot
// use the demo credentials, and that everybody else can call the API under any name.
func TestRebindingIsRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, process: local: a web page cannot call the API under a host name of its own: 403")
	s := servertest.New(t, func(o *servertest.Options) {
		o.PublicURL = "https://Public.example"
		o.Access.Hosts = []string{" understudy"}
	})
	body := "grant_type=client_credentials&client_id=acme-client&client_secret=acme-secret"
	token := func(host, origin string) (status int, hint string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/auth/token", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode, response.Header.Get("X-Understudy-Hint")
	}
	ordinary, _ := token("evil.example:8080", "") // no browser
	if ordinary == http.StatusForbidden {
		t.Errorf("a client that is no browser got %d", ordinary)
	}
	for host, want := range map[string]int{
		"evil.example": 403, "evil.example:8080": 403, "EVIL.example.:8080": 403, "127.0.0.1.evil.example": 403,
		"127.0.0.1:8080": ordinary, "[::1]:8080": ordinary, "localhost:8080": ordinary, "a.localhost": ordinary, "public.example": ordinary, "understudy:8080": ordinary,
	} {
		got, hint := token(host, "http://"+host)
		if got != want {
			t.Errorf("own page at %s: %d, want %d", host, got, want)
		}
		if got == 403 && !strings.Contains(hint, "add it to CONTROL_HOSTS") {
			t.Errorf("hint %q", hint)
		}
	}
	if got, _ := token("understudy.internal:8080", "http://localhost:3000"); got != ordinary {
		t.Errorf("a page of another origin: %d; browsers enforce what it can read", got)
	}
}
