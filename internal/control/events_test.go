package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestFireEvent checks that a fired event is delivered to the tenant's
// subscriptions and can be redelivered.
func TestFireEvent(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	tenant.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["quote_request:made"]}`).Want(t, http.StatusCreated)
	tenant.Control("POST /events", `{"event":"quote_request:made","data":{"n":1}}`).Want(t, http.StatusNoContent)
	awaitDeliveries(tenant)
	fired, _ := deliveries(tenant, "")
	if len(fired) != 1 || fired[0].State != "delivered" || !strings.Contains(fired[0].Request.Body, `"data":{"n":1}`) {
		t.Fatalf("deliveries %+v", fired)
	}
	tenant.Control("POST /deliveries/"+fired[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated)
	awaitDeliveries(tenant)
	if list, _ := deliveries(tenant, "state=delivered"); len(list) != 2 || list[0].Request.Body != fired[0].Request.Body {
		t.Errorf("deliveries after the redelivery %+v", list)
	}
	tenant.Control("POST /deliveries/none/redeliver", "").Want(t, http.StatusNotFound)
	tenant.Control("POST /events", `{"event":"nothing"}`).Want(t, http.StatusBadRequest)

	// A tenant that collects deliveries has them kept instead of sent.
	tenant.Control("PATCH /settings", `{"webhooks":"collect"}`).Want(t, http.StatusOK)
	tenant.Control("POST /events", `{"event":"quote_request:made"}`).Want(t, http.StatusNoContent)
	if list, _ := deliveries(tenant, "state=collected"); len(list) != 1 {
		t.Errorf("collected deliveries %+v, want 1", list)
	}
}
