package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestClockDelivers: a move of the clock passes through each retry of a
// delivery, and tells of it; the feed does too, and a reset drops the rest.
func TestClockDelivers(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{"pacing":{"mode":"immediate"}}`)
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
	hook := x.caller.do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["universal_submit:completed"]}`).
		want(t, http.StatusCreated).text(t, "id")
	x.await(x.send("letter.txt", "Named Insured: Foxglove Bakery LLC\n"))
	attempts := []string{}
	for _, effect := range append(x.advance("1s"), x.advance("10m")...) {
		if effect.Kind == "delivery" {
			attempts = append(attempts, effect.At)
		}
	}
	// The first attempt may have been made before the clock moved.
	if mu.Lock(); calls != 3 || len(attempts) < 2 || len(attempts) > 3 {
		t.Errorf("%d calls, effects at %v", calls, attempts)
	}
	mu.Unlock()
	requests := x.caller.do("GET /hooks/"+hook+"/requests", "").want(t, http.StatusOK).Body
	if !strings.Contains(requests, `"response_status":200`) {
		t.Errorf("requests %s", requests)
	}
	told := x.ask("GET /await?event=delivery", "").want(t, http.StatusOK)
	if told.text(t, "data", "hook_id") != hook || told.get(t, "data", "status") != 502.0 {
		t.Errorf("told %s", told.Body)
	}
	x.ask("POST /events", `{"event":"universal_submit:completed","data":{"n":1}}`).want(t, http.StatusNoContent)
	var listed answer
	for listed = x.ask("GET /deliveries", ""); strings.Contains(listed.Body, `"pending"`); listed = x.ask("GET /deliveries", "") {
	}
	if list := listed.want(t, http.StatusOK).get(t, "deliveries").([]any); len(list) != 2 || !strings.Contains(list[0].(map[string]any)["body"].(string), `"n":1`) {
		t.Errorf("deliveries %s", listed.Body)
	} else {
		id := list[1].(map[string]any)["request_id"].(string)
		x.ask("POST /deliveries/"+id+"/redeliver", "").want(t, http.StatusCreated)
	}
	x.ask("POST /deliveries/none/redeliver", "").want(t, http.StatusNotFound)
	x.ask("POST /events", `{"event":"nothing"}`).want(t, http.StatusBadRequest)
	// A tenant that collects sends nothing.
	x.ask("PATCH /settings", `{"webhooks":"collect"}`).want(t, http.StatusOK)
	x.ask("POST /events", `{"event":"universal_submit:completed"}`).want(t, http.StatusNoContent)
	if listed := x.ask("GET /deliveries", "").want(t, http.StatusOK); !strings.Contains(listed.Body, `"state":"collected"`) {
		t.Errorf("deliveries %s", listed.Body)
	}
	x.ask("POST /reset", "").want(t, http.StatusOK)
	x.caller.do("GET /hooks", "").want(t, http.StatusOK, "[]")
}
