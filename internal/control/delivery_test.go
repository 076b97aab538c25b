package control_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestDeliveryShowsEachAttempt checks the requests and responses of the attempts of a
// delivery, and when the next one is.
func TestDeliveryShowsEachAttempt(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	tenant.MoveClock(`{"frozen":true}`)
	receiver := servertest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "not today", http.StatusTeapot) })
	tenant.Control("POST /hooks", `{"url":"`+receiver.URL+`","events":["quote_request"],"secret":"s3cret","active":true}`).Want(t, http.StatusCreated)
	tenant.Control("POST /events", `{"event":"quote_request:made","data":{"tx_id":"tx-1"}}`).Want(t, http.StatusOK)
	awaitDeliveries(tenant)
	list, _ := deliveries(tenant, "")
	path := "/deliveries/" + list[0].RequestID
	first := tenant.Control("GET "+path, "").Want(t, http.StatusOK)
	now := tenant.Control("GET /clock?due=true", "").Want(t, http.StatusOK)
	next, err := time.Parse(time.RFC3339, first.Text(t, "next_attempt_at"))
	if err != nil {
		t.Fatal(err)
	}
	due := now.Get(t, "due").([]any)
	if len(due) != 1 || due[0].(map[string]any)["kind"] != "delivery" || due[0].(map[string]any)["at"] != first.Text(t, "next_attempt_at") {
		t.Fatalf("due %v, next attempt at %s", due, first.Text(t, "next_attempt_at"))
	}
	// A jump to that moment makes exactly that attempt.
	effects := tenant.MoveClock(`{"set":"` + next.Format(time.RFC3339Nano) + `"}`)
	if len(effects) != 1 || effects[0].Kind != "delivery" {
		t.Fatalf("effects %+v", effects)
	}
	var shown delivery
	second := tenant.Control("GET "+path, "").Want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(second.Body), &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Attempts) != 2 || second.Text(t, "tx_id") != "tx-1" {
		t.Fatalf("delivery %s", second.Body)
	}
	for i, attempt := range second.Get(t, "attempts").([]any) {
		request := attempt.(map[string]any)["request"]
		text, _ := json.Marshal(request)
		if shown.Attempts[i].Status != http.StatusTeapot || !strings.Contains(shown.Attempts[i].Response.Body, "not today") ||
			!strings.Contains(string(text), shown.Attempts[i].DeliveryID) || !strings.Contains(string(text), "X-Signature") {
			t.Errorf("attempt %d: %v", i+1, attempt)
		}
	}
	brief := tenant.Control("GET /deliveries?bodies=false", "").Want(t, http.StatusOK)
	if strings.Contains(brief.Body, "not today") || strings.Contains(brief.Body, "tx-1\\") || !strings.Contains(brief.Body, `"status":418`) {
		t.Errorf("without bodies: %s", brief.Body)
	}
	tenant.Control("GET /deliveries/"+servertest.Absent, "").Want(t, http.StatusNotFound, `{"message":"Delivery not found"}`)
	tenant.Control("GET /deliveries/x", "").Want(t, http.StatusNotFound, `{"message":"Delivery not found"}`)
}

// TestDeliveriesOfTransaction checks the filter by transaction, redeliveries included, and
// that pages are read by key.
func TestDeliveriesOfTransaction(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"webhooks":"collect"}`)
	for range 2 {
		tenant.Control("POST /hooks", `{"url":"http://127.0.0.1:9/hook","events":["quote_request"],"active":true}`).Want(t, http.StatusCreated)
	}
	for _, tx := range []string{"tx-1", "tx-2", "tx-1"} {
		tenant.Control("POST /events", `{"event":"quote_request:made","data":{"tx_id":"`+tx+`"}}`).Want(t, http.StatusOK)
	}
	oldest, _ := deliveries(tenant, "tx_id=tx-2")
	if len(oldest) != 2 {
		t.Fatalf("deliveries of tx-2: %+v", oldest)
	}
	tenant.Control("POST /deliveries/"+oldest[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated)
	if list, _ := deliveries(tenant, "tx_id=tx-2"); len(list) != 3 {
		t.Errorf("%d deliveries of tx-2, want 3", len(list))
	}
	var seen int
	for query := "tx_id=tx-1&limit=1"; ; seen++ {
		list, before := deliveries(tenant, query)
		if len(list) != 1 {
			t.Fatalf("page %+v", list)
		}
		if before == "" {
			break
		}
		query = "tx_id=tx-1&limit=1&before=" + before
	}
	if seen+1 != 4 {
		t.Errorf("%d deliveries of tx-1 in pages, want 4", seen+1)
	}
}
