package hooks_test

import (
	"fmt"
	"sync"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestLimitOfActiveSubscriptions checks that a tenant has at most 10 active
// subscriptions, even if many are created at once.
func TestLimitOfActiveSubscriptions(t *testing.T) {
	servertest.Proves(t,
		"Chosen, webhook subscriptions: at most 10 are active",
		"Chosen, webhook subscriptions: 422 active: without events, or the eleventh")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	const active = `{"url":"http://example.com","events":["*"],"active":true}`
	inactive := "/hooks/" + acme.Do("POST /hooks", `{"url":"http://example.com","events":["*"]}`).Want(t, 201).Text(t, "id")
	var creating sync.WaitGroup
	responses := make([]servertest.Response, 24)
	for i := range responses {
		creating.Go(func() { responses[i] = acme.Do("POST /hooks", active) })
	}
	creating.Wait()
	statuses := map[int]int{}
	var created string
	for _, response := range responses {
		if statuses[response.Status]++; response.Status == 201 {
			created = "/hooks/" + response.Text(t, "id")
		}
	}
	if statuses[201] != 10 || statuses[422] != 14 {
		t.Errorf("statuses %v, want 10 times 201 and 14 times 422", statuses)
	}
	acme.Do("PATCH "+inactive, `{"active":true}`).Want(t, 422, `{"active":["limit of 10 active subscriptions reached"]}`)
	acme.Do("POST /hooks", `{"active":true}`).
		Want(t, 422, `{"active":["limit of 10 active subscriptions reached"],"events":["can't be blank"],"url":["can't be blank"]}`)
	globex.Do("POST /hooks", active).Want(t, 201)
	acme.Do("POST /hooks", `{"url":"http://example.com"}`).Want(t, 201)
	acme.Do("PATCH "+created, `{"url":"http://other.example"}`).Want(t, 200) // it is one of the ten itself
	acme.Do("DELETE "+created, "").Want(t, 204)
	acme.Do("PATCH "+inactive, `{"active":true}`).Want(t, 200)
}

// TestLimitOfRequests checks that the newest 100 requests of a subscription are
// listed, newest first.
func TestLimitOfRequests(t *testing.T) {
	servertest.Proves(t, "Chosen, webhook subscriptions: requests are listed, the newest 100 first")
	s := servertest.New(t)
	acme := s.Acme()
	hookID := acme.Subscribe("http://127.0.0.1:1/")
	const published = 103
	for i := range published {
		s.Publish("acme", fmt.Sprintf("a:%d", i))
	}
	requests := acme.HookRequests(hookID)
	if len(requests) != 100 {
		t.Errorf("%d requests are listed, want 100", len(requests))
	}
	for i, request := range requests {
		if want := fmt.Sprintf("a:%d", published-1-i); request["event"] != want {
			t.Fatalf("request %d has the event %s, want %s", i, request["event"], want)
		}
	}
}

// TestLimitOfSubscriptions checks that a tenant has at most 1,000 subscriptions.
func TestLimitOfSubscriptions(t *testing.T) {
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	const body = `{"url":"http://example.com"}`
	acme.Do("POST /hooks", body).Want(t, 201)
	s.Exec(`
		insert into hooks (id, tenant_id, owner_id, active, events, url, created_at, updated_at)
		select gen_random_uuid(), tenant_id, owner_id, active, events, url, created_at, updated_at
		from hooks
		cross join generate_series(2, 999)`)
	last := "/hooks/" + acme.Do("POST /hooks", body).Want(t, 201).Text(t, "id")
	acme.Do("POST /hooks", body).Want(t, 422, `{"base":["limit of 1000 subscriptions reached"]}`)
	globex.Do("POST /hooks", body).Want(t, 201)
	acme.Do("PATCH "+last, `{"url":"http://other.example"}`).Want(t, 200)
	acme.Do("DELETE "+last, "").Want(t, 204)
	acme.Do("POST /hooks", body).Want(t, 201)
}
