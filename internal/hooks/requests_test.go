package hooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestHookTest: `hook:test`, fired by hand, comes signed to who subscribed to
// it and to nobody else; its request has no answer until there is one, and can
// be sent again as a request of its own.
func TestHookTest(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	type got struct {
		header http.Header
		body   []byte
	}
	came, release := make(chan got, 4), make(chan struct{}, 4)
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a short one fails the signature
		came <- got{r.Header, body}
		<-release
		answer.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	t.Cleanup(func() { close(release) }) // should one still wait
	subscribe := func(event string) string {
		return "/hooks/" + x.caller.Do("POST /hooks", `{"active":true,"url":"`+receiver.URL+`","events":["`+event+`"],"secret":"s3cret"}`).
			Want(t, http.StatusCreated).Text(t, "id")
	}
	path := subscribe("hook:test")
	other := subscribe("universal_submit")
	newest := func() map[string]any {
		t.Helper()
		var requests []map[string]any
		if err := json.Unmarshal([]byte(x.caller.Do("GET "+path+"/requests", "").Want(t, http.StatusOK).Body), &requests); err != nil {
			t.Fatal(err)
		}
		keys := []string{}
		for key := range requests[0] {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if strings.Join(keys, " ") != "created_at delivery_id enqueued_at event hook_id id redelivery response_duration_ms response_status tenant_id updated_at" {
			t.Errorf("a request has the keys %v", keys)
		}
		return requests[0]
	}
	answered := func() map[string]any {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			if request := newest(); request["response_status"] != nil {
				return request
			}
		}
		t.Fatal("the answer is not recorded")
		return nil
	}

	x.Control("POST /events", `{"event":"hook:test","data":{"hello":"world"}}`).Want(t, http.StatusNoContent)
	first := <-came
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write(first.body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); first.header.Get("X-Signature") != want {
		t.Errorf("signature %q, want %q", first.header.Get("X-Signature"), want)
	}
	if first.header.Get("X-Emperor-Event") != "hook:test" || !strings.HasSuffix(string(first.body), `"data":{"hello":"world"}}`) {
		t.Errorf("came %v %s", first.header, first.body)
	}
	waits := newest()
	if waits["response_status"] != nil || waits["response_duration_ms"] != nil || waits["event"] != "hook:test" ||
		waits["redelivery"] != false || waits["delivery_id"] != first.header.Get("X-Delivery-Id") {
		t.Errorf("before an answer the request is %v", waits)
	}
	release <- struct{}{}
	if done := answered(); done["response_status"] != 202.0 || done["response_duration_ms"] == nil || done["id"] != waits["id"] {
		t.Errorf("after the answer the request is %v", done)
	}

	again := x.caller.Do("POST "+path+"/requests/"+waits["id"].(string)+"/redeliver", "").Want(t, http.StatusCreated)
	second := <-came
	release <- struct{}{}
	if string(second.body) != string(first.body) || second.header.Get("X-Request-Id") != first.header.Get("X-Request-Id") ||
		second.header.Get("X-Delivery-Id") != again.Text(t, "delivery_id") || again.Text(t, "delivery_id") == waits["delivery_id"] {
		t.Errorf("sent again: %v %s", second.header, second.body)
	}
	if done := answered(); done["id"] != again.Text(t, "id") || done["redelivery"] != true {
		t.Errorf("the redelivery's request is %v", done)
	}
	x.caller.Do("GET "+other+"/requests", "").Want(t, http.StatusOK, "[]")
}
