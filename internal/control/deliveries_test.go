package control_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
)

// delivered is a delivery as the control API shows it.
type delivered struct {
	RequestID string `json:"request_id"`
	HookID    string `json:"hook_id"`
	Event     string
	State     string
	Request   struct {
		Method, URL string
		Headers     []struct{ Name, Value string }
		Body        string
		Base64      string `json:"body_base64"`
	}
	Attempts []struct {
		DeliveryID string `json:"delivery_id"`
		Attempt    int
		At         string
		Address    string
		Status     int
		Failure    string
		DurationMs *int `json:"duration_ms"`
		Response   *struct {
			Headers http.Header
			Body    string
			Base64  string `json:"body_base64"`
		}
	}
}

// deliveries returns the tenant's deliveries that the query asks for, and where
// the next page begins.
func (t *servertest.Tenant) deliveries(query string) (list []delivered, before string) {
	t.controlWorld.t.Helper()
	var page struct {
		Deliveries []delivered
		Before     string
	}
	got := t.Control("GET /deliveries?"+query, "").Want(t.controlWorld.t, http.StatusOK)
	if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
		t.controlWorld.t.Fatal(err)
	}
	return page.Deliveries, page.Before
}

// settled waits until no delivery of the tenant is on its way for the first time.
func (t *servertest.Tenant) settled() {
	t.controlWorld.t.Helper()
	servertest.Until(t.controlWorld.t, "all deliveries are made", func() bool {
		list, _ := t.deliveries("")
		return !slices.ContainsFunc(list, func(d delivered) bool { return d.State == "pending" && len(d.Attempts) == 0 })
	})
}

