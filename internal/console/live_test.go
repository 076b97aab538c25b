package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestLiveEventsConnectAgain checks that a page gets live events although its first two
// connections fail: the first because the server is busy, the second without a
// response.
func TestLiveEventsConnectAgain(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	server, err := url.Parse(origin(s))
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int64
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/live" {
			switch connections.Add(1) {
			case 1:
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case 2:
				panic(http.ErrAbortHandler) // closes the connection without a response
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		proxy.CloseClientConnections() // after the tab has been closed
		proxy.Close()
	})
	tab := consoletest.Open(t, s)
	tab.Origin = proxy.URL
	tab.Expect("status of 503")
	tab.Expect("ERR_EMPTY_RESPONSE")
	tab.Go("/?tenant=acme&kind=call")
	tab.AwaitText("#feed", "Nothing yet")
	s.Acme()
	tab.AwaitText("#feed", "/auth/token")
	if n := connections.Load(); n != 3 {
		t.Errorf("the page connected %d times, want 3", n)
	}
}
