package hooks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// events returns the events that the receiver received, sorted by name.
func events(receiver *servertest.Receiver) string {
	var events []string
	for _, request := range receiver.Received() {
		events = append(events, request.Header.Get("X-Emperor-Event"))
	}
	slices.Sort(events)
	return strings.Join(events, " ")
}

// TestMatching checks which events a subscription receives.
func TestMatching(t *testing.T) {
	servertest.Proves(t,
		"Webhook subscription, fields: events",
		"Webhook subscription, states: receives events only with a URL, a matching event and active",
		"Events: 1 delivered to the URL of a matching active subscription", "Events: 1 subject, subject:action or *",
		"Chosen, events and delivery: any subject or subject:action can be subscribed to, and * is all")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	s.RunDispatcher()
	receivers := map[string]*servertest.Receiver{}
	for _, event := range []string{"*", "a", "a:one", "b"} {
		receivers[event] = servertest.NewReceiver(t)
		acme.Subscribe(receivers[event].URL, fmt.Sprintf(`"events":[%q,"never:this"]`, event))
	}
	several, inactive, foreign := servertest.NewReceiver(t), servertest.NewReceiver(t), servertest.NewReceiver(t)
	acme.Subscribe(several.URL, `"events":["*","a","a:one"]`)
	acme.Do("POST /hooks", `{"url":"`+inactive.URL+`","events":["*"]}`).Want(t, 201)
	globex.Subscribe(foreign.URL)

	s.Publish("acme", "a:one", "a:two", "b:one", "ab:one")
	servertest.Until(t, "all is delivered", func() bool { return s.CountDeliveries("delivered") == 4+2+1+1+4 })
	for event, want := range map[string]string{"*": "a:one a:two ab:one b:one", "a": "a:one a:two", "a:one": "a:one", "b": "b:one"} {
		if got := events(receivers[event]); got != want {
			t.Errorf("subscription to %s received %s, want %s", event, got, want)
		}
	}
	if got := events(several); got != "a:one a:two ab:one b:one" {
		t.Errorf("subscription that matches three times received %s, want each event once", got)
	}
	if got := events(inactive) + events(foreign); got != "" {
		t.Errorf("an inactive subscription and another tenant's received %s, want none", got)
	}
}

// TestPublishForSeveralTenants checks that events of one name that are published
// together are received by their own tenants.
func TestPublishForSeveralTenants(t *testing.T) {
	s := servertest.New(t)
	receivers := map[string]*servertest.Receiver{"acme": servertest.NewReceiver(t), "globex": servertest.NewReceiver(t)}
	s.Acme().Subscribe(receivers["acme"].URL)
	s.Globex().Subscribe(receivers["globex"].URL)
	if err := pgx.BeginFunc(t.Context(), s.DB, func(tx pgx.Tx) error {
		return hooks.Publish(t.Context(), tx, s.Now(),
			hooks.Event{Tenant: auth.Tenant{ID: s.TenantID("globex"), Name: "globex"}, Name: "a:b", At: s.Now()},
			hooks.Event{Tenant: auth.Tenant{ID: s.TenantID("acme"), Name: "acme"}, Name: "a:b", At: s.Now()})
	}); err != nil {
		t.Fatal(err)
	}
	s.RunDispatcher()
	servertest.Until(t, "all is delivered", func() bool { return s.CountDeliveries("delivered") == 2 })
	for name, receiver := range receivers {
		if all := receiver.Received(); len(all) != 1 || !strings.Contains(all[0].Body, `"tenant_id":"`+name+`"`) {
			t.Errorf("%s received %v", name, all)
		}
	}
}

// TestPublishIsRolledBack checks that events are part of the transaction that
// publishes them.
func TestPublishIsRolledBack(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: an event is written with the change that it reports")
	s := servertest.New(t)
	acme := s.Acme()
	receiver := servertest.NewReceiver(t)
	acme.Subscribe(receiver.URL)
	tx, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := hooks.Publish(t.Context(), tx, s.Now(), hooks.Event{Tenant: auth.Tenant{ID: s.TenantID("acme"), Name: "acme"}, Name: "a:undone", At: s.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Publish("acme", "a:done")
	s.RunDispatcher()
	servertest.Until(t, "all is delivered", func() bool { return s.CountDeliveries("pending") == 0 })
	if got := events(receiver); got != "a:done" {
		t.Errorf("received %s, want a:done", got)
	}
}

// TestIDsOfRequests checks that the ids which the database makes are distinct UUIDs
// of version 7, in the order in which events are published.
func TestIDsOfRequests(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	subscriptions := []string{acme.Subscribe("http://127.0.0.1:1/"), acme.Subscribe("http://127.0.0.1:1/")}
	s.Publish("acme", "a:1", "a:2", "a:3", "a:4")
	seen := map[string]bool{}
	for _, hookID := range subscriptions {
		for i, request := range acme.HookRequests(hookID) {
			if want := fmt.Sprintf("a:%d", 4-i); request["event"] != want {
				t.Errorf("request %d has the event %s, want %s", i, request["event"], want)
			}
			for _, field := range []string{"id", "delivery_id"} {
				id, err := uuid.Parse(request[field].(string))
				if err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 || seen[id.String()] {
					t.Errorf("%s %v is not a new UUID of version 7", field, request[field])
				}
				seen[id.String()] = true
			}
		}
	}
}
