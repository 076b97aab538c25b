package servertest

import (
	"net/http"
	"strings"
)

// Request returns the call as a request, for a test that changes it further or
// sends it from another goroutine with Try.
func (s *Server) Request(c Call) *http.Request {
	s.T.Helper()
	method, path, _ := strings.Cut(c.Line, " ")
	if strings.HasPrefix(path, "/") {
		path = s.URL + path
	}
	request, err := http.NewRequest(method, path, strings.NewReader(c.Body))
	if err != nil {
		s.T.Fatal(err)
	}
	if strings.HasPrefix(c.Body, "{") {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Key != "" {
		request.Header.Set("X-Api-Key", c.Key)
	}
	for name, value := range c.Header {
		request.Header.Set(name, value)
	}
	return request
}
