package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestSeededCredentialsEndInTheEnvironment checks the credentials of an environment
// whose name is not sandbox.
func TestSeededCredentialsEndInTheEnvironment(t *testing.T) {
	s := servertest.New(t)
	staging := s.Environment("staging")
	for _, c := range []struct {
		server         *servertest.Server
		id, secret     string
		key            string
		status, called int
	}{
		{s, "acme-client", "acme-secret", "acme-api-key", 200, 404},
		{s, "acme-client", "acme-secret-staging", "", 401, 0},
		{s, "acme-client", "acme-secret", "acme-api-key-staging", 200, 403},
		{staging, "acme-client", "acme-secret-staging", "acme-api-key-staging", 200, 404},
		{staging, "globex-client", "globex-secret-staging", "globex-api-key-staging", 200, 404},
		{staging, "acme-client", "acme-secret-staging", "acme-api-key", 200, 403},
		{staging, "acme-client", "acme-secret", "", 401, 0},
		{staging, "acme-company-client", "acme-company-secret-staging", "", 200, 0},
		{staging, "acme-client-staging", "acme-secret-staging", "", 401, 0},
	} {
		got := c.server.Do(tokenCall(grant, servertest.Basic(c.id, c.secret), "", "")).Want(t, c.status)
		if c.called != 0 {
			c.server.Do(servertest.Call{Line: readStatus, Token: got.Text(t, "access_token"), Key: c.key}).Want(t, c.called)
		}
	}
	page := staging.DoWith(http.DefaultClient, servertest.Call{Line: "GET /docs"}).Want(t, http.StatusOK)
	for _, shown := range []string{`value="acme-client"`, `value="acme-secret-staging"`, `value="acme-api-key-staging"`} {
		if !strings.Contains(page.Body, shown) {
			t.Errorf("the page at /docs does not have %s", shown)
		}
	}
}

// TestRevokedDemoCredentialsStayRevoked checks that the next start does not bring back a
// demo client or API key that was revoked.
func TestRevokedDemoCredentialsStayRevoked(t *testing.T) {
	s := servertest.New(t)
	globex := s.Tenant("globex")
	key := globex.Control("GET /api-keys", "").Want(t, http.StatusOK).Get(t, "api_keys").([]any)[0].(map[string]any)["id"].(string)
	globex.Control("DELETE /api-keys/"+key, "").Want(t, http.StatusNoContent)
	globex.Control("DELETE /clients/globex-client", "").Want(t, http.StatusNoContent)
	if err := server.SeedDemos(t.Context(), s.DB, s.Keys, s.Now()); err != nil {
		t.Fatal(err)
	}
	globex.Control("GET /api-keys", "").Want(t, http.StatusOK, `{"api_keys":[]}`)
	globex.Control("GET /clients", "").Want(t, http.StatusOK, `{"clients":[]}`)
	s.Do(tokenCall(grant, servertest.Basic("globex-client", "globex-secret"), "", "")).Want(t, http.StatusUnauthorized)
}
