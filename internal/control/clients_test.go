package control_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// tokenStatus requests a token and returns the status of the response.
func tokenStatus(s *servertest.Server, id, secret string) int {
	s.T.Helper()
	return s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic(id, secret)}}).Status
}

const readStatus = "GET /universal/v2/universal-submit/status/" + servertest.Absent

// TestClients checks the creation, changes and revocation of a client, on the server
// that changes it and on another one, where a change takes effect within 1 s.
func TestClients(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, tenants: clients are made, changed and revoked",
		"Chosen, control API, tenants: a change of credentials acts within 1 s on every server",
		"Chosen, bearer token and API key: a revocation or a changed permission takes effect within a second")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	first := tenant.Control("GET /clients", "").Want(t, http.StatusOK)
	if strings.Contains(first.Body, "secret") || !strings.Contains(first.Body, tenant.Credentials.ClientID) {
		t.Errorf("clients %s", first.Body)
	}
	created := tenant.Control("POST /clients", `{"client_id":"reader-1","client_secret":"s3cret","permissions":["::data/v1:get"]}`).Want(t, http.StatusCreated)
	if created.Text(t, "client_secret") != "s3cret" || created.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("created %s, header %v", created.Body, created.Header)
	}
	reader := s.Login(auth.Demo{ClientID: "reader-1", ClientSecret: "s3cret", APIKey: tenant.Key})
	reader.Do(readStatus, "").Want(t, http.StatusForbidden, servertest.NotPermitted)
	onReplica := servertest.Client{Server: s.Replica(), Token: reader.Token, Key: reader.Key}
	onReplica.Do(readStatus, "").Want(t, http.StatusForbidden)

	changed := tenant.Control("PATCH /clients/reader-1", `{"permissions":["::universal/v2/universal-submit:get"]}`).Want(t, http.StatusOK)
	if got := changed.Get(t, "permissions"); !cmp.Equal(got, []any{"::universal/v2/universal-submit:get"}) {
		t.Errorf("permissions %v", got)
	}
	reader.Do(readStatus, "").Want(t, http.StatusNotFound)
	s.Pass(time.Second)
	onReplica.Do(readStatus, "").Want(t, http.StatusNotFound)

	tenant.Control("PATCH /clients/reader-1", `{"client_secret":"an0ther"}`).Want(t, http.StatusOK)
	if old, new := tokenStatus(s, "reader-1", "s3cret"), tokenStatus(s, "reader-1", "an0ther"); old != 401 || new != 200 {
		t.Errorf("status after a change of the secret: %d with the old secret, %d with the new one", old, new)
	}
	refresh := s.NewToken(auth.Demo{ClientID: "reader-1", ClientSecret: "an0ther"}).Text(t, "refresh_token")

	tenant.Control("DELETE /clients/reader-1", "").Want(t, http.StatusNoContent)
	reader.Do(readStatus, "").Want(t, http.StatusUnauthorized)
	s.Pass(time.Second)
	onReplica.Do(readStatus, "").Want(t, http.StatusUnauthorized)
	if status := tokenStatus(s, "reader-1", "an0ther"); status != 401 {
		t.Errorf("token of a revoked client: got status %d", status)
	}
	tenant.Control("GET /clients", "").Want(t, http.StatusOK, first.Body)

	// The tokens of a revoked client stay invalid for a new client with the same id.
	demo := auth.Demo{ClientID: "reader-1", ClientSecret: "s3cret"}
	tenant.Control("POST /clients", `{"client_id":"reader-1","client_secret":"s3cret"}`).Want(t, http.StatusCreated)
	reader.Do(readStatus, "").Want(t, http.StatusUnauthorized)
	s.Refresh(demo, refresh).Want(t, http.StatusBadRequest)
	s.NewToken(demo)
}

