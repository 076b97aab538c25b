package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestHeadOfOwnPages checks that HEAD is accepted for the emulator's own pages, and for
// no other path.
func TestHeadOfOwnPages(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: HEAD of the server's own pages only")
	s := servertest.New(t)
	control := strings.TrimSuffix(s.ControlURL, "/control/v1")
	for _, url := range []string{
		s.URL + "/livez", s.URL + "/readyz", s.URL + "/docs", s.URL + "/docs/docs.css", s.URL + "/openapi.yaml",
		control + "/livez", control + "/readyz",
	} {
		get := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + url}).Want(t, http.StatusOK)
		head := s.DoWith(http.DefaultClient, servertest.Call{Line: "HEAD " + url}).Want(t, http.StatusOK, "")
		if head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: header %v, want that of GET, %v", url, head.Header, get.Header)
		}
	}
	acme := s.Acme()
	for line, status := range map[string]int{
		"HEAD /universal/v2/universal-submit/status/" + servertest.Absent: http.StatusForbidden,
		"HEAD /hooks":      http.StatusNotFound,
		"HEAD /auth/token": http.StatusMethodNotAllowed,
		"HEAD /":           http.StatusForbidden,
	} {
		s.Do(servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}).Want(t, status, "")
	}
}

// TestEveryResponseHasARequestID checks that responses have an X-Request-Id even if no
// handler of a route writes them.
func TestEveryResponseHasARequestID(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: every response has an X-Request-Id")
	t.Parallel()
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t))
	s := p.Server()
	for _, head := range []string{
		"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
		"BREW /nothing HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /livez HTTP/1.0\r\n\r\n",
		"GET http://elsewhere.example/livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET //livez/../x HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		connection := s.Dial(strings.Replace(head, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		text, err := io.ReadAll(connection)
		if err != nil || !strings.Contains(string(text), "\r\nX-Request-Id: ") {
			t.Errorf("%q: %v, response %s", head, err, text)
		}
	}
	for _, line := range []string{"POST /livez", "GET /", "OPTIONS /control/v1/tenants", "GET /control/v1/nothing", "POST /control/v1"} {
		method, path, _ := strings.Cut(line, " ")
		s.DoWith(http.DefaultClient, servertest.Call{Line: method + " " + p.ControlURL + path})
	}
}
