package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestFireEvent checks that a fired event is delivered to the tenant's subscriptions
// and can be redelivered, and that the response contains its id and the number of
// matching subscriptions.
func TestFireEvent(t *testing.T) {
	servertest.Proves(t,
		"Chosen, events and delivery: events of the service's other subjects are fired by hand, with any action",
		"Chosen, control API, events: fired, with the event's id and how many subscriptions matched",
		"Chosen, control API, events: a delivery is redelivered")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	tenant.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["quote_request:made"]}`).Want(t, http.StatusCreated)
	response := tenant.Control("POST /events", `{"event":"quote_request:made","data":{"n":1}}`).Want(t, http.StatusOK)
	awaitDeliveries(tenant)
	fired, _ := deliveries(tenant, "")
	if len(fired) != 1 || response.Get(t, "subscriptions") != 1.0 || response.Text(t, "event_id") != fired[0].EventID || fired[0].State != "delivered" || !strings.Contains(fired[0].Request.Body, `"data":{"n":1}`) {
		t.Fatalf("deliveries %+v", fired)
	}
	tenant.Control("POST /deliveries/"+fired[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated)
	awaitDeliveries(tenant)
	if list, _ := deliveries(tenant, "state=delivered"); len(list) != 2 || list[0].Request.Body != fired[0].Request.Body {
		t.Errorf("deliveries after the redelivery %+v", list)
	}
	tenant.Control("POST /deliveries/none/redeliver", "").Want(t, http.StatusNotFound)
	tenant.Control("POST /events", `{"event":"nothing"}`).Want(t, http.StatusBadRequest)
	large := func(size int) string { return `{"event":"a:b","data":"` + strings.Repeat("d", size-len(`""`)) + `"}` }
	tenant.Control("POST /events", large(256<<10)).Want(t, http.StatusOK)
	tenant.Control("POST /events", large(256<<10+1)).Want(t, http.StatusBadRequest, `{"message":"data: want at most 256 KiB of JSON"}`)
	for _, fields := range []string{`"active":true,"events":["*"]`, `"active":true,"events":["quote_request"]`, `"events":["*"]`, `"active":true,"events":["carrier"]`} {
		tenant.Do("POST /hooks", `{"url":"`+receiver.URL+`",`+fields+`}`).Want(t, http.StatusCreated)
	}
	for event, matched := range map[string]float64{"quote_request:made": 3, "quote_request:other": 2, "a:b": 1} {
		if got := tenant.Control("POST /events", `{"event":"`+event+`"}`).Want(t, http.StatusOK).Get(t, "subscriptions"); got != matched {
			t.Errorf("%s: %v subscriptions matched, want %v", event, got, matched)
		}
	}
	for _, subject := range []string{"application_form", "quote_request", "question_set", "carrier"} {
		tenant.Control("POST /events", `{"event":"`+subject+`:any-action"}`).Want(t, http.StatusOK)
		if list, _ := deliveries(tenant, "event="+subject+":any-action"); len(list) == 0 {
			t.Errorf("no delivery of %s:any-action", subject)
		}
	}
	empty := s.NewTenant(`{}`).Control("POST /events", `{"event":"a:b"}`).Want(t, http.StatusOK)
	if empty.Get(t, "subscriptions") != 0.0 || empty.Text(t, "event_id") == "" {
		t.Errorf("event without subscriptions: %s", empty.Body)
	}

	// A tenant that collects deliveries has them kept instead of sent.
	awaitDeliveries(tenant)
	tenant.Control("PATCH /settings", `{"webhooks":"collect"}`).Want(t, http.StatusOK)
	tenant.Control("POST /events", `{"event":"quote_request:made"}`).Want(t, http.StatusOK)
	if list, _ := deliveries(tenant, "state=collected"); len(list) != 3 {
		t.Errorf("collected deliveries %+v, want 3", list)
	}
}
