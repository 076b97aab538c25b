package universal_test

import (
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestLockedTenantDelaysNoOtherCalls locks a tenant, as a move of its clock does, while many
// of its triggers, direct submits and changes of its subscriptions wait for the lock. They do not use the
// connections that the same calls of other tenants need, and succeed when the tenant is free.
func TestLockedTenantDelaysNoOtherCalls(t *testing.T) {
	s := servertest.New(t)
	locked, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	uploaded := func(tenant *servertest.Tenant) string {
		tx, uploadURL := tenant.Announce("letter.txt")
		tenant.Upload(uploadURL, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
		return tx
	}
	const waiting, callsOfEach = 6, 3
	var submissions [waiting]string
	for i := range submissions {
		submissions[i] = uploaded(locked)
	}
	const hook = `{"name":"h","url":"http://127.0.0.1:1/","events":[]}`
	lock := s.Lock("select from tenants where name = $1 for no key update", locked.Name)
	called, responses := make(chan struct{}), make(chan servertest.Response)
	for _, tx := range submissions {
		for _, call := range []func() servertest.Response{
			func() servertest.Response { return locked.Trigger(tx) },
			func() servertest.Response { return locked.Do("POST /hooks", hook) },
			func() servertest.Response { return locked.SubmitDirectly("v3", "letter.txt", servertest.Letter) },
		} {
			go func() {
				called <- struct{}{}
				responses <- call()
			}()
		}
	}
	for range callsOfEach * waiting {
		<-called
	}
	for range 10 {
		other.Trigger(uploaded(other)).Want(t, http.StatusOK)
		other.Do("POST /hooks", hook).Want(t, http.StatusCreated)
		other.SubmitDirectly("v3", "letter.txt", servertest.Letter).Want(t, http.StatusOK)
	}
	select {
	case response := <-responses:
		t.Fatalf("a call of the locked tenant returned status %d", response.Status)
	default:
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range callsOfEach * waiting {
		if response := <-responses; response.Status != http.StatusOK && response.Status != http.StatusCreated {
			t.Errorf("a call of the tenant returned status %d once it was free: %s", response.Status, response.Body)
		}
	}
}
