package control_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// TestSubscriptionsAreEditedByTheAPIAlone checks that no route of the control API
// which takes an id changes the subscription with that id.
func TestSubscriptionsAreEditedByTheAPIAlone(t *testing.T) {
	servertest.Proves(t, "What the service does: 6 subscriptions are edited by the API only")
	s := servertest.New(t)
	created := s.Acme().Do("POST /hooks", `{"url":"https://example.com/events"}`).Want(t, http.StatusCreated)
	called := 0
	for _, rt := range route.Control {
		pattern := strings.Replace(rt.Path, "{t}", "acme", 1)
		path := pathParameter.ReplaceAllString(pattern, created.Text(t, "id"))
		if rt.Method == http.MethodGet || path == pattern {
			continue
		}
		called++
		s.ControlWith(t, http.DefaultClient, rt.Method+" "+path, `{"active":true,"url":"https://other.example","events":["*"]}`, nil)
	}
	if called < 3 {
		t.Errorf("%d routes called, want at least 3", called)
	}
	if after := s.Acme().Do("GET /hooks/"+created.Text(t, "id"), ""); after.Body != created.Body {
		t.Errorf("the subscription was %s, and is %s", created.Body, after.Body)
	}
}