// TestNewClientActsOnAllServers checks that a client can get a token even from servers
// that have cached its id as unknown.
func TestNewClientActsOnAllServers(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: a change of credentials acts within 1 s on every server")
	s := servertest.New(t)
	tenant, replica := s.NewTenant(`{}`), s.Replica()
	servers := []*servertest.Server{s, replica}
	for _, server := range servers {
		if status := tokenStatus(server, "late", "s3cret"); status != 401 {
			t.Errorf("before: %d", status)
		}
	}
	tenant.Control("POST /clients", `{"client_id":"late","client_secret":"s3cret"}`).Want(t, http.StatusCreated)
	s.Pass(time.Second)
	for _, server := range servers {
		client := server.Login(auth.Demo{ClientID: "late", ClientSecret: "s3cret", APIKey: tenant.Key})
		client.Do(readStatus, "").Want(t, http.StatusNotFound)
	}
}

// TestGeneratedCredentials checks a client and a key that the server generates.
func TestGeneratedCredentials(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, tenants: clients are made, changed and revoked",
		"Chosen, control API, tenants: API keys are made and deleted")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	client := tenant.Control("POST /clients", "").Want(t, http.StatusCreated)
	key := tenant.Control("POST /api-keys", "").Want(t, http.StatusCreated)
	demo := auth.Demo{ClientID: client.Text(t, "client_id"), ClientSecret: client.Text(t, "client_secret"), APIKey: key.Text(t, "key")}
	s.Login(demo).Do(readStatus, "").Want(t, http.StatusNotFound)
	if !strings.HasPrefix(demo.ClientID, tenant.Name+"-") || len(demo.ClientSecret) < 43 || len(demo.APIKey) < 43 {
		t.Errorf("generated %+v", demo)
	}
}

// TestSecretRotation checks that old secrets work until their overlap ends on the
// tenant's clock.
func TestSecretRotation(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: after a rotation the old secret works until the overlap ends")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	id := tenant.Credentials.ClientID
	secrets := []string{tenant.Credentials.ClientSecret}
	rotate := func(body string) servertest.Response {
		rotated := tenant.Control("POST /clients/"+id+"/rotate", body).Want(t, http.StatusOK)
		secrets = append(secrets, rotated.Text(t, "client_secret"))
		return rotated
	}
	check := func(when string, want ...int) {
		t.Helper()
		var got []int
		for _, secret := range secrets {
			got = append(got, tokenStatus(s, id, secret))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, status by secret, oldest first:\n%s", when, diff)
		}
	}
	if until := rotate(`{"overlap":"1h"}`).Text(t, "old_secret_expires_at"); until != s.Shown(time.Hour) {
		t.Errorf("the old secret expires at %s, want %s", until, s.Shown(time.Hour))
	}
	check("after a rotation", 200, 200)
	tenant.Do(readStatus, "").Want(t, http.StatusNotFound) // the tokens stay valid
	rotate(`{"overlap":"2d"}`)
	check("after a second rotation", 200, 200, 200)
	if effects := tenant.Advance("1h"); len(effects) != 1 || effects[0].What != "client_secret" || effects[0].ClientID != id || effects[0].At != s.Shown(time.Hour) {
		t.Errorf("effects %+v", effects)
	}
	check("after the first overlap", 401, 200, 200)
	rotate("")
	check("after a rotation without overlap", 401, 200, 401, 200)

	// A reset sets the clock back, but not the overlap.
	tenant.Advance("46h")
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	check("after a reset", 401, 200, 401, 200)
	tenant.Advance("1h")
	check("after the second overlap", 401, 401, 401, 200)
}

