package servertest

import (
	"testing"

	"understudy.example/internal/seed"
)

// Mistake is one mistake in a call, and the response to it.
type Mistake struct {
	Name   string
	Make   func(*Call)
	Status int
	Body   string
}

// GateMistakes returns the mistakes that any call to a route of the {"message"}
// family can have, in the order in which they are checked.
func (s *Server) GateMistakes() []Mistake {
	s.T.Helper()
	companyOnly := s.Login(seed.Demos()[2]).Token
	return []Mistake{
		{"route", func(c *Call) { c.Line = "POST /nothing" }, 403, UnknownRoute},
		{"no Authorization", func(c *Call) { c.Token = "" }, 401, Unauthorized},
		{"bad token", func(c *Call) { c.Token += "x" }, 401, Unauthorized},
		{"permission", func(c *Call) { c.Token = companyOnly }, 403, NotPermitted},
		{"API key", func(c *Call) { c.Key = "globex-api-key" }, 403, Forbidden},
	}
}

// CheckOrder makes the call with every pair of the mistakes, and wants the
// response to the one that is checked first.
func (s *Server) CheckOrder(t *testing.T, good Call, mistakes []Mistake) {
	t.Helper()
	for i, first := range mistakes {
		for _, second := range append([]Mistake{{Name: "nothing", Make: func(*Call) {}}}, mistakes[i+1:]...) {
			c := good
			second.Make(&c)
			first.Make(&c)
			t.Run(first.Name+" before "+second.Name, func(t *testing.T) {
				s.Refused(t, c, first.Status, first.Body)
			})
		}
	}
}
