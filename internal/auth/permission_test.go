package auth_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

func TestRouteNeedsItsPermissionAndNoOther(t *testing.T) {
	servertest.Proves(t,
		"Chosen, bearer token and API key: permission missing: 403",
		"Chosen, bearer token and API key: a revocation or a changed permission takes effect within a second")
	s := servertest.New(t)
	acme := s.Acme()
	for _, rt := range servertest.Gated(route.Message) {
		call := servertest.Sample(t, rt)
		call.Token, call.Key = acme.Token, acme.Key

		s.Exec("update clients set permissions = array_remove($1::text[], $2) where id = 'acme-client'", auth.AllPermissions, rt.Permission)
		s.Pass(time.Second)
		s.Refused(t, call, http.StatusForbidden, servertest.NotPermitted)

		s.Exec("update clients set permissions = array[$1] where id = 'acme-client'", rt.Permission)
		s.Pass(time.Second)
		if got := s.Do(call); got.Status == http.StatusForbidden {
			t.Errorf("%s with %s: %s", call.Line, rt.Permission, got.Body)
		}
	}
}

func TestLimitedClientCallsOnlyPermittedRoutes(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "Access token response: the set differs by client",
		"Chosen, bearer token and API key: permission missing: 403")
	company := s.Login(seed.Demos()[2])
	for _, rt := range servertest.Gated(route.Message) {
		call := servertest.Sample(t, rt)
		call.Token, call.Key = company.Token, company.Key
		if slices.Contains(seed.Demos()[2].Permissions, rt.Permission) {
			if got := s.Do(call); got.Status == http.StatusForbidden {
				t.Errorf("%s: %s", call.Line, got.Body)
			}
			continue
		}
		s.Refused(t, call, http.StatusForbidden, servertest.NotPermitted)
	}
}

func TestBadAPIKeysAreRefused(t *testing.T) {
	s := servertest.New(t)
	servertest.Proves(t, "Endpoints, all: x-api-key", "Authentication: 5 x-api-key",
		"Chosen, bearer token and API key: API key missing, unknown or foreign: 403")
	token := s.Acme().Token
	for name, keys := range map[string][]string{
		"missing":               nil,
		"empty":                 {""},
		"unknown":               {"nobodys-api-key"},
		"another tenant's":      {"globex-api-key"},
		"in upper case":         {"ACME-API-KEY"},
		"one byte too many":     {"acme-api-key2"},
		"the client's secret":   {"acme-secret"},
		"twice":                 {"acme-api-key", "acme-api-key"},
		"two":                   {"acme-api-key", "globex-api-key"},
		"two, comma-separated":  {"acme-api-key, acme-api-key"},
		"two, the right second": {"", "acme-api-key"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Unchanged(t, func() {
				for _, call := range gatedCalls(t) {
					call.Token = token
					request := s.Request(call)
					request.Header["X-Api-Key"] = keys
					s.Send(request).Want(t, http.StatusForbidden, servertest.Forbidden)
				}
			})
		})
	}
}
