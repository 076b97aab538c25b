package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestClockDelivers: a move of the clock passes through each retry of a
// delivery, and tells of it; the feed does too, and a reset drops the rest.
func TestClockDelivers(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	var mu sync.Mutex
	calls := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls < 3 {
			answer.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(receiver.Close)
	hook := x.caller.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["universal_submit:completed"]}`).
		Want(t, http.StatusCreated).Text(t, "id")
	x.AwaitEnd(x.SubmitFile("servertest.Letter.txt", "Named Insured: Foxglove Bakery LLC\n"))
	attempts := []string{}
	for _, effect := range append(x.Advance("1s"), x.Advance("10m")...) {
		if effect.Kind == "delivery" {
			attempts = append(attempts, effect.At)
		}
	}
	// The first attempt may have been made before the clock moved.
	if mu.Lock(); calls != 3 || len(attempts) < 2 || len(attempts) > 3 {
		t.Errorf("%d calls, effects at %v", calls, attempts)
	}
	mu.Unlock()
	requests := x.caller.Do("GET /hooks/"+hook+"/requests", "").Want(t, http.StatusOK).Body
	if !strings.Contains(requests, `"response_status":200`) {
		t.Errorf("requests %s", requests)
	}
	told := x.Control("GET /await?event=delivery", "").Want(t, http.StatusOK)
	if told.Text(t, "data", "hook_id") != hook || told.Get(t, "data", "status") != 502.0 {
		t.Errorf("told %s", told.Body)
	}
	x.Control("POST /events", `{"event":"universal_submit:completed","data":{"n":1}}`).Want(t, http.StatusNoContent)
	var listed servertest.Response
	for listed = x.Control("GET /deliveries", ""); strings.Contains(listed.Body, `"pending"`); listed = x.Control("GET /deliveries", "") {
	}
	if list := listed.Want(t, http.StatusOK).Get(t, "deliveries").([]any); len(list) != 2 || !strings.Contains(list[0].(map[string]any)["body"].(string), `"n":1`) {
		t.Errorf("deliveries %s", listed.Body)
	} else {
		id := list[1].(map[string]any)["request_id"].(string)
		x.Control("POST /deliveries/"+id+"/redeliver", "").Want(t, http.StatusCreated)
	}
	x.Control("POST /deliveries/none/redeliver", "").Want(t, http.StatusNotFound)
	x.Control("POST /events", `{"event":"nothing"}`).Want(t, http.StatusBadRequest)
	// A tenant that collects sends nothing.
	x.Control("PATCH /settings", `{"webhooks":"collect"}`).Want(t, http.StatusOK)
	x.Control("POST /events", `{"event":"universal_submit:completed"}`).Want(t, http.StatusNoContent)
	if listed := x.Control("GET /deliveries", "").Want(t, http.StatusOK); !strings.Contains(listed.Body, `"state":"collected"`) {
		t.Errorf("deliveries %s", listed.Body)
	}
	x.Control("POST /reset", "").Want(t, http.StatusOK)
	x.caller.Do("GET /hooks", "").Want(t, http.StatusOK, "[]")
}
