package auth_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestSeededCredentialsEndInTheEnvironment checks the credentials of an environment
// whose name is not sandbox.
func TestSeededCredentialsEndInTheEnvironment(t *testing.T) {
	servertest.Proves(t, "Chosen, process: seeded secrets and API keys end in another environment's name")
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
	// The same in a database that has no record of the first start.
	acme := s.Tenant("acme")
	acme.Control("PATCH /clients/acme-client", `{"client_secret":"chang3d"}`).Want(t, http.StatusOK)
	s.Exec("delete from seed_items")
	if err := server.SeedDemos(t.Context(), s.DB, s.Keys, s.Now()); err != nil {
		t.Fatal(err)
	}
	globex.Control("GET /api-keys", "").Want(t, http.StatusOK, `{"api_keys":[]}`)
	globex.Control("GET /clients", "").Want(t, http.StatusOK, `{"clients":[]}`)
	s.Do(tokenCall(grant, servertest.Basic("acme-client", "chang3d"), "", "")).Want(t, http.StatusOK)
}

// TestDemoTenantCanBeCreatedAnew checks that a start seeds a tenant that somebody has
// created with the name of a demo tenant.
func TestDemoTenantCanBeCreatedAnew(t *testing.T) {
	s := servertest.New(t)
	s.Tenant("acme").Control("DELETE ", "").Want(t, http.StatusNoContent)
	s.NewNamedTenant("acme", "{}")
	for range 2 {
		if err := server.SeedDemos(t.Context(), s.DB, s.Keys, s.Now()); err != nil {
			t.Fatal(err)
		}
	}
	s.Acme().Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
}

// TestSeededClients checks the credentials and permissions that are the same on every
// machine.
func TestSeededClients(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: the seeded clients, their secrets, API keys and permissions",
		"Chosen, bearer token and API key: the permissions of webhook calls")
	s := servertest.New(t)
	full := []any{
		"::data/v2:get", "::data/v1:get", "::universal/v3/universal-submit:get", "::universal/v3/universal-submit:post",
		"::universal/v2/universal-submit:get", "::universal/v2/universal-submit:post", "::universal/v1/universal-submit:get",
		"::universal/v1/universal-submit:post", "::audit/v1/report:get", "::location/v1/location_submit:post",
		"::company/v1/quick_submit:post", "::company/v1/company_submit:post", "::hooks:get", "::hooks:post", "::hooks:put", "::hooks:delete",
	}
	company := []any{"::data/v1:get", "::company/v1/quick_submit:post", "::company/v1/company_submit:post"}
	for _, c := range []struct {
		id, secret, tenant, key string
		permissions             []any
	}{
		{"acme-client", "acme-secret", "acme", "acme-api-key", full},
		{"globex-client", "globex-secret", "globex", "globex-api-key", full},
		{"acme-company-client", "acme-company-secret", "acme", "acme-api-key", company},
	} {
		token := s.Do(tokenCall(grant, servertest.Basic(c.id, c.secret), "", "")).Want(t, http.StatusOK)
		if got := token.Get(t, "extra", "raw_info", "permissions"); !cmp.Equal(got, any(c.permissions)) || token.Text(t, "extra", "raw_info", "tenant_name") != c.tenant {
			t.Errorf("%s: tenant or permissions in %s", c.id, token.Body)
		}
		client := servertest.Client{Server: s, Token: token.Text(t, "access_token"), Key: c.key}
		client.Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	}
}

// TestStoredSecretsAreBoundToTheEnvironment checks that two environments with one master
// key have different keys for stored secrets, and different hashes of the same secret.
func TestStoredSecretsAreBoundToTheEnvironment(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the environment is bound into stored secrets")
	s := servertest.New(t)
	staging := s.Environment("staging")
	if bytes.Equal(s.Keys.Sealing.Known()[0], staging.Keys.Sealing.Known()[0]) {
		t.Error("two environments seal with one key")
	}
	hashOf := func(s *servertest.Server, client, secret string) []byte {
		s.Tenant("acme").Control("POST /clients", `{"client_id":"`+client+`","client_secret":"`+secret+`"}`).Want(t, http.StatusCreated)
		return servertest.Value[[]byte](s, "select secret_hash from clients where id = $1", client)
	}
	if bytes.Equal(hashOf(s, "one", "s3cret"), hashOf(staging, "one", "s3cret")) {
		t.Error("a secret has one hash in two environments")
	}
}
