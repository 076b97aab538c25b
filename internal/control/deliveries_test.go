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

// delivery is a delivery as the control API shows it.
type delivery struct {
	RequestID string `json:"request_id"`
	HookID    string `json:"hook_id"`
	EventID   string `json:"event_id"`
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

// deliveries returns the tenant's deliveries that the query selects, and the
// cursor of the next page.
func deliveries(tenant *servertest.Tenant, query string) (list []delivery, before string) {
	tenant.T.Helper()
	var page struct {
		Deliveries []delivery
		Before     string
	}
	response := tenant.Control("GET /deliveries?"+query, "").Want(tenant.T, http.StatusOK)
	if err := json.Unmarshal([]byte(response.Body), &page); err != nil {
		tenant.T.Fatal(err)
	}
	return page.Deliveries, page.Before
}

// awaitDeliveries waits until every delivery of the tenant was attempted.
func awaitDeliveries(tenant *servertest.Tenant) {
	tenant.T.Helper()
	servertest.Until(tenant.T, "every delivery was attempted", func() bool {
		list, _ := deliveries(tenant, "")
		return !slices.ContainsFunc(list, func(d delivery) bool { return d.State == "pending" && len(d.Attempts) == 0 })
	})
}

// TestCollectedDeliveries checks that nothing is sent for a tenant that collects
// deliveries, and that the control API shows each request byte for byte as it is
// sent once the tenant sends deliveries.
func TestCollectedDeliveries(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"webhooks":"collect"}`)
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
	tenant.Do("POST /hooks", `{"active":true,"url":"`+target+`","events":["quote_request"],"secret":"s3cret","header":"X-my-KEY: k3y"}`).
		Want(t, http.StatusCreated)
	tenant.Control("POST /events", `{"event":"quote_request:made","data":{"ü":"<&>","n":1.50}}`).Want(t, http.StatusOK)
	collected, _ := deliveries(tenant, "state=collected")
	if len(collected) != 1 || len(collected[0].Attempts) != 0 {
		t.Fatalf("collected %+v", collected)
	}
	shown := collected[0].Request
	if shown.Method != "POST" || shown.URL != target || shown.Base64 != "" || !strings.Contains(shown.Body, `"data":{"ü":"<&>","n":1.50}`) {
		t.Errorf("request %+v", shown)
	}
	// A change of the subscription does not change what was collected.
	hookID := collected[0].HookID
	tenant.Do("PATCH /hooks/"+hookID, `{"url":"http://127.0.0.1:1/other","secret":"another","header":"X-other: k"}`).Want(t, http.StatusOK)
	if later, _ := deliveries(tenant, "state=collected"); !cmp.Equal(later, collected) {
		t.Errorf("after the change of the subscription (- before, + after):\n%s", cmp.Diff(collected, later))
	}
	tenant.Do("PATCH /hooks/"+hookID, `{"url":"`+target+`","secret":"s3cret","header":"X-my-KEY: k3y"}`).Want(t, http.StatusOK)

	tenant.Control("PATCH /settings", `{"webhooks":"send"}`).Want(t, http.StatusOK)
	s.Pass(time.Second) // longer than the dispatcher caches the setting
	tenant.Control("POST /deliveries/"+collected[0].RequestID+"/redeliver", "").Want(t, http.StatusCreated)
	awaitDeliveries(tenant)
	sent, _ := deliveries(tenant, "limit=1")
	if len(sent) != 1 || sent[0].State != "delivered" || sent[0].Request.Body != shown.Body {
		t.Fatalf("sent %+v", sent)
	}
	// Each attempt has its own delivery id; all else is as it was collected.
	for i, line := range sent[0].Request.Headers {
		if line.Name == "X-Delivery-Id" {
			if line.Value != sent[0].Attempts[0].DeliveryID {
				t.Errorf("delivery id %s, attempts %+v", line.Value, sent[0].Attempts)
			}
		} else if shown.Headers[i] != line {
			t.Errorf("collected header %v, sent %v", shown.Headers[i], line)
		}
	}
	var raw strings.Builder
	raw.WriteString("POST /hook?a=b%20c HTTP/1.1\r\n")
	for _, line := range sent[0].Request.Headers {
		fmt.Fprintf(&raw, "%s: %s\r\n", line.Name, line.Value)
	}
	raw.WriteString("\r\n" + sent[0].Request.Body)
	if got := <-wire; got != raw.String() {
		t.Errorf("sent\n%s\nwant\n%s", got, raw.String())
	}
	select {
	case more := <-wire:
		t.Errorf("also sent: %s", more)
	default:
	}
}

// TestDeliveries checks that deliveries are listed with all their attempts, page by
// page and by every filter.
func TestDeliveries(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, events: deliveries have their attempts, with request and response")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Two"] = []string{"one", "two"}
		if r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusBadGateway)
		}
		w.Write([]byte(strings.Repeat("\xff", 20_000)))
	}))
	t.Cleanup(receiver.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + listener.Addr().String()
	listener.Close()
	ids := map[string]string{}
	for _, target := range []string{receiver.URL + "/good", receiver.URL + "/bad", refusing} {
		ids[target] = tenant.Do("POST /hooks", `{"active":true,"url":"`+target+`","events":["*"]}`).Want(t, http.StatusCreated).Text(t, "id")
	}
	for _, event := range []string{"quote_request:made", "quote_request:sent", "carrier:found-1.x"} {
		tenant.Control("POST /events", `{"event":"`+event+`"}`).Want(t, http.StatusOK)
		tenant.Advance("1s")
	}
	awaitDeliveries(tenant)
	tenant.Advance("1m") // the first retries
	awaitDeliveries(tenant)

	for query, want := range map[string]int{
		"":                                     9,
		"hook_id=" + ids[refusing]:             3,
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
		"since=" + url.QueryEscape(s.Shown(0)): 9,
		"until=" + url.QueryEscape(s.Shown(0)): 0,
		"since=" + url.QueryEscape(s.Shown(time.Second)):                                                       6,
		"since=" + url.QueryEscape(s.Shown(time.Second)) + "&until=" + url.QueryEscape(s.Shown(2*time.Second)): 3,
	} {
		if list, _ := deliveries(tenant, query); len(list) != want {
			t.Errorf("%s: %d deliveries, want %d", query, len(list), want)
		}
	}
	var all, paged []string
	list, _ := deliveries(tenant, "")
	for _, d := range list {
		all = append(all, d.RequestID)
	}
	for before := ""; ; {
		page, next := deliveries(tenant, "limit=2"+before)
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

	bad, _ := deliveries(tenant, "status=502&event=quote_request:made")
	if len(bad[0].Attempts) < 2 {
		t.Fatalf("attempts %+v", bad[0].Attempts)
	}
	for i, a := range bad[0].Attempts {
		body, err := base64.StdEncoding.DecodeString(a.Response.Base64)
		whole := strings.Repeat("\xff", 16<<10)
		kept := string(body) == whole
		if i+1 < len(bad[0].Attempts) { // the beginning of the response
			kept = len(body) > 512 && len(body) < 1024 && strings.HasPrefix(whole, string(body))
		}
		if err != nil || !kept || a.Attempt != i+1 || a.Status != 502 || a.Failure != "" || a.DurationMs == nil ||
			!slices.Equal(a.Response.Headers.Values("X-Two"), []string{"one", "two"}) || "http://"+a.Address != receiver.URL {
			t.Errorf("attempt %d: %.200v", i+1, a)
		}
	}
	unanswered, _ := deliveries(tenant, "status=0&limit=1")
	if a := unanswered[0].Attempts[0]; a.Response != nil || a.Failure != "refused" || "http://"+a.Address != refusing {
		t.Errorf("attempt %+v", a)
	}
	for query, message := range map[string]string{
		"limit=0":      `limit: invalid value \"0\"`,
		"state=lost":   `state: invalid value \"lost\"`,
		"before=7":     `before: invalid value \"7\"`,
		"colour=red":   `unknown parameter \"colour\"`,
		"hook_id=none": `hook_id: invalid value \"none\"`,
	} {
		tenant.Control("GET /deliveries?"+query, "").Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
	}
	if list, _ := deliveries(s.NewTenant(`{}`), ""); len(list) != 0 {
		t.Errorf("another tenant has %+v", list)
	}
}
