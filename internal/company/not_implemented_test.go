package company_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

const notImplemented = `{"message":"Not Implemented"}`

// TestNotImplemented checks the routes of which only the names are known: a client
// with the permission is told so.
func TestNotImplemented(t *testing.T) {
	servertest.Proves(t, "Access token response: permission strings",
		"Chosen, order of checks: route, Authorization, token, permission, API key",
		"Chosen, company submit: known only by name: 501")
	s := servertest.New(t)
	acme, mistakes := s.Acme(), s.GateMistakes()
	for _, line := range []string{
		"POST /location/v1/location_submit", "GET /audit/v1/report/" + servertest.Absent,
	} {
		s.CheckOrder(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}, append(mistakes,
			servertest.Mistake{Name: "implementation", Make: func(*servertest.Call) {}, Status: http.StatusNotImplemented, Body: notImplemented}))
	}
	// The path of a report can have several segments, which OpenAPI cannot describe.
	s.DoWith(http.DefaultClient, servertest.Call{Line: "GET /audit/v1/report/a/b", Token: acme.Token, Key: acme.Key}).
		Want(t, http.StatusNotImplemented, notImplemented)
}

// TestUnknownRoutes checks that other methods and versions of those routes, and of
// company submit, are unknown.
func TestUnknownRoutes(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	for _, line := range []string{
		"GET /location/v1/location_submit", "POST /audit/v1/report/x", "GET /audit/v1/report", "POST /location/v2/location_submit",
		"GET /company/v1/quick_submit?dpid=acme-us-c0001", "POST /company/v2/quick_submit",
	} {
		s.Refused(t, servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}, http.StatusForbidden, servertest.UnknownRoute)
	}
}
