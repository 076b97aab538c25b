package hooks_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestRequests follows the event hook:test, fired through the control API, to its
// subscription: its request has no response status until there is a response, and
// it can be redelivered as a request of its own.
func TestRequests(t *testing.T) {
	servertest.Proves(t,
		"Chosen, webhook subscriptions: a request has these fields, and no response_status before a response",
		"Chosen, webhook subscriptions: a redelivery is a request of its own")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	release := make(chan struct{}, 4)
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.WriteHeader(http.StatusAccepted)
	})
	t.Cleanup(func() { close(release) }) // in case a response is still held
	hookID := tenant.Subscribe(receiver.URL, `"events":["hook:test"]`, `"secret":"s3cret"`)
	other := tenant.Subscribe(receiver.URL, `"events":["universal_submit"]`)
	newest := func() map[string]any { return tenant.HookRequests(hookID)[0] }
	awaitResponse := func() (request map[string]any) {
		t.Helper()
		servertest.Until(t, "the response is recorded", func() bool {
			request = newest()
			return request["response_status"] != nil
		})
		return request
	}

	tenant.Control("POST /events", `{"event":"hook:test","data":{"hello":"world"}}`).Want(t, http.StatusOK)
	first := receiver.Await(t, 1)[0]
	if !first.Verify("s3cret") {
		t.Errorf("signature %q does not verify", first.Header.Get("X-Signature"))
	}
	if first.Header.Get("X-Emperor-Event") != "hook:test" || !strings.HasSuffix(first.Body, `"data":{"hello":"world"}}`) {
		t.Errorf("received %v %s", first.Header, first.Body)
	}
	waiting := newest()
	if got := strings.Join(slices.Sorted(maps.Keys(waiting)), " "); got != "created_at delivery_id enqueued_at event hook_id id redelivery response_duration_ms response_status tenant_id updated_at" {
		t.Errorf("fields %s of a request", got)
	}
	if waiting["response_status"] != nil || waiting["response_duration_ms"] != nil || waiting["event"] != "hook:test" ||
		waiting["redelivery"] != false || waiting["delivery_id"] != first.Header.Get("X-Delivery-Id") {
		t.Errorf("before the response the request is %v", waiting)
	}
	release <- struct{}{}
	if done := awaitResponse(); done["response_status"] != 202.0 || done["response_duration_ms"] == nil || done["id"] != waiting["id"] {
		t.Errorf("after the response the request is %v", done)
	}

	redelivery := tenant.Do("POST /hooks/"+hookID+"/requests/"+waiting["id"].(string)+"/redeliver", "").Want(t, http.StatusCreated)
	second := receiver.Await(t, 2)[1]
	release <- struct{}{}
	if second.Body != first.Body || second.Header.Get("X-Request-Id") != first.Header.Get("X-Request-Id") ||
		second.Header.Get("X-Delivery-Id") != redelivery.Text(t, "delivery_id") || redelivery.Text(t, "delivery_id") == waiting["delivery_id"] {
		t.Errorf("redelivered %v %s", second.Header, second.Body)
	}
	if done := awaitResponse(); done["id"] != redelivery.Text(t, "id") || done["redelivery"] != true {
		t.Errorf("the request of the redelivery is %v", done)
	}
	if requests := tenant.HookRequests(other); len(requests) != 0 {
		t.Errorf("another subscription has the requests %v", requests)
	}
}