// TestNewSecretEndsOverlaps checks that a secret that is set replaces all earlier ones, and that
// other changes of the client, and other clients, keep theirs.
func TestNewSecretEndsOverlaps(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	const other = "another-client"
	tenant.Control("POST /clients", `{"client_id":"`+other+`","client_secret":"first"}`).Want(t, http.StatusCreated)
	id, first := tenant.Credentials.ClientID, tenant.Credentials.ClientSecret
	for _, id := range []string{id, other} {
		tenant.Control("POST /clients/"+id+"/rotate", `{"overlap":"1h"}`).Want(t, http.StatusOK)
	}
	second := tenant.Control("POST /clients/"+id+"/rotate", `{"overlap":"1h"}`).Want(t, http.StatusOK).Text(t, "client_secret")
	tenant.Control("PATCH /clients/"+id, `{"permissions":["::data/v2:get"]}`).Want(t, http.StatusOK)
	if status := tokenStatus(s, id, first); status != http.StatusOK {
		t.Errorf("after a change of permissions, the old secret: status %d", status)
	}
	tenant.Control("PATCH /clients/"+id, `{"client_secret":"my-own-secret"}`).Want(t, http.StatusOK)
	for secret, want := range map[string]int{first: 401, second: 401, "my-own-secret": 200} {
		if status := tokenStatus(s, id, secret); status != want {
			t.Errorf("after a change of the secret, %s: status %d, want %d", secret, status, want)
		}
	}
	if status := tokenStatus(s, other, "first"); status != http.StatusOK {
		t.Errorf("the old secret of another client: status %d", status)
	}
}

// TestAPIKeys checks the creation and deletion of an API key, on the server that
// changes it and on another one.
func TestAPIKeys(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, tenants: API keys are made and deleted",
		"Chosen, control API, tenants: a change of credentials acts within 1 s on every server")
	s := servertest.New(t)
	tenant, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	replica := s.Replica()
	created := tenant.Control("POST /api-keys", `{"key":"k-1"}`).Want(t, http.StatusCreated)
	if created.Text(t, "key") != "k-1" || created.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("created %s, header %v", created.Body, created.Header)
	}
	list := tenant.Control("GET /api-keys", "").Want(t, http.StatusOK)
	if keys := list.Get(t, "api_keys").([]any); len(keys) != 2 || strings.Contains(list.Body, "k-1") || !strings.Contains(list.Body, created.Text(t, "id")) {
		t.Errorf("API keys %s", list.Body)
	}
	withKey := func(server *servertest.Server) servertest.Response {
		return servertest.Client{Server: server, Token: tenant.Token, Key: "k-1"}.Do(readStatus, "")
	}
	withKey(s).Want(t, http.StatusNotFound)
	withKey(replica).Want(t, http.StatusNotFound)
	other.Control("DELETE /api-keys/"+created.Text(t, "id"), "").Want(t, http.StatusNotFound, `{"message":"API key not found"}`)
	other.Control("POST /api-keys", `{"key":"k-1"}`).Want(t, http.StatusConflict, `{"message":"key: the API key already exists"}`)

	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	withKey(s).Want(t, http.StatusNotFound)
	tenant.Control("DELETE /api-keys/"+strings.ToUpper(created.Text(t, "id")), "").Want(t, http.StatusNoContent)
	withKey(s).Want(t, http.StatusForbidden, servertest.Forbidden)
	s.Pass(time.Second)
	withKey(replica).Want(t, http.StatusForbidden, servertest.Forbidden)
	tenant.Control("DELETE /api-keys/"+created.Text(t, "id"), "").Want(t, http.StatusNotFound)
	tenant.Control("DELETE /api-keys/x", "").Want(t, http.StatusNotFound)
	tenant.Control("POST /api-keys", `{"key":"k-1"}`).Want(t, http.StatusCreated)
}

