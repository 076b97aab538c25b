package servertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Call is a request.
type Call struct {
	Line   string // method and path, or method and whole URL: "POST /hooks"
	Token  string // access token; "" for none
	Key    string // x-api-key; "" for none
	Header map[string]string
	Body   string // one that starts with { is sent as JSON
}

// Response is what came back.
type Response struct {
	Status int
	Header http.Header
	Body   string
}

// Do makes the call.
func (s *Server) Do(c Call) Response {
	s.T.Helper()
	return s.DoWith(s.Client, c)
}

// DoWith makes the call with a client of the test's own.
func (s *Server) DoWith(client *http.Client, c Call) Response {
	s.T.Helper()
	return s.exchange(client, s.Request(c))
}

// Send sends the request.
func (s *Server) Send(request *http.Request) Response {
	s.T.Helper()
	return s.exchange(s.Client, request)
}

// Serve answers the request without a connection, as from the remote address.
func (s *Server) Serve(request *http.Request, remoteAddress string) *httptest.ResponseRecorder {
	request.RemoteAddr = remoteAddress
	recorder := httptest.NewRecorder()
	s.App.API().ServeHTTP(recorder, request)
	return recorder
}

// exchange sends the request and checks that the response has a request id.
func (s *Server) exchange(client *http.Client, request *http.Request) Response {
	s.T.Helper()
	response, err := Try(client, request)
	if err != nil {
		s.T.Fatal(err)
	}
	if response.Header.Get("X-Request-Id") == "" {
		s.T.Errorf("%s: no X-Request-Id", request.URL.Path)
	}
	return response
}

// Try sends a request from any goroutine.
func Try(client *http.Client, request *http.Request) (Response, error) {
	response, err := client.Do(request)
	if err != nil {
		return Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Response{response.StatusCode, response.Header, string(body)}, err
}

// Want ends the test unless the response has the status and, if one is given,
// the body.
func (r Response) Want(t testing.TB, status int, body ...string) Response {
	t.Helper()
	if r.Status != status || len(body) > 0 && r.Body != body[0] {
		t.Fatalf("response %d %s, want %d %s", r.Status, r.Body, status, strings.Join(body, ""))
	}
	return r
}

// Get returns the value at the path of keys in the response's JSON.
func (r Response) Get(t testing.TB, path ...string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(r.Body), &value); err != nil {
		t.Fatalf("response %s: %v", r.Body, err)
	}
	for _, key := range path {
		object, _ := value.(map[string]any)
		var ok bool
		if value, ok = object[key]; !ok {
			t.Fatalf("response %s: no %s", r.Body, strings.Join(path, "."))
		}
	}
	return value
}

// Text returns the string at the path of keys in the response's JSON.
func (r Response) Text(t testing.TB, path ...string) string {
	t.Helper()
	text, ok := r.Get(t, path...).(string)
	if !ok {
		t.Fatalf("response %s: %s is not a string", r.Body, strings.Join(path, "."))
	}
	return text
}
