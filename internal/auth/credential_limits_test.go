package auth_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestAPIKeysAreReadOncePerQuery makes token calls for many clients of a tenant that has many API
// keys. If the query returned a copy of the keys for each client, the calls could take gigabytes.
func TestAPIKeysAreReadOncePerQuery(t *testing.T) {
	read := &servertest.BytesRead{}
	s := servertest.New(t, read.Record(t))
	const clients, keys = 40, 1000
	s.Exec(fmt.Sprintf(`
		insert into api_keys (hash, tenant_id, created_at)
		select sha256(n::text::bytea), id, created_at
		from tenants
		cross join generate_series(2, %d) n
		where name = 'acme'`, keys))
	s.Exec(fmt.Sprintf(`
		insert into clients (id, tenant_id, user_id, secret_hash, first_name, last_name, permissions, created_at)
		select 'acme-' || n, tenant_id, gen_random_uuid(), secret_hash, first_name, last_name, permissions, created_at
		from clients
		cross join generate_series(1, %d) n
		where id = 'acme-client'`, clients))
	lock := s.Lock("lock table clients in access exclusive mode")
	read.Take()
	var calling sync.WaitGroup
	for i := range clients {
		calling.Go(func() {
			s.Do(tokenCall(grant, servertest.Basic(fmt.Sprintf("acme-%d", i+1), "wrong"), "", "")).Want(t, http.StatusUnauthorized)
		})
	}
	servertest.Until(t, "all calls are in progress", func() bool { return s.App.Requests.InFlight() == clients })
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	calling.Wait()
	if n, limit := read.Take(), int64(clients/2*keys*32); n > limit {
		t.Errorf("%d bytes were read for %d calls, want at most %d", n, clients, limit)
	}
	acme := s.Acme()
	acme.Do("GET /hooks", "").Want(t, http.StatusOK)
	acme.Do("GET /universal/v2/universal-submit/status/unknown", "").Want(t, http.StatusNotFound)
}

// TestLimitsOfCredentials checks the limits on the API keys of a tenant, and on the old secrets of
// a client that still work.
func TestLimitsOfCredentials(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, tenants: the numbers of API keys and of old secrets are limited")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	s.Exec(fmt.Sprintf(`
		insert into api_keys (hash, tenant_id, created_at)
		select sha256(n::text::bytea), id, created_at
		from tenants
		cross join generate_series(3, %d) n
		where name = '%s'`, auth.MaxAPIKeys, tenant.Name))
	const tooMany = `{"message":"limit of 1000 API keys reached"}`
	last := tenant.Control("POST /api-keys", "").Want(t, http.StatusCreated)
	s.Unchanged(t, func() {
		tenant.Control("POST /api-keys", "").Want(t, http.StatusConflict, tooMany)
		tenant.Control("PUT /configuration", `{"api_keys":["one-more-key"]}`).Want(t, http.StatusConflict, tooMany)
	})
	tenant.Control("DELETE /api-keys/"+last.Text(t, "id"), "").Want(t, http.StatusNoContent)
	tenant.Control("POST /api-keys", "").Want(t, http.StatusCreated)

	rotate := func(body string) servertest.Response {
		return tenant.Control("POST /clients/"+tenant.Credentials.ClientID+"/rotate", body)
	}
	for range 100 {
		rotate(`{"overlap":"1h"}`).Want(t, http.StatusOK)
	}
	s.Unchanged(t, func() {
		rotate(`{"overlap":"1h"}`).Want(t, http.StatusConflict, `{"message":"limit of 100 old secrets that still work reached"}`)
	})
	rotate(`{"overlap":"0s"}`).Want(t, http.StatusOK) // replaces a secret that leaked
	tenant.Advance("1h")
	rotate(`{"overlap":"1h"}`).Want(t, http.StatusOK)
}

// TestTenantWithTooManyAPIKeys imports keys into a tenant that has more keys than the limit, which
// it can have from an earlier version: an import that adds none succeeds.
func TestTenantWithTooManyAPIKeys(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tenant.Control("PUT /configuration", `{"api_keys":["a-key-of-mine"]}`).Want(t, http.StatusOK)
	s.Exec(fmt.Sprintf(`
		insert into api_keys (hash, tenant_id, created_at)
		select sha256(n::text::bytea), id, created_at
		from tenants
		cross join generate_series(1, %d) n
		where name = '%s'`, auth.MaxAPIKeys, tenant.Name))
	tenant.Control("PUT /configuration", `{"api_keys":["a-key-of-mine"]}`).Want(t, http.StatusOK)
	tenant.Control("PUT /configuration", `{"api_keys":["a-key-of-mine","one-more-key"]}`).Want(t, http.StatusConflict)
}