// TestInvalidCredentialsAreRefused checks that the response to an invalid client or key
// says what is wrong with it, and that duplicates and other tenants' clients are refused.
func TestInvalidCredentialsAreRefused(t *testing.T) {
	s := servertest.New(t)
	tenant, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	const (
		id     = `client_id: want 1 to 100 letters, digits and . _ ~ @ -, beginning with a letter or digit`
		secret = `client_secret: want 1 to 200 characters of printable ASCII without spaces`
		key    = `key: want 1 to 200 characters of printable ASCII without spaces`
	)
	ours := "/clients/" + tenant.Credentials.ClientID
	for _, c := range []struct {
		line, body string
		status     int
		message    string
	}{
		{"POST /clients", `{"client_id":""}`, 400, id},
		{"POST /clients", `{"client_id":1}`, 400, id},
		{"POST /clients", `{"client_id":"a:b"}`, 400, id},
		{"POST /clients", `{"client_id":"a/b"}`, 400, id},
		{"POST /clients", `{"client_id":".."}`, 400, id},
		{"POST /clients", `{"client_id":"` + strings.Repeat("a", 101) + `"}`, 400, id},
		{"POST /clients", `{"client_secret":""}`, 400, secret},
		{"POST /clients", `{"client_secret":"a b"}`, 400, secret},
		{"POST /clients", `{"client_secret":"\u00e4"}`, 400, secret},
		{"POST /clients", `{"permissions":"all"}`, 400, `permissions: want an array of strings`},
		{"POST /clients", `{"permissions":["::data/v9:get"]}`, 400, `permissions: unknown permission \"::data/v9:get\"`},
		{"POST /clients", `{"id":"x"}`, 400, `unknown field \"id\"`},
		{"POST /clients", `{"client_id":"` + other.Credentials.ClientID + `"}`, 409, `client_id: client \"` + other.Credentials.ClientID + `\" already exists`},
		{"POST /clients", `{"client_id":"acme-client"}`, 409, `client_id: client \"acme-client\" already exists`},
		{"PATCH " + ours, `{"client_id":"x"}`, 400, `unknown field \"client_id\"`},
		{"PATCH " + ours, `{"client_secret":null}`, 400, secret},
		{"PATCH " + ours, `{"permissions":null}`, 400, `permissions: want an array of strings`},
		{"PATCH /clients/acme-client", `{"permissions":[]}`, 404, `Client not found`},
		{"PATCH /clients/nobody", `{}`, 404, `Client not found`},
		{"DELETE /clients/acme-client", ``, 404, `Client not found`},
		{"DELETE /clients/%00", ``, 400, `client_id: \"\\x00\" in the path is not UTF-8, or has a NUL`},
		{"POST /clients/acme-client/rotate", ``, 404, `Client not found`},
		{"POST " + ours + "/rotate", `{"overlap":"soon"}`, 400, `overlap: want a duration such as 90s, 12h or 2d`},
		{"POST " + ours + "/rotate", `{"overlap":"-1h"}`, 400, `overlap: want a duration such as 90s, 12h or 2d`},
		{"POST " + ours + "/rotate", `{"for":"1h"}`, 400, `unknown field \"for\"`},
		{"POST /api-keys", `{"key":""}`, 400, key},
		{"POST /api-keys", `{"key":" k"}`, 400, key},
		{"POST /api-keys", `{"api_key":"k"}`, 400, `unknown field \"api_key\"`},
		{"POST /api-keys", `{"key":"acme-api-key"}`, 409, `key: the API key already exists`},
	} {
		s.Unchanged(t, func() {
			tenant.Control(c.line, c.body).Want(t, c.status, `{"message":"`+c.message+`"}`)
		})
	}
	for _, line := range []string{
		"GET /clients", "POST /clients", "PATCH /clients/x", "DELETE /clients/x", "POST /clients/x/rotate",
		"GET /api-keys", "POST /api-keys", "DELETE /api-keys/x",
	} {
		s.Tenant("nobody").Control(line, "").Want(t, http.StatusNotFound, `{"message":"Tenant not found"}`)
		s.Tenant("%00").Control(line, "").Want(t, http.StatusBadRequest)
	}
}

// TestResetKeepsCredentials checks that added clients and keys survive a reset.
func TestResetKeepsCredentials(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: a reset keeps the credentials and drops all else")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tenant.Control("POST /clients", `{"client_id":"kept","client_secret":"s3cret"}`).Want(t, http.StatusCreated)
	before := tenant.Control("GET /clients", "").Body
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	tenant.Control("GET /clients", "").Want(t, http.StatusOK, before)
	if status := tokenStatus(s, "kept", "s3cret"); status != 200 {
		t.Errorf("token after a reset: got status %d", status)
	}
	tenant.Control("DELETE /clients/kept", "").Want(t, http.StatusNoContent)
	s.Control("DELETE /tenants/"+tenant.Name, "").Want(t, http.StatusNoContent)
}