// TestCollect: a tenant that collects has nothing sent, and what it reads is to
// the byte what goes over the wire once it sends.
func TestCollect(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"webhooks":"collect"}`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	wire := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var raw strings.Builder
			if request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &raw))); err == nil {
				io.Copy(io.Discard, request.Body)
			}
			io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
			conn.Close()
			wire <- raw.String()
		}
	}()
	target := "http://" + listener.Addr().String() + "/hook?a=b%20c"
	x.Do("POST /hooks", `{"active":true,"url":"`+target+`","events":["quote_request"],"secret":"s3cret","header":"X-my-KEY: k3y"}`).
		Want(t, http.StatusCreated)
	x.Control("POST /events", `{"event":"quote_request:made","data":{"ü":"<&>","n":1.50}}`).Want(t, http.StatusNoContent)
	collected, _ := x.deliveries("state=collected")
	if len(collected) != 1 || len(collected[0].Attempts) != 0 {
		t.Fatalf("collected %+v", collected)
	}
	told := collected[0].Request
	if told.Method != "POST" || told.URL != target || told.Base64 != "" || !strings.Contains(told.Body, `"data":{"ü":"<&>","n":1.50}`) {
		t.Errorf("request %+v", told)
	}
	// It stays as it was collected, whatever becomes of the subscription.
	hookID := collected[0].HookID
	x.Do("PATCH /hooks/"+hookID, `{"url":"http://127.0.0.1:1/other","secret":"another","header":"X-other: k"}`).Want(t, http.StatusOK)
	if later, _ := x.deliveries("state=collected"); !cmp.Equal(later, collected) {
		t.Errorf("once the subscription is changed:\n%s", cmp.Diff(collected, later))
	}
	x.Do("PATCH /hooks/"+hookID, `{"url":"`+target+`","secret":"s3cret","header":"X-my-KEY: k3y"}`).Want(t, http.StatusOK)

	x.Control("PATCH /settings", `{"webhooks":"send"}`).Want(t, http.StatusOK)
	w.Pass(time.Second) // the dispatcher believes what it read for half a second
	x.Control("POST /deliveries/"+collected[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated)
	x.settled()
	sent, _ := x.deliveries("limit=1")
	if len(sent) != 1 || sent[0].State != "delivered" || sent[0].Request.Body != told.Body {
		t.Fatalf("sent %+v", sent)
	}
	// The delivery id is an attempt's own; all else is as it was collected.
	for i, line := range sent[0].Request.Headers {
		if line.Name == "X-Delivery-Id" {
			if line.Value != sent[0].Attempts[0].DeliveryID {
				t.Errorf("delivery id %s, attempts %+v", line.Value, sent[0].Attempts)
			}
		} else if told.Headers[i] != line {
			t.Errorf("collected header %v, sent %v", told.Headers[i], line)
		}
	}
	var raw strings.Builder
	raw.WriteString("POST /hook?a=b%20c HTTP/1.1\r\n")
	for _, line := range sent[0].Request.Headers {
		fmt.Fprintf(&raw, "%s: %s\r\n", line.Name, line.Value)
	}
	raw.WriteString("\r\n" + sent[0].Request.Body)
	if got := <-wire; got != raw.String() {
		t.Errorf("on the wire\n%s\ntold\n%s", got, raw.String())
	}
	select {
	case more := <-wire:
		t.Errorf("sent as well: %s", more)
	default:
	}
}

// TestDeliveries: every attempt with all that came of it, page by page, by
// every filter.
func TestDeliveries(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{}`)
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		answer.Header()["X-Two"] = []string{"one", "two"}
		if r.URL.Path == "/bad" {
			answer.WriteHeader(http.StatusBadGateway)
		}
		answer.Write([]byte(strings.Repeat("\xff", 20_000)))
	}))
	t.Cleanup(receiver.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + listener.Addr().String()
	listener.Close()
	ids := map[string]string{}
	for _, target := range []string{receiver.URL + "/good", receiver.URL + "/bad", dead} {
		ids[target] = x.Do("POST /hooks", `{"active":true,"url":"`+target+`","events":["*"]}`).Want(t, http.StatusCreated).Text(t, "id")
	}
	for _, event := range []string{"quote_request:made", "quote_request:sent", "carrier:found-1.x"} {
		x.Control("POST /events", `{"event":"`+event+`"}`).Want(t, http.StatusNoContent)
		x.Advance("1s")
	}
	x.settled()
	x.Advance("1m") // the first retries
	x.settled()

	for query, want := range map[string]int{
		"":                                     9,
		"hook_id=" + ids[dead]:                 3,
		"event=quote_request:made":             3,
		"event=quote_request":                  6,
		"event=quote":                          0,
		"state=delivered":                      3,
		"state=pending":                        6,
		"status=2xx":                           3,
		"status=502":                           3,
		"status=0":                             3,
		"status=502&event=carrier":             1,
		"limit=4":                              4,
		"since=" + url.QueryEscape(w.Shown(0)): 9,
		"until=" + url.QueryEscape(w.Shown(0)): 0,
		"since=" + url.QueryEscape(w.Shown(time.Second)):                                                       6,
		"since=" + url.QueryEscape(w.Shown(time.Second)) + "&until=" + url.QueryEscape(w.Shown(2*time.Second)): 3,
	} {
		if list, _ := x.deliveries(query); len(list) != want {
			t.Errorf("%s: %d deliveries, want %d", query, len(list), want)
		}
	}
	var all, paged []string
	list, _ := x.deliveries("")
	for _, d := range list {
		all = append(all, d.RequestID)
	}
	for before := ""; ; {
		page, next := x.deliveries("limit=2" + before)
		for _, d := range page {
			paged = append(paged, d.RequestID)
		}
		if before = "&before=" + next; next == "" {
			break
		}
	}
	if !slices.Equal(all, paged) || len(list) == 0 || list[0].Event != "carrier:found-1.x" {
		t.Errorf("pages %v, all %v", paged, all)
	}

	bad, _ := x.deliveries("status=502&event=quote_request:made")
	if len(bad[0].Attempts) < 2 {
		t.Fatalf("attempts %+v", bad[0].Attempts)
	}
	for i, a := range bad[0].Attempts {
		body, err := base64.StdEncoding.DecodeString(a.Response.Base64)
		if err != nil || string(body) != strings.Repeat("\xff", 16<<10) || a.Attempt != i+1 || a.Status != 502 || a.Failure != "" || a.DurationMs == nil ||
			!slices.Equal(a.Response.Headers.Values("X-Two"), []string{"one", "two"}) || "http://"+a.Address != receiver.URL {
			t.Errorf("attempt %d: %.200v", i+1, a)
		}
	}
	gone, _ := x.deliveries("status=0&limit=1")
	if a := gone[0].Attempts[0]; a.Response != nil || a.Failure != "refused" || "http://"+a.Address != dead {
		t.Errorf("attempt %+v", a)
	}
	for query, message := range map[string]string{
		"limit=0":      `limit: \"0\" is not of the right form`,
		"state=lost":   `state: \"lost\" is not of the right form`,
		"before=7":     `before: \"7\" is not of the right form`,
		"colour=red":   `unknown parameter \"colour\"`,
		"hook_id=none": `hook_id: \"none\" is not of the right form`,
	} {
		x.Control("GET /deliveries?"+query, "").Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	if list, _ := w.NewTenant(`{}`).deliveries(""); len(list) != 0 {
		t.Errorf("another tenant has %+v", list)
	}
}
